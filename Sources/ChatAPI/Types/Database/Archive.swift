import SimplexJSON

/// Where and how an archive is written or read.
public struct ArchiveConfig: JSONCodable, Hashable, Sendable {
  /// Path of the archive file.
  public var archivePath: String
  /// Whether files are stored without compression.
  public var disableCompression: Bool?
  /// Where the temporary folder is made.
  public var parentTempDirectory: String?

  /// A value of its members.
  public init(
    archivePath: String, disableCompression: Bool? = nil, parentTempDirectory: String? = nil
  ) {
    self.archivePath = archivePath
    self.disableCompression = disableCompression
    self.parentTempDirectory = parentTempDirectory
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    archivePath = try fields.get("archivePath")
    disableCompression = try fields.get("disableCompression")
    parentTempDirectory = try fields.get("parentTempDirectory")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("archivePath", archivePath)
    json.field("disableCompression", disableCompression)
    json.field("parentTempDirectory", parentTempDirectory)
    json.endObject()
  }
}

/// A part of an archive that was skipped.
public enum ArchiveError: JSONCodable, Hashable, Sendable {
  case `import`(importError: String)
  case fileError(file: String, fileError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "import": self = try .import(importError: fields.get("importError"))
    case "fileError": self = try .fileError(file: fields.get("file"), fileError: fields.get("fileError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .import(let importError): json.sum("import", "importError", importError)
    case .fileError(let file, let fileError):
      json.sum("fileError", "file", file, "fileError", fileError)
    }
  }
}

/// A change of the database passphrase.
public struct DBEncryptionConfig: JSONCodable, Hashable, Sendable {
  /// The present passphrase; empty if not encrypted.
  public var currentKey: String
  /// The new passphrase; empty to remove the encryption.
  public var newKey: String
  /// Whether the new passphrase is kept for the running core.
  public var keepKey: Bool?

  /// A value of its members.
  public init(
    currentKey: String, newKey: String, keepKey: Bool? = nil
  ) {
    self.currentKey = currentKey
    self.newKey = newKey
    self.keepKey = keepKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    currentKey = try fields.get("currentKey")
    newKey = try fields.get("newKey")
    keepKey = try fields.get("keepKey")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("currentKey", currentKey)
    json.field("newKey", newKey)
    json.field("keepKey", keepKey)
    json.endObject()
  }
}

/// A migration to be run.
public struct UpMigration: JSONCodable, Hashable, Sendable {
  /// Name of the migration.
  public var upName: String
  /// Whether it can be undone.
  public var withDown: Bool

  /// A value of its members.
  public init(
    upName: String, withDown: Bool
  ) {
    self.upName = upName
    self.withDown = withDown
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    upName = try fields.get("upName")
    withDown = try fields.get("withDown")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("upName", upName)
    json.field("withDown", withDown)
    json.endObject()
  }
}

/// Why the database cannot be opened by this version.
public indirect enum MigrationError: JSONCodable, Hashable, Sendable {
  case upgrade(upMigrations: [UpMigration])
  case downgrade(downMigrations: [String])
  case migrationError(mtrError: MTRError)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "upgrade": self = try .upgrade(upMigrations: fields.get("upMigrations"))
    case "downgrade": self = try .downgrade(downMigrations: fields.get("downMigrations"))
    case "migrationError": self = try .migrationError(mtrError: fields.get("mtrError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .upgrade(let upMigrations): json.sum("upgrade", "upMigrations", upMigrations)
    case .downgrade(let downMigrations): json.sum("downgrade", "downMigrations", downMigrations)
    case .migrationError(let mtrError): json.sum("migrationError", "mtrError", mtrError)
    }
  }
}

/// Why migrations cannot be run.
public enum MTRError: JSONCodable, Hashable, Sendable {
  case noDown(dbMigrations: [String])
  case different(appMigration: String, dbMigration: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "noDown": self = try .noDown(dbMigrations: fields.get("dbMigrations"))
    case "different":
      self = try .different(
        appMigration: fields.get("appMigration"), dbMigration: fields.get("dbMigration"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .noDown(let dbMigrations): json.sum("noDown", "dbMigrations", dbMigrations)
    case .different(let appMigration, let dbMigration):
      json.sum("different", "appMigration", appMigration, "dbMigration", dbMigration)
    }
  }
}

/// What opening the database gave.
public indirect enum DBMigrationResult: JSONCodable, Hashable, Sendable {
  case ok
  case invalidConfirmation
  case errorNotADatabase(dbFile: String)
  case errorMigration(dbFile: String, migrationError: MigrationError)
  case errorSQL(dbFile: String, migrationSQLError: String)
  case agentError(agentError: AgentErrorType)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "ok": self = .ok
    case "invalidConfirmation": self = .invalidConfirmation
    case "errorNotADatabase": self = try .errorNotADatabase(dbFile: fields.get("dbFile"))
    case "errorMigration":
      self = try .errorMigration(
        dbFile: fields.get("dbFile"), migrationError: fields.get("migrationError"))
    case "errorSQL":
      self = try .errorSQL(
        dbFile: fields.get("dbFile"), migrationSQLError: fields.get("migrationSQLError"))
    case "agentError": self = try .agentError(agentError: fields.get("agentError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .ok: json.tag("ok")
    case .invalidConfirmation: json.tag("invalidConfirmation")
    case .errorNotADatabase(let dbFile): json.sum("errorNotADatabase", "dbFile", dbFile)
    case .errorMigration(let dbFile, let migrationError):
      json.sum("errorMigration", "dbFile", dbFile, "migrationError", migrationError)
    case .errorSQL(let dbFile, let migrationSQLError):
      json.sum("errorSQL", "dbFile", dbFile, "migrationSQLError", migrationSQLError)
    case .agentError(let agentError): json.sum("agentError", "agentError", agentError)
    }
  }
}

/// Versions of the core.
public struct CoreVersionInfo: JSONCodable, Hashable, Sendable {
  /// Version of the core.
  public var version: String
  /// Version of the agent.
  public var simplexmqVersion: String
  /// Commit of the agent.
  public var simplexmqCommit: String

  /// A value of its members.
  public init(
    version: String, simplexmqVersion: String, simplexmqCommit: String
  ) {
    self.version = version
    self.simplexmqVersion = simplexmqVersion
    self.simplexmqCommit = simplexmqCommit
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    version = try fields.get("version")
    simplexmqVersion = try fields.get("simplexmqVersion")
    simplexmqCommit = try fields.get("simplexmqCommit")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("version", version)
    json.field("simplexmqVersion", simplexmqVersion)
    json.field("simplexmqCommit", simplexmqCommit)
    json.endObject()
  }
}
