import SimplexJSON

/// Errors of opening or encrypting a database.
public indirect enum DatabaseError: JSONCodable, Hashable, Sendable, Error {
  case errorEncrypted
  case errorPlaintext
  case errorNoFile(dbFile: String)
  case errorExport(sqliteError: SQLiteError)
  case errorOpen(sqliteError: SQLiteError)
}

/// Errors of the database engine.
public enum SQLiteError: JSONCodable, Hashable, Sendable, Error {
  case errorNotADatabase
  case error(dbError: String)
}
