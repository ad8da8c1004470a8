import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexCrypto

/// What to do where the schema of an existing file is older than the program's; the words of the C interface.
public enum MigrationConfirmation: String, Sendable, CaseIterable {
  /// Upgrade.
  case yesUp
  /// Upgrade or downgrade. There are no downgrades; a profile of the reference is imported even if something is lost.
  case yesUpDown
  /// Ask on the terminal. The store does not ask, so it is the same as `error`.
  case console
  /// Fail with ``ChatStoreOpenError/needsUpgrade(file:migrations:)``.
  case error
}

/// Why a chat database cannot be opened.
public enum ChatStoreOpenError: Error, Hashable, Sendable {
  /// Another process, or another part of this one, has the database open.
  case inUse(file: String)
  /// The file is encrypted with another key, or is not a database.
  case notADatabase(file: String)
  /// The file is a database of another program.
  case foreign(file: String, ForeignDatabase)
  /// The file was written by a newer program, by steps up to `found`.
  case newerSchema(file: String, found: Int, known: Int)
  /// The file was made by an earlier build of this program, with another schema.
  case earlierBuild(file: String)
  /// The schema is older, and the caller did not agree to upgrade it.
  case needsUpgrade(file: String, migrations: [String])
  /// The content of the file is inconsistent.
  case damaged(file: String, reason: String)
  /// Any other failure of the database.
  case failed(file: String, reason: String)

  /// The text of ``inUse(file:)``.
  public static let inUseText = "the database is open in another process or controller"

  /// The error as the C interface shows it.
  public var migrationResult: DBMigrationResult {
    switch self {
    case .notADatabase(let file): .errorNotADatabase(dbFile: file)
    case .inUse(let file): .errorSQL(dbFile: file, migrationSQLError: Self.inUseText)
    case .foreign(let file, .withMigrations(let first)):
      .errorMigration(
        dbFile: file,
        migrationError: .migrationError(
          mtrError: .different(appMigration: ChatSchema.migrations.first?.name ?? "", dbMigration: first)))
    case .foreign(let file, let maker): .errorSQL(dbFile: file, migrationSQLError: maker.description)
    case .newerSchema(let file, let found, let known): .newerSchema(file: file, found: found, known: known)
    case .earlierBuild(let file): .errorSQL(dbFile: file, migrationSQLError: SchemaFingerprint.earlierBuildText)
    case .needsUpgrade(let file, let migrations):
      .errorMigration(
        dbFile: file,
        migrationError: .upgrade(upMigrations: migrations.map { UpMigration(upName: $0, withDown: false) }))
    case .damaged(let file, let reason): .errorSQL(dbFile: file, migrationSQLError: "the file is damaged: \(reason)")
    case .failed(let file, let reason): .errorSQL(dbFile: file, migrationSQLError: reason)
    }
  }

  /// The error of a database file.
  public init(_ error: SQLiteKit.SQLiteError, file: String) {
    self =
      switch error.kind {
      case .busy: .inUse(file: file)
      case .notADatabase: .notADatabase(file: file)
      case .foreign(let maker): .foreign(file: file, maker)
      case .newerSchema(let found, let known): .newerSchema(file: file, found: found, known: known)
      case .earlierBuild: .earlierBuild(file: file)
      case .damaged: .damaged(file: file, reason: error.message)
      default: .failed(file: file, reason: error.message)
      }
  }
}

extension ChatDatabase {
  /// SQLite's `application_id` of chat databases: "SxCh".
  public static let applicationID: Int32 = 0x5378_4368

  /// Throws where the file has content and is not a chat database that this version can read. Changes nothing.
  public static func verify(_ path: String, key: DatabaseKey?) throws(SQLiteKit.SQLiteError) {
    try DatabaseIdentity.read(path, key: key)?
      .verify(
        application: applicationID, knownVersion: ChatSchema.migrations.count,
        schema: SchemaFingerprint(of: ChatSchema.migrations))
  }

  /// Makes a new, empty database for an import, which writes rows that exist already: with their numbers and times.
  package static func makeEmpty(
    _ path: String, passphrase: SecretBytes?
  ) throws(ChatStoreOpenError) -> SQLiteConnection {
    try open(path, key: try key(path, passphrase), confirmation: .error, commitsWait: false)
  }

  /// Opens a database for an export, which reads rows; `file` is there already.
  package static func openRows(
    _ file: String, passphrase: SecretBytes?
  ) throws(ChatStoreOpenError) -> SQLiteConnection {
    try open(file, key: try key(file, passphrase), confirmation: .error)
  }

  /// The key of a file; nil where there is no passphrase.
  static func key(_ path: String, _ passphrase: SecretBytes?) throws(ChatStoreOpenError) -> DatabaseKey? {
    do throws(SQLFailure) {
      return try passphrase.map { (secret) throws(SQLFailure) in try DatabaseKey(passphrase: secret, forFile: path) }
    } catch {
      throw ChatStoreOpenError(error, file: path)
    }
  }

  /// Opens the file and brings its schema up to the last of `migrations`. A file that is not ours is left as it is.
  static func open(
    _ path: String, key: DatabaseKey?, confirmation: MigrationConfirmation, commitsWait: Bool = true,
    migrations: [SQLiteMigration] = ChatSchema.migrations
  ) throws(ChatStoreOpenError) -> SQLiteConnection {
    let pending: [String]
    let fingerprint = SchemaFingerprint(of: migrations)
    do throws(SQLFailure) {
      try DatabaseIdentity.read(path, key: key)?
        .verify(application: applicationID, knownVersion: migrations.count, schema: fingerprint)
      let isLogLeft = DatabaseFile.hasLog(path)
      let connection: SQLiteConnection =
        if let key {
          try SQLiteConnection(path: path, key: key)
        } else {
          try SQLiteConnection(path: path)
        }
      DatabaseFile.restrict(path)
      // An earlier process may have ended after a flush that failed.
      if isLogLeft, !commitsWait { connection.doubtLog() }
      try prepare(connection, commitsWait: commitsWait)
      let version = Int(try connection.integerPragma("user_version") ?? 0)
      guard version > 0, version < migrations.count else {
        try connection.migrate(migrations, fingerprint: fingerprint)
        return connection
      }
      if confirmation == .yesUp || confirmation == .yesUpDown {
        // The copy is encrypted as the file is.
        if path != ":memory:" { try connection.copyFile(to: path + ".bak") }
        try connection.migrate(migrations, fingerprint: fingerprint)
        return connection
      }
      pending = migrations.dropFirst(version).map(\.name)
    } catch {
      throw ChatStoreOpenError(error, file: path)
    }
    throw .needsUpgrade(file: path, migrations: pending)
  }

  private static func prepare(_ connection: SQLiteConnection, commitsWait: Bool) throws(SQLFailure) {
    // The connection keeps the lock of the file: another process that comes without the lease is refused here rather
    // than surprised later. A process that is ending has a short time to release it.
    try connection.setBusyTimeout(milliseconds: 200)
    try connection.setPragma("locking_mode", "EXCLUSIVE")
    try connection.claim(application: applicationID)
    try connection.useWriteAheadLog(synchronous: commitsWait ? .full : .normal)
    try connection.setCheckpointInterval(pages: 4_000)
    try connection.keepTemporaryDataInMemory()
    // An empty transaction takes the lock.
    try connection.transaction {}
    try connection.setPragma("foreign_keys", "ON")
    try connection.addTextSearch()
  }
}

extension DBMigrationResult {
  /// The result for a schema that is newer than `known`. The names of later steps are unknown, so it lists their
  /// numbers, at most 100 of them, since the number in a file may be any.
  public static func newerSchema(file: String, found: Int, known: Int) -> DBMigrationResult {
    let last = max(known, min(found, known + 100))
    return .errorMigration(
      dbFile: file,
      migrationError: .migrationError(mtrError: .noDown(dbMigrations: (known..<last).map { "step \($0 + 1)" })))
  }
}
