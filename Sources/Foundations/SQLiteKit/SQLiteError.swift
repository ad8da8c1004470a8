import CSQLite

/// Why a database operation failed.
///
/// The text of SQLite is kept for logs; it can quote SQL but never holds bound values.
public struct SQLiteError: Error, Hashable, Sendable {
  /// What went wrong, as far as callers act on it.
  public enum Kind: Hashable, Sendable {
    /// The content of the file is inconsistent.
    case damaged
    /// The file is not a database, or is encrypted with another key.
    case notADatabase
    /// The file was written by a newer program: it has schema version `found`, this program knows up to `known`.
    case newerSchema(found: Int, known: Int)
    /// The file was made by an earlier build of this program, with another schema (``SchemaFingerprint``).
    case earlierBuild
    /// The file is a database of another program.
    case foreign(ForeignDatabase)
    /// Another connection holds a lock for longer than the busy timeout.
    case busy
    /// No space is left where the database is.
    case diskFull
    /// A unique, foreign-key, check or not-null constraint was violated.
    case constraint(Constraint)
    /// The file cannot be opened or created.
    case cannotOpen
    /// The database, or the file system it is on, does not allow writing.
    case readOnly
    /// Reading or writing the file failed.
    case inputOutput
    /// A column holds a value of another type than was asked for.
    case unexpectedColumn(Int)
    /// Any other failure, see ``SQLiteError/code``.
    case other
  }

  /// Which constraint a statement violated.
  public enum Constraint: Hashable, Sendable {
    /// A value has to be unique and is there already.
    case unique
    /// A row refers to a row that does not exist.
    case foreignKey
    /// Any other constraint.
    case other
  }

  /// The message of the error.
  public let kind: Kind
  /// The extended result code of SQLite; 0 where the failure is not SQLite's.
  public let code: Int32
  /// A phrase for logs.
  public let message: String

  /// An error of this kind that SQLite did not report itself.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.code = 0
    self.message = message
  }

  /// The error that the database reported last; `code` where there is no database.
  init(code: Int32, database: OpaquePointer?) {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? code
    // A busy or interrupted step can leave an older code behind; the returned one then is right.
    self.code = extended & 0xff == code & 0xff ? extended : code
    self.kind = Kind(code: self.code)
    self.message = String(cString: database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }
}

extension SQLiteError {
  /// Whether the reason lies outside of the database and of what was asked of it, so that the same may succeed later.
  public var isOutage: Bool {
    switch kind {
    case .busy, .diskFull, .cannotOpen, .readOnly, .inputOutput: true
    case .damaged, .notADatabase, .newerSchema, .earlierBuild, .foreign, .constraint, .unexpectedColumn, .other: false
    }
  }
}

extension SQLiteError.Kind {
  init(code: Int32) {
    self =
      switch code & 0xff {
      case SQLITE_CORRUPT: .damaged
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_FULL: .diskFull
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_IOERR: .inputOutput
      case SQLITE_CONSTRAINT: .constraint(SQLiteError.Constraint(code: code))
      default: .other
      }
  }
}

extension SQLiteError.Constraint {
  init(code: Int32) {
    // The extended codes are macros with shifts, which Swift does not import.
    self =
      switch code >> 8 {
      case 6, 8, 10: .unique  // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE, _ROWID
      case 3: .foreignKey  // SQLITE_CONSTRAINT_FOREIGNKEY
      default: .other
      }
  }
}

extension SQLiteError: CustomStringConvertible {
  /// One line for a log.
  public var description: String { "\(kind): \(message) (code \(code))" }
}
