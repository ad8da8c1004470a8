import AgentCore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import WireCodec

/// The ratchet of a connection, with what is counted of its messages.
public struct StoredRatchet: Sendable {
  /// The ratchet.
  public var ratchet: Ratchet
  /// How many keys of skipped messages there are.
  public var skippedCount: Int64 = 0
  /// The number of the last message of either direction.
  ///
  /// It is reported only after it is durable: accepting and receiving a message are transactions that must not be lost
  /// (`AgentDatabase.commit(mayBeLost:)`), and effects and results wait for the flush. So a power failure cannot take
  /// back a number that the application knows, and no number is used for two messages.
  public var lastID: Int64 = 0
  /// The number of the last message that was sent.
  public var lastSent: Int64 = 0
  /// Its SHA-256.
  public var lastSentHash: [UInt8] = []
  /// The number of the peer's last message.
  public var lastReceived: Int64 = 0
  /// Its SHA-256.
  public var lastReceivedHash: [UInt8] = []
  /// The highest key that the application sent a message with; nil for none.
  public var lastKey: Int64?
  /// How many messages were received; where their hashes are kept depends on it.
  public var receivedCount: Int64 = 0

  /// A new ratchet.
  public init(_ ratchet: Ratchet) { self.ratchet = ratchet }
}

extension AgentDatabase {
  /// The ratchet of a connection.
  public func ratchet(of connection: Int64) throws(SQLiteError) -> StoredRatchet? {
    try database.first(AgentSQL.ratchet, connection) { (row) throws(SQLiteError) in
      let state = try row.secret(8)
      let ratchet = try readStored { () throws(WireError) in try Ratchet(decoding: state.bytes) }
      var result = StoredRatchet(ratchet)
      result.lastID = try row.integer(0)
      result.lastSent = try row.integer(1)
      result.lastSentHash = try row.bytes(2)
      result.lastReceived = try row.integer(3)
      result.lastReceivedHash = try row.bytes(4)
      result.receivedCount = try row.integer(5)
      result.skippedCount = try row.integer(6)
      result.lastKey = try row.optionalInteger(7)
      return result
    }
  }

  /// Stores the ratchet of a connection.
  public func setRatchet(_ ratchet: StoredRatchet, of connection: Int64) throws(SQLiteError) {
    let state = try stored { () throws(WireError) in try ratchet.ratchet.encoded() }
    try database.execute(
      AgentSQL.putRatchet, connection, ratchet.lastID, ratchet.lastSent, ratchet.lastSentHash, ratchet.lastReceived,
      ratchet.lastReceivedHash, ratchet.receivedCount, ratchet.skippedCount, ratchet.lastKey, state)
  }

  /// The header keys of the chains with keys of skipped messages, the newest chain first; at most
  /// `SkippedKeys.maximumChains`.
  public func skippedHeaderKeys(of connection: Int64) throws(SQLiteError) -> [SecretBytes] {
    try database.all(AgentSQL.skippedHeaderKeys, connection, SkippedKeys.maximumChains) { (row) throws(SQLiteError) in
      try row.secret(0)
    }
  }

  /// The key of a skipped message; nil where there is none, or none that can be read.
  public func skippedKey(
    of connection: Int64, headerKey: SecretBytes, number: UInt32
  ) throws(SQLiteError) -> MessageKey? {
    let stored = try database.first(AgentSQL.skippedKey, connection, headerKey, Int64(number)) {
      (row) throws(SQLiteError) in try row.secret(0)
    }
    guard let stored else { return nil }
    let key = MessageKey(secret: stored)
    if key == nil {
      note(.skippedKey(connection: connection, headerKey: headerKey, number: number), "it is not a key")
    }
    return key
  }

  /// Stores what changed in the keys of skipped messages, keeps to the limits of `SkippedKeys`, and returns by how
  /// many the number of keys grew.
  public func apply(_ change: SkippedKeys.Change, of connection: Int64) throws(SQLiteError) -> Int64 {
    switch change {
    case .none: return 0
    case .added(let chains):
      var count = 0
      for chain in chains {
        for (number, key) in chain.keys.sorted(by: { $0.key < $1.key }) {
          count += try database.execute(
            AgentSQL.insertSkippedKey, connection, chain.headerKey, Int64(number), key.secret)
        }
      }
      count -= try database.execute(
        AgentSQL.deleteExcessSkippedKeys, connection, SkippedKeys.maximumKeys, SkippedKeys.maximumChains)
      return Int64(count)
    case .removed(let headerKey, let number):
      return -Int64(try database.execute(AgentSQL.deleteSkippedKey, connection, headerKey, Int64(number)))
    }
  }

  /// Removes all keys of skipped messages.
  public func removeSkippedKeys(of connection: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM skipped_keys WHERE connection = ?", connection)
  }

  // MARK: Keys of ratchets to come

  /// The private keys that were made for an invitation or for a new ratchet.
  public func ratchetKeys(of connection: Int64) throws(SQLiteError) -> E2EPrivateKeys? {
    try database.first(AgentSQL.ratchetKeys, connection) { (row) throws(SQLiteError) in
      let keys = try row.secret(0)
      return try readStored { () throws(WireError) in try E2EPrivateKeys(decoding: keys.bytes) }
    }
  }

  /// The public keys that the peer is sent.
  public func ratchetParameters(of connection: Int64) throws(SQLiteError) -> E2EParameters? {
    try database.first(AgentSQL.ratchetParameters, connection) { (row) throws(SQLiteError) in
      let bytes = try row.bytes(0)
      return try readStored { () throws(WireError) in try E2EParameters.codec.decode(bytes) }
    }
  }

  /// Stores keys for a ratchet to come.
  public func setRatchetKeys(
    _ keys: E2EPrivateKeys, parameters: E2EParameters, of connection: Int64
  ) throws(SQLiteError) {
    let secret = try stored { () throws(WireError) in try keys.encoded() }
    let bytes = try stored { () throws(WireError) in try E2EParameters.codec.encode(parameters) }
    try database.execute(AgentSQL.putRatchetKeys, connection, secret, bytes)
  }

  /// Removes keys that were used.
  public func removeRatchetKeys(of connection: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM ratchet_keys WHERE connection = ?", connection)
  }

  /// Remembers keys for a new ratchet by their hash; false if they were seen before.
  public func noteRatchetKeyHash(_ hash: [UInt8], of connection: Int64) throws(SQLiteError) -> Bool {
    try database.execute(AgentSQL.insertRatchetKeyHash, connection, hash) == 1
  }
}
