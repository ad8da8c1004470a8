import SimplexJSON

/// Where and how an archive is written or read.
public struct ArchiveConfig: JSONCodable, Hashable, Sendable {
  /// Path of the archive file.
  public var archivePath: String
  /// Whether files are stored without compression.
  public var disableCompression: Bool?
  /// Where the temporary folder is made.
  public var parentTempDirectory: String?
}

/// A part of an archive that was skipped.
public enum ArchiveError: JSONCodable, Hashable, Sendable {
  case `import`(importError: String)
  case fileError(file: String, fileError: String)
}

/// A change of the database passphrase.
public struct DBEncryptionConfig: JSONCodable, Hashable, Sendable {
  /// The present passphrase; empty if not encrypted.
  public var currentKey: String
  /// The new passphrase; empty to remove the encryption.
  public var newKey: String
  /// Whether the new passphrase is kept for the running core.
  public var keepKey: Bool?
}

/// A migration to be run.
public struct UpMigration: JSONCodable, Hashable, Sendable {
  /// Name of the migration.
  public var upName: String
  /// Whether it can be undone.
  public var withDown: Bool
}

/// Why the database cannot be opened by this version.
public indirect enum MigrationError: JSONCodable, Hashable, Sendable {
  case upgrade(upMigrations: [UpMigration])
  case downgrade(downMigrations: [String])
  case migrationError(mtrError: MTRError)
}

/// Why migrations cannot be run.
public enum MTRError: JSONCodable, Hashable, Sendable {
  case noDown(dbMigrations: [String])
  case different(appMigration: String, dbMigration: String)
}

/// The result of opening the database.
public indirect enum DBMigrationResult: JSONCodable, Hashable, Sendable {
  case ok
  case invalidConfirmation
  case errorNotADatabase(dbFile: String)
  case errorMigration(dbFile: String, migrationError: MigrationError)
  case errorSQL(dbFile: String, migrationSQLError: String)
  case agentError(agentError: AgentErrorType)
}

/// Versions of the core.
public struct CoreVersionInfo: JSONCodable, Hashable, Sendable {
  /// Version of the core.
  public var version: String
  /// Version of the agent.
  public var simplexmqVersion: String
  /// Commit of the agent.
  public var simplexmqCommit: String
}
