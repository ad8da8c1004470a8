extension DatabaseError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .errorEncrypted: "The database is encrypted: the current passphrase is needed"
    case .errorPlaintext: "The database is not encrypted"
    case .errorNoFile(let dbFile): "There is no database \(dbFile)"
    case .errorExport(let sqliteError): "The database could not be copied: \(sqliteError.text)"
    case .errorOpen(let sqliteError): "The database could not be opened: \(sqliteError.text)"
    }
  }
}

extension SQLiteError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .errorNotADatabase: "the passphrase is wrong, or it is not a database"
    case .error(let message): message
    }
  }
}

extension DBMigrationResult {
  /// The result of opening the database, described for users.
  public var text: String {
    switch self {
    case .ok: "The database is open"
    case .invalidConfirmation: "The confirmation is not valid"
    case .errorNotADatabase(let dbFile): "\(dbFile): the passphrase is wrong, or it is not a database"
    case .errorMigration(let dbFile, let error): "\(dbFile): \(error.text)"
    case .errorSQL(let dbFile, let message): "\(dbFile): \(message)"
    case .agentError(let error): error.text
    }
  }
}

extension MigrationError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .upgrade: "The database has to be upgraded"
    case .downgrade: "The database is of a newer version and has to be downgraded"
    case .migrationError(let error): error.text
    }
  }
}

extension MTRError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .noDown(let dbMigrations):
      "The database is of a newer version and cannot be downgraded: \(dbMigrations.joined(separator: ", "))"
    case .different(let appMigration, let dbMigration):
      "The database has the migration \(dbMigration) where the app has \(appMigration)"
    }
  }
}
