import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// The agent's database. It belongs to one thread at a time.
///
/// One file per aggregate; every method is to be called within ``transaction(_:)`` where it writes.
public final class AgentStore {
  let database: SQLiteConnection

  /// Opens a file, or `:memory:`, and brings its schema up to date.
  /// - Parameters:
  ///   - passphrase: the key of an encrypted file; nil for one in the clear.
  ///   - synchronous: what a commit waits for. Anything but `full` risks that a key is used twice after a power failure.
  public convenience init(
    path: String, passphrase: SecretBytes? = nil, synchronous: SQLiteConnection.Synchronous = .full
  ) throws(SQLiteError) {
    let database: SQLiteConnection
    if let passphrase {
      database = try SQLiteConnection(path: path, passphrase: passphrase)
    } else {
      database = try SQLiteConnection(path: path)
    }
    try self.init(database, synchronous: synchronous)
  }

  /// Takes a connection to a database and brings its schema up to date. A second store on the same connection, after
  /// the first was thrown away, is like a restart.
  public init(_ database: SQLiteConnection, synchronous: SQLiteConnection.Synchronous = .full) throws(SQLiteError) {
    self.database = database
    try database.useWriteAheadLog(synchronous: synchronous)
    try database.setBusyTimeout(milliseconds: 5_000)
    try database.setPragma("cache_size", "-2000")
    try database.migrate(AgentSchema.migrations)
  }
}
