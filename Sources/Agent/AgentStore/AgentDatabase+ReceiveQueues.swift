import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A queue that messages are received from.
public struct ReceiveQueue: Sendable {
  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// Whose it is.
  public var connection: Int64
  /// Where it is.
  public var server: SMPServerAddress
  /// The recipient's identifier.
  public var recipientID: EntityID
  /// The sender's identifier.
  public var senderID: EntityID
  /// What authorizes the recipient's commands.
  public var key: AuthorizationPrivateKey
  /// The key of the boxes between relay and recipient.
  public var deliveryKey: BoxKey
  /// The recipient's key of the boxes between sender and recipient.
  public var privateKey: X25519.PrivateKey
  /// The key of those boxes, once the sender's key is known.
  public var sharedKey: BoxKey?
  /// What it is for; nil where the relay did not know.
  public var mode: QueueMode?
  /// The version of what is put in it.
  public var clientVersion: UInt16
  /// How far it is established.
  public var status = AgentQueueStatus.new
  /// Whether it is the one that the peer uses first.
  public var isPrimary = true
  /// The queue that it replaces.
  public var replaces: Int64?
  /// How far it is being replaced.
  public var switchStatus: ReceiveSwitchStatus?
  /// Whether it only waits to be deleted at its relay.
  public var isDeleted = false
  /// Whether it is to be subscribed.
  public var isSubscribed: Bool
  /// The message that was received last, as the relay names it.
  public var lastRelayID: [UInt8]?
  /// That message, until the application acknowledges it.
  public var lastMessage: Int64?
  /// When it was received, in milliseconds.
  public var lastReceivedAt: Int64?
  /// The keys of its short link.
  public var link: LinkCredentials?
  /// The keys of its notifier.
  public var notifier: NotifierCredentials?

  /// A new queue.
  public init(
    connection: Int64, server: SMPServerAddress, recipientID: EntityID, senderID: EntityID,
    key: AuthorizationPrivateKey,
    deliveryKey: BoxKey, privateKey: X25519.PrivateKey, mode: QueueMode?, clientVersion: UInt16, isSubscribed: Bool
  ) {
    self.connection = connection
    self.server = server
    self.recipientID = recipientID
    self.senderID = senderID
    self.key = key
    self.deliveryKey = deliveryKey
    self.privateKey = privateKey
    self.mode = mode
    self.clientVersion = clientVersion
    self.isSubscribed = isSubscribed
  }
}

/// What the owner of a short link keeps.
public struct LinkCredentials: Sendable {
  /// The link's identifier at the relay.
  public var linkID: EntityID
  /// The link's key.
  public var linkKey: [UInt8]
  /// What signs its data.
  public var signingKey: Ed25519.PrivateKey
  /// The encrypted data that never changes.
  public var fixedData: [UInt8]

  /// A value of its members.
  public init(linkID: EntityID, linkKey: [UInt8], signingKey: Ed25519.PrivateKey, fixedData: [UInt8]) {
    self.linkID = linkID
    self.linkKey = linkKey
    self.signingKey = signingKey
    self.fixedData = fixedData
  }

  static let codec = Codec<LinkCredentials>(
    decode: { (reader) throws(WireError) -> LinkCredentials in
      let linkID = try EntityID.codec.decode(&reader)
      let linkKey = try Codec<[UInt8]>.short.decode(&reader)
      guard let key = Ed25519.PrivateKey(storedPair: try reader.span(64)) else {
        throw reader.failure(.expected("a key"))
      }
      return LinkCredentials(
        linkID: linkID, linkKey: linkKey, signingKey: key, fixedData: try Codec<[UInt8]>.tail.decode(&reader))
    },
    encode: { (link, writer) throws(WireError) in
      try EntityID.codec.encode(link.linkID, &writer)
      try Codec<[UInt8]>.short.encode(link.linkKey, &writer)
      writer.append(link.signingKey.storedPair.bytes)
      writer.append(link.fixedData)
    })
}

/// What the recipient keeps of a queue's notifier.
public struct NotifierCredentials: Sendable {
  /// The notifier's identifier.
  public var notifierID: EntityID
  /// What authorizes the notifier's commands.
  public var key: Ed25519.PrivateKey
  /// The key of the boxes of the notifications' metadata.
  public var boxKey: BoxKey

  /// A value of its members.
  public init(notifierID: EntityID, key: Ed25519.PrivateKey, boxKey: BoxKey) {
    self.notifierID = notifierID
    self.key = key
    self.boxKey = boxKey
  }

  static let codec = Codec<NotifierCredentials>(
    decode: { (reader) throws(WireError) -> NotifierCredentials in
      let notifierID = try EntityID.codec.decode(&reader)
      guard let key = Ed25519.PrivateKey(storedPair: try reader.span(64)),
        let boxKey = try? BoxKey(SecretBytes(copying: try reader.span(BoxKey.size)))
      else { throw reader.failure(.expected("keys")) }
      return NotifierCredentials(notifierID: notifierID, key: key, boxKey: boxKey)
    },
    encode: { (notifier, writer) throws(WireError) in
      try EntityID.codec.encode(notifier.notifierID, &writer)
      writer.append(notifier.key.storedPair.bytes)
      writer.append(notifier.boxKey.secret.bytes)
    })
}

extension AgentDatabase {
  private func receiveQueue(
    _ row: borrowing SQLiteRow, from first: Int = 0
  ) throws(SQLiteError) -> ReceiveQueue {
    var queue = ReceiveQueue(
      connection: try row.integer(first + 1), server: try server(try row.integer(first + 2)),
      recipientID: EntityID(try row.bytes(first + 3)), senderID: EntityID(try row.bytes(first + 4)),
      key: try row.authorizationKey(first + 5), deliveryKey: try row.boxKey(first + 6),
      privateKey: try row.x25519Key(first + 7), mode: try row.queueMode(first + 9),
      clientVersion: try row.version(first + 10), isSubscribed: try row.bool(first + 16))
    queue.number = try row.integer(first)
    queue.sharedKey = row.isNull(first + 8) ? nil : try row.boxKey(first + 8)
    queue.status = try row.value(first + 11)
    queue.isPrimary = try row.bool(first + 12)
    queue.replaces = try row.optionalInteger(first + 13)
    queue.switchStatus = try row.optionalValue(first + 14)
    queue.isDeleted = try row.bool(first + 15)
    queue.lastRelayID = try row.optionalBytes(first + 17)
    queue.lastMessage = try row.optionalInteger(first + 18)
    queue.lastReceivedAt = try row.optionalInteger(first + 19)
    if let link = try row.optionalSecret(first + 20) {
      queue.link = try readStored { () throws(WireError) in try LinkCredentials.codec.decodeAll(link.bytes) }
    }
    if let notifier = try row.optionalSecret(first + 21) {
      queue.notifier = try readStored { () throws(WireError) in
        try NotifierCredentials.codec.decodeAll(notifier.bytes)
      }
    }
    return queue
  }

  /// Stores a new queue and returns its number.
  public func insert(_ queue: ReceiveQueue) throws(SQLiteError) -> Int64 {
    let server = try number(of: queue.server)
    try database.execute(
      AgentSQL.insertReceiveQueue, queue.connection, server, queue.recipientID.bytes, queue.senderID.bytes,
      queue.key.stored, queue.deliveryKey.secret, queue.privateKey.storedPair, queue.sharedKey?.secret,
      queue.mode?.stored, Int64(queue.clientVersion), queue.status.rawValue, queue.isPrimary, queue.replaces,
      queue.isSubscribed, try queue.storedLink(), try queue.storedNotifier(),
      queue.notifier?.notifierID.bytes)
    return database.lastInsertedRow
  }

  /// The queue that a relay knows by this identifier, with its connection.
  public func receiveQueue(
    recipientID: EntityID, at server: SMPServerAddress
  ) throws(SQLiteError) -> (queue: ReceiveQueue, connection: StoredConnection)? {
    guard let number = try knownNumber(of: server) else { return nil }
    return try database.first(AgentSQL.receiveQueueByRecipient, recipientID.bytes, number) {
      (row) throws(SQLiteError) in
      (try receiveQueue(row), try row.connection(from: 22))
    }
  }

  /// The number of the queue that a relay knows by this identifier, and of its connection.
  public func receiveQueueNumber(
    recipientID: EntityID, at server: SMPServerAddress
  ) throws(SQLiteError) -> (queue: Int64, connection: Int64)? {
    guard let number = try knownNumber(of: server) else { return nil }
    return try database.first(AgentSQL.receiveQueueNumber, recipientID.bytes, number) { (row) throws(SQLiteError) in
      (try row.integer(0), try row.integer(1))
    }
  }

  /// The queue with a number.
  public func receiveQueue(number: Int64) throws(SQLiteError) -> ReceiveQueue? {
    try database.first(AgentSQL.receiveQueueByNumber, number) { (row) throws(SQLiteError) in try receiveQueue(row) }
  }

  /// The queues of a connection, the primary one first, without those that only wait to be deleted.
  public func receiveQueues(of connection: Int64) throws(SQLiteError) -> [ReceiveQueue] {
    try database.all(AgentSQL.receiveQueues, connection) { (row) throws(SQLiteError) in try receiveQueue(row) }
  }

  /// All queues of a connection.
  public func allReceiveQueues(of connection: Int64) throws(SQLiteError) -> [ReceiveQueue] {
    try database.all(AgentSQL.allReceiveQueues, connection) { (row) throws(SQLiteError) in try receiveQueue(row) }
  }

  /// Up to `limit` queues to subscribe after the one with this number, with the users and identifiers of their
  /// connections, and the number of the last of them; nil where there are no more. Queues that cannot be read are left
  /// out.
  public func queuesToSubscribe(
    after number: Int64, limit: Int
  ) throws(SQLiteError) -> (queues: [SubscribableQueue], last: Int64?) {
    var last: Int64?
    let queues = try database.all(AgentSQL.queuesToSubscribe, number, limit) {
      (row) throws(SQLiteError) -> SubscribableQueue? in
      let number = try row.integer(0)
      last = number
      do throws(SQLiteError) {
        return SubscribableQueue(
          number: number, connection: try row.integer(1), server: try server(try row.integer(2)),
          recipientID: EntityID(try row.bytes(3)), key: try row.authorizationKey(4),
          user: UserID(rawValue: try row.integer(5)), connectionID: ConnectionID(try row.bytes(6)))
      } catch {
        note(.receiveQueue(number), error.description)
        return nil
      }
    }
    return (queues.compactMap { $0 }, last)
  }

  /// Stores what can change of a queue while it is established.
  public func update(_ queue: ReceiveQueue) throws(SQLiteError) {
    try database.execute(
      AgentSQL.updateReceiveQueue, queue.number, queue.sharedKey?.secret, Int64(queue.clientVersion),
      queue.status.rawValue, queue.isPrimary, queue.replaces, queue.switchStatus?.rawValue, queue.isDeleted,
      queue.isSubscribed, try queue.storedLink(), try queue.storedNotifier(),
      queue.notifier?.notifierID.bytes)
  }

  /// Notes the message that was received last; `message` while the application has not acknowledged it.
  /// - Parameters:
  ///   - time: when it was received here, in milliseconds.
  ///   - relayTime: when the relay received it, in seconds, where that is known.
  public func setLastReceived(
    _ queue: Int64, relayID: [UInt8], message: Int64?, at time: Int64, relayTime: Int64? = nil
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.setLastReceived, queue, relayID, message, time, relayTime)
  }

  /// The application acknowledged the last message of a queue. False if it is not the last one.
  @discardableResult
  public func clearLastMessage(_ queue: Int64, message: Int64) throws(SQLiteError) -> Bool {
    try database.execute(AgentSQL.clearLastMessage, queue, message) == 1
  }

  /// Removes a queue.
  public func removeReceiveQueue(_ queue: Int64) throws(SQLiteError) {
    try setNotifications(ofQueue: queue, areWanted: false, at: 0)
    try database.execute("DELETE FROM receive_queues WHERE number = ?", queue)
  }
}

/// What is needed to subscribe to a queue.
public struct SubscribableQueue: Sendable {
  /// Its number.
  public var number: Int64
  /// Whose it is.
  public var connection: Int64
  /// Where it is.
  public var server: SMPServerAddress
  /// The recipient's identifier.
  public var recipientID: EntityID
  /// What authorizes the recipient's commands.
  public var key: AuthorizationPrivateKey
  /// Whose connection it is.
  public var user: UserID
  /// The identifier of the connection.
  public var connectionID: ConnectionID
}

extension ReceiveQueue {
  fileprivate func storedLink() throws(SQLiteError) -> SecretBytes? {
    guard let link else { return nil }
    return SecretBytes(try stored { () throws(WireError) in try LinkCredentials.codec.encode(link) })
  }

  fileprivate func storedNotifier() throws(SQLiteError) -> SecretBytes? {
    guard let notifier else { return nil }
    return SecretBytes(try stored { () throws(WireError) in try NotifierCredentials.codec.encode(notifier) })
  }
}
