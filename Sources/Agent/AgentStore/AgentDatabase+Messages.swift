import AgentCore
import SMPProtocol
import SQLiteKit
import WireCodec

/// A message that the application has not acknowledged.
public struct HeldMessage: Sendable {
  /// What is in it. The raw values are stored.
  public enum Kind: Int64, Sendable {
    /// A message of the application.
    case message = 0
    /// Receipts: number and intactness of each.
    case receipts = 1
    /// A message that was acknowledged, for which a receipt has still to be sent; its body is what the receipt says.
    case owedReceipt = 2
  }

  /// The queue it came from.
  public var queue: Int64
  /// What is known about it.
  public var metadata: MessageMetadata
  /// Whether its sender asked for a notification.
  public var flags: MessageFlags
  /// What is in it.
  public var kind: Kind
  /// The message, or the receipts.
  public var body: [UInt8]
  /// SHA-256 of the agent message, for a receipt.
  public var hash: [UInt8]
  /// How often it was delivered.
  public var attempts: Int64 = 1

  /// A message that was received.
  public init(
    queue: Int64, metadata: MessageMetadata, flags: MessageFlags, kind: Kind, body: [UInt8], hash: [UInt8]
  ) {
    self.queue = queue
    self.metadata = metadata
    self.flags = flags
    self.kind = kind
    self.body = body
    self.hash = hash
  }
}

/// What is remembered of a message that was sent, until a receipt comes.
public struct SentRecord: Sendable {
  /// The message.
  public var message: MessageReference
  /// SHA-256 of the agent message.
  public var hash: [UInt8]
  /// Whether a receipt came that matched.
  public var isReceived: Bool
}

extension AgentDatabase {
  /// How many hashes of a connection's last messages are kept.
  public static let hashCount: Int64 = 64

  /// Stores a message until the application acknowledges it.
  public func insert(_ message: HeldMessage, of connection: Int64) throws(SQLiteError) {
    let metadata = message.metadata
    let (integrity, from, to) = metadata.integrity.stored
    try database.execute(
      AgentSQL.insertReceived, connection, metadata.id.rawValue, message.queue, metadata.relayID.bytes,
      metadata.relayTime, metadata.receivedAt, metadata.senderNumber, integrity, from, to, metadata.pqEncryption,
      message.flags.notification, message.kind.rawValue, message.body, message.hash)
  }

  /// A message that was not acknowledged.
  public func receivedMessage(_ id: Int64, of connection: Int64) throws(SQLiteError) -> HeldMessage? {
    try database.first(AgentSQL.receivedMessage, connection, id) { (row) throws(SQLiteError) -> HeldMessage? in
      do throws(SQLiteError) { return try receivedMessage(id, row) } catch {
        note(.message(id, connection: connection), error.description)
        return nil
      }
    } ?? nil
  }

  private func receivedMessage(_ id: Int64, _ row: borrowing SQLiteRow) throws(SQLiteError) -> HeldMessage {
    guard
      let integrity = MessageIntegrity(
        stored: try row.integer(5), from: try row.integer(6), to: try row.integer(7))
    else { throw SQLiteError(.damaged, "the integrity of a message") }
    let metadata = MessageMetadata(
      id: AgentMessageID(rawValue: id), receivedAt: try row.integer(3), relayID: MessageID(try row.bytes(1)),
      relayTime: try row.integer(2), senderNumber: try row.integer(4), integrity: integrity,
      pqEncryption: try row.bool(8))
    var message = HeldMessage(
      queue: try row.integer(0), metadata: metadata, flags: MessageFlags(notification: try row.bool(9)),
      kind: try row.value(10), body: try row.bytes(11), hash: try row.bytes(12))
    message.attempts = try row.integer(13)
    return message
  }

  /// The messages that were not acknowledged, as connections and identifiers.
  public func unacknowledgedMessages() throws(SQLiteError) -> [(connection: Int64, id: Int64)] {
    try database.all(AgentSQL.unacknowledgedMessages) { (row) throws(SQLiteError) in
      (try row.integer(0), try row.integer(1))
    }
  }

  /// The messages that were set aside (``setAside(_:of:)``), as connections and identifiers.
  public func messagesAside() throws(SQLiteError) -> [(connection: Int64, id: Int64)] {
    try database.all(AgentSQL.messagesAside) { (row) throws(SQLiteError) in (try row.integer(0), try row.integer(1)) }
  }

  /// Sets a message aside that the application could not store: it stays until the application acknowledges it, and
  /// its queue does not wait for that.
  public func setAside(_ id: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.setMessageAside, connection, id)
  }

  /// Counts another delivery.
  public func countDelivery(_ id: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.countDelivery, connection, id)
  }

  /// The oldest message that was not acknowledged nor set aside, and since when.
  public func oldestUnacknowledged(of connection: Int64) throws(SQLiteError) -> (id: Int64, since: Int64)? {
    try database.first(AgentSQL.oldestUnacknowledged, connection) { (row) throws(SQLiteError) in
      (try row.integer(0), try row.integer(1))
    }
  }

  /// Removes a message.
  public func removeReceived(_ id: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteReceived, connection, id)
  }

  // MARK: Receipts that are owed

  /// A message was acknowledged, and its sender is to get a receipt with this information.
  public func oweReceipt(_ id: Int64, info: [UInt8], of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.oweReceipt, connection, id, info)
  }

  /// The first receipts that have still to be sent: the sender's number of a message, its hash, and information.
  public func owedReceipts(
    of connection: Int64, limit: Int64
  ) throws(SQLiteError) -> [(id: Int64, number: Int64, hash: [UInt8], info: [UInt8])] {
    try database.all(AgentSQL.owedReceipts, connection, limit) { (row) throws(SQLiteError) in
      (try row.integer(0), try row.integer(1), try row.bytes(2), try row.bytes(3))
    }
  }

  /// Receipts up to this message are sent.
  public func removeOwedReceipts(through id: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteOwedReceipts, connection, id)
  }

  /// The connections with receipts that have still to be sent.
  public func connectionsOwingReceipts() throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.connectionsOwingReceipts) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  // MARK: Duplicates

  /// Remembers a message by the hash of its ciphertext, in place of one that was received long before.
  public func noteReceived(hash: [UInt8], count: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.putReceivedHash, connection, count % Self.hashCount, hash)
  }

  /// Whether a message with this ciphertext was received lately.
  public func wasReceived(hash: [UInt8], of connection: Int64) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.receivedHash, connection, hash) { (_) in true } ?? false
  }

  // MARK: Sent

  /// Stores a message that was accepted for sending.
  public func insertSent(
    _ message: AcceptedMessage, key: Int64?, number: Int64, hash: [UInt8], at time: Int64, of connection: Int64
  ) throws(SQLiteError) {
    try database.execute(
      AgentSQL.insertSent, connection, number, message.id.rawValue, key, message.pqEncryption, hash, time)
  }

  /// The message that was accepted with this key.
  public func acceptedMessage(key: Int64, of connection: Int64) throws(SQLiteError) -> AcceptedMessage? {
    try database.first(AgentSQL.acceptedMessage, connection, key) { (row) throws(SQLiteError) in
      AcceptedMessage(id: AgentMessageID(rawValue: try row.integer(0)), pqEncryption: try row.bool(1))
    }
  }

  /// A message that was sent, by its sender's number.
  public func sentMessage(number: Int64, of connection: Int64) throws(SQLiteError) -> SentRecord? {
    try database.first(AgentSQL.sentMessage, connection, number) { (row) throws(SQLiteError) in
      SentRecord(
        message: MessageReference(
          id: AgentMessageID(rawValue: try row.integer(0)), key: try row.optionalInteger(1)),
        hash: try row.bytes(2), isReceived: try row.bool(3))
    }
  }

  /// A receipt came that matched.
  public func markReceived(number: Int64, of connection: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.markReceived, connection, number)
  }

  /// Forgets messages that were sent before this time.
  public func removeSent(before time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteOldSent, time)
  }

  /// Stores a body that several tasks have.
  public func insertBody(_ body: [UInt8]) throws(SQLiteError) -> Int64 {
    try database.execute("INSERT INTO message_bodies (body) VALUES (?)", body)
    return database.lastInsertedRow
  }

  /// A body that several tasks have.
  public func body(_ number: Int64) throws(SQLiteError) -> [UInt8]? {
    try database.first("SELECT body FROM message_bodies WHERE number = ?", number) { (row) throws(SQLiteError) in
      try row.bytes(0)
    }
  }

  /// Removes a body if no task has it any more.
  public func removeUnusedBody(_ number: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteUnusedBody, number)
  }
}

extension MessageIntegrity {
  var stored: (Int64, Int64, Int64) {
    switch self {
    case .ok: (0, 0, 0)
    case .skipped(let from, let to): (1, from, to)
    case .badID(let id): (2, id, 0)
    case .badHash: (3, 0, 0)
    case .duplicate: (4, 0, 0)
    }
  }

  init?(stored code: Int64, from: Int64, to: Int64) {
    switch code {
    case 0: self = .ok
    case 1: self = .skipped(from: from, to: to)
    case 2: self = .badID(from)
    case 3: self = .badHash
    case 4: self = .duplicate
    default: return nil
    }
  }
}

extension DeliveryReceipt {
  /// The body of ``HeldMessage/Kind/receipts``.
  public static let storedCodec = Codec<DeliveryReceipt>.record(
    Field("message", \.message, MessageReference.storedCodec), Field("isIntact", \.isIntact, .bool),
    build: { DeliveryReceipt(message: $0, isIntact: $1) }
  ).list
}
