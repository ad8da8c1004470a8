import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexCrypto

/// What to do where the schema of an existing file is older than the program's; the words of the C interface.
public enum MigrationConfirmation: String, Sendable, CaseIterable {
  /// Upgrade.
  case yesUp
  /// Upgrade, or downgrade. We know no downgrades, so it is as `yesUp`.
  case yesUpDown
  /// Ask on the terminal; asking is not the store's work, so it is as `error`.
  case console
  /// Fail with ``ChatStoreOpenError/needsUpgrade(file:migrations:)``.
  case error
}

/// Why a chat database cannot be opened.
public enum ChatStoreOpenError: Error, Hashable, Sendable {
  /// Another process, or another part of this one, has the database open.
  case inUse(file: String)
  /// The file is encrypted with another key, or is no database.
  case notADatabase(file: String)
  /// The file was written by a newer program, by steps up to `found`.
  case newerSchema(file: String, found: Int, known: Int)
  /// The schema is older, and the caller did not agree to upgrade it.
  case needsUpgrade(file: String, migrations: [String])
  /// The content of the file is inconsistent.
  case damaged(file: String, reason: String)
  /// Any other failure of the database.
  case failed(file: String, reason: String)

  /// The error as the C interface shows it.
  public var migrationResult: DBMigrationResult {
    switch self {
    case .notADatabase(let file): .errorNotADatabase(dbFile: file)
    case .inUse(let file):
      .errorSQL(dbFile: file, migrationSQLError: "the database is open in another process")
    case .newerSchema(let file, let found, let known):
      .newerSchema(file: file, found: found, known: known)
    case .needsUpgrade(let file, let migrations):
      .errorMigration(
        dbFile: file,
        migrationError: .upgrade(upMigrations: migrations.map { UpMigration(upName: $0, withDown: false) }))
    case .damaged(let file, let reason), .failed(let file, let reason):
      .errorSQL(dbFile: file, migrationSQLError: reason)
    }
  }

  init(_ error: SQLFailure, file: String) {
    self =
      switch error.kind {
      case .busy: .inUse(file: file)
      case .notADatabase: .notADatabase(file: file)
      case .newerSchema(let found, let known): .newerSchema(file: file, found: found, known: known)
      case .damaged: .damaged(file: file, reason: error.message)
      default: .failed(file: file, reason: error.message)
      }
  }
}

extension ChatStore {
  /// Opens the file and brings its schema up to the last of `migrations`.
  static func open(
    _ path: String, _ passphrase: SecretBytes?, _ confirmation: MigrationConfirmation, commitsWait: Bool = true,
    migrations: [SQLiteMigration] = ChatSchema.migrations
  ) throws(ChatStoreOpenError) -> SQLiteConnection {
    let pending: [String]
    do throws(SQLFailure) {
      let connection: SQLiteConnection =
        if let passphrase {
          try SQLiteConnection(path: path, passphrase: passphrase)
        } else {
          try SQLiteConnection(path: path)
        }
      // Whoever opens the file keeps it: another process is refused here rather than surprised later. A short wait
      // lets a process that is ending let go.
      try connection.setBusyTimeout(milliseconds: 200)
      try connection.setPragma("locking_mode", "EXCLUSIVE")
      try connection.useWriteAheadLog(synchronous: commitsWait ? .full : .normal)
      try connection.setCheckpointInterval(pages: 4_000)
      // An empty transaction takes the lock.
      try connection.transaction {}
      try connection.setPragma("foreign_keys", "ON")
      try connection.addTextSearch()
      let version = Int(try connection.integerPragma("user_version") ?? 0)
      guard version > 0, version < migrations.count else {
        try connection.migrate(migrations)
        return connection
      }
      if confirmation == .yesUp || confirmation == .yesUpDown {
        // Beside it, encrypted as it is.
        if path != ":memory:" { try connection.copyFile(to: path + ".bak") }
        try connection.migrate(migrations)
        return connection
      }
      pending = migrations.dropFirst(version).map(\.name)
    } catch {
      throw ChatStoreOpenError(error, file: path)
    }
    throw .needsUpgrade(file: path, migrations: pending)
  }
}

extension DBMigrationResult {
  /// A database whose schema is newer than we know. The names of steps that do not exist yet are not known; their
  /// numbers are, of the first hundred: the number in a file may be any.
  public static func newerSchema(file: String, found: Int, known: Int) -> DBMigrationResult {
    let last = max(known, min(found, known + 100))
    return .errorMigration(
      dbFile: file,
      migrationError: .migrationError(mtrError: .noDown(dbMigrations: (known..<last).map { "step \($0 + 1)" })))
  }
}
