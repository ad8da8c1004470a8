import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto

/// A queue that messages are sent to.
public struct SendQueue: Sendable {
  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// Whose it is.
  public var connection: Int64
  /// Where it is.
  public var server: SMPServerAddress
  /// The sender's identifier.
  public var senderID: EntityID
  /// What authorizes the sender's commands.
  public var key: AuthorizationPrivateKey
  /// The sender's key of the boxes, which goes with the first message; nil where that was sent by a program that forgot
  /// the key.
  public var publicKey: X25519.PublicKey?
  /// The key of the boxes between sender and recipient.
  public var sharedKey: BoxKey
  /// What it is for; nil where its recipient did not say.
  public var mode: QueueMode?
  /// The version of what is put in it.
  public var clientVersion: UInt16
  /// How far it is established.
  public var status = AgentQueueStatus.new
  /// Whether it is used first.
  public var isPrimary = true
  /// The queue that it replaces.
  public var replaces: Int64?
  /// How far it is being replaced.
  public var switchStatus: SendSwitchStatus?

  /// A new queue.
  public init(
    connection: Int64, server: SMPServerAddress, senderID: EntityID, key: AuthorizationPrivateKey,
    publicKey: X25519.PublicKey?, sharedKey: BoxKey, mode: QueueMode?, clientVersion: UInt16
  ) {
    self.connection = connection
    self.server = server
    self.senderID = senderID
    self.key = key
    self.publicKey = publicKey
    self.sharedKey = sharedKey
    self.mode = mode
    self.clientVersion = clientVersion
  }

  /// Whether the sender secures the queue itself.
  public var senderCanSecure: Bool { mode == .messaging }
  /// Whether messages are sent to it, besides to the primary one.
  public var isReady: Bool { status == .secured || status == .active }
}

extension AgentDatabase {
  private func sendQueue(_ row: borrowing SQLiteRow) throws(SQLiteError) -> SendQueue {
    let publicKey = try row.optionalBytes(5).map { (bytes) throws(SQLiteError) in
      guard let key = try? X25519.PublicKey(rawBytes: bytes) else { throw SQLiteError(.damaged, "a key of a queue") }
      return key
    }
    var queue = SendQueue(
      connection: try row.integer(1), server: try server(try row.integer(2)), senderID: EntityID(try row.bytes(3)),
      key: try row.authorizationKey(4), publicKey: publicKey, sharedKey: try row.boxKey(6),
      mode: try row.queueMode(7), clientVersion: try row.version(8))
    queue.number = try row.integer(0)
    queue.status = try row.value(9)
    queue.isPrimary = try row.bool(10)
    queue.replaces = try row.optionalInteger(11)
    queue.switchStatus = try row.optionalValue(12)
    return queue
  }

  /// Stores a new queue and returns its number.
  public func insert(_ queue: SendQueue) throws(SQLiteError) -> Int64 {
    let server = try number(of: queue.server)
    try database.execute(
      AgentSQL.insertSendQueue, queue.connection, server, queue.senderID.bytes, queue.key.stored,
      queue.publicKey?.rawBytes, queue.sharedKey.secret, queue.mode?.stored, Int64(queue.clientVersion),
      queue.status.rawValue, queue.isPrimary, queue.replaces)
    return database.lastInsertedRow
  }

  /// The queue with a number.
  public func sendQueue(number: Int64) throws(SQLiteError) -> SendQueue? {
    try database.first(AgentSQL.sendQueueByNumber, number) { (row) throws(SQLiteError) in try sendQueue(row) }
  }

  /// The relay of a queue that messages are sent to; nil without such a queue.
  public func server(ofSendQueue number: Int64) throws(SQLiteError) -> SMPServerAddress? {
    try server(AgentSQL.serverOfSendQueue, of: number)
  }

  /// The relay of a queue that messages are received from; nil without such a queue.
  public func server(ofReceiveQueue number: Int64) throws(SQLiteError) -> SMPServerAddress? {
    try server(AgentSQL.serverOfReceiveQueue, of: number)
  }

  private func server(_ sql: String, of number: Int64) throws(SQLiteError) -> SMPServerAddress? {
    let found = try database.first(sql, number) { (row) throws(SQLiteError) in try row.integer(0) }
    guard let found else { return nil }
    return try server(found)
  }

  /// The queues of a connection, the primary one first.
  public func sendQueues(of connection: Int64) throws(SQLiteError) -> [SendQueue] {
    try database.all(AgentSQL.sendQueues, connection) { (row) throws(SQLiteError) in try sendQueue(row) }
  }

  /// Stores what can change of a queue.
  public func update(_ queue: SendQueue) throws(SQLiteError) {
    try database.execute(
      AgentSQL.updateSendQueue, queue.number, queue.status.rawValue, queue.isPrimary, queue.replaces,
      queue.switchStatus?.rawValue)
  }

  /// Removes a queue.
  public func removeSendQueue(_ queue: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM send_queues WHERE number = ?", queue)
  }
}
