import SimplexJSON

/// Errors of opening or encrypting a database.
public indirect enum DatabaseError: JSONCodable, Hashable, Sendable, Error {
  case errorEncrypted
  case errorPlaintext
  case errorNoFile(dbFile: String)
  case errorExport(sqliteError: SQLiteError)
  case errorOpen(sqliteError: SQLiteError)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "errorEncrypted": self = .errorEncrypted
    case "errorPlaintext": self = .errorPlaintext
    case "errorNoFile": self = try .errorNoFile(dbFile: fields.get("dbFile"))
    case "errorExport": self = try .errorExport(sqliteError: fields.get("sqliteError"))
    case "errorOpen": self = try .errorOpen(sqliteError: fields.get("sqliteError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .errorEncrypted: json.tag("errorEncrypted")
    case .errorPlaintext: json.tag("errorPlaintext")
    case .errorNoFile(let dbFile): json.sum("errorNoFile", "dbFile", dbFile)
    case .errorExport(let sqliteError): json.sum("errorExport", "sqliteError", sqliteError)
    case .errorOpen(let sqliteError): json.sum("errorOpen", "sqliteError", sqliteError)
    }
  }
}

/// Errors of the database engine.
public enum SQLiteError: JSONCodable, Hashable, Sendable, Error {
  case errorNotADatabase
  case error(dbError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "errorNotADatabase": self = .errorNotADatabase
    case "error": self = try .error(dbError: fields.get("dbError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .errorNotADatabase: json.tag("errorNotADatabase")
    case .error(let dbError): json.sum("error", "dbError", dbError)
    }
  }
}
