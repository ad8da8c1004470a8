import SMPProtocol
import WireCodec

/// What the ratchet of a connection encrypts. Source: agent-protocol.md, "Decrypted SMP agent messages".
public enum AgentMessage: Hashable, Sendable {
  /// The initiating side's information, in its confirmation to the reply queue.
  case connectionInfo([UInt8])
  /// The joining side's reply queues (at least one) and information, in its confirmation.
  case connectionInfoReply(queues: [QueueInfoAddress], info: [UInt8])
  /// Information that goes with a new ratchet key.
  case ratchetInfo([UInt8])
  /// A message of an established connection.
  case message(MessageHeader, ConnectionMessage)

  /// One letter and the content.
  public static let codec = Codec<AgentMessage>.tagged(
    "an agent message",
    Alternative("I", .tail, { .connectionInfo($0) }) { if case .connectionInfo(let info) = $0 { info } else { nil } },
    Alternative(
      "D", QueueInfoAddress.codec.nonEmptyList.pair(.tail, separator: ""),
      { .connectionInfoReply(queues: $0.0, info: $0.1) },
      { if case .connectionInfoReply(let queues, let info) = $0 { (queues, info) } else { nil } }),
    Alternative("R", .tail, { .ratchetInfo($0) }) { if case .ratchetInfo(let info) = $0 { info } else { nil } },
    Alternative(
      "M", MessageHeader.codec.pair(ConnectionMessage.codec, separator: ""), { .message($0.0, $0.1) },
      { if case .message(let header, let message) = $0 { (header, message) } else { nil } }))
}

/// What every message of a connection begins with, so that its receiver notices lost and repeated ones.
public struct MessageHeader: Hashable, Sendable {
  /// The number of the message, counted by its sender from 1.
  public var messageID: Int64
  /// SHA-256 of the sender's previous agent message; empty for the first.
  public var previousHash: [UInt8]

  /// A header.
  public init(messageID: Int64, previousHash: [UInt8]) {
    self.messageID = messageID
    self.previousHash = previousHash
  }

  /// Number (8 bytes) and hash.
  public static let codec = Codec<MessageHeader>.record(
    Field("messageID", \.messageID, .integer), Field("previousHash", \.previousHash, .short),
    build: { MessageHeader(messageID: $0, previousHash: $1) })
}

/// A message of an established connection.
public enum ConnectionMessage: Hashable, Sendable {
  /// The first message of each side: the queue works.
  case hello
  /// What the client sends.
  case message([UInt8])
  /// Messages were received (at least one).
  case received([MessageReceipt])
  /// The queue with this address has room again after it was full.
  case continueQueue(QueueReference)
  /// Queues to add (at least one), each with the address of the queue it replaces.
  case addQueues([QueueAddition])
  /// Keys that secure the added queues (at least one).
  case queueKeys([QueueKey])
  /// The added queues are ready for use (at least one).
  case useQueues([QueueUse])
  /// Tests added queues (at least one); the receiver then switches.
  case testQueues([QueueReference])
  /// The new ratchet works; with the number of the peer's last message that was decrypted with the old one.
  case ratchetReady(lastDecryptedMessageID: Int64)

  /// One or two letters and the content.
  public static let codec = Codec<ConnectionMessage>.tagged(
    "a message of a connection",
    Alternative("H", .hello),
    Alternative("M", .tail, { .message($0) }) { if case .message(let body) = $0 { body } else { nil } },
    Alternative(
      "V", MessageReceipt.codec.nonEmptyList, { .received($0) },
      { if case .received(let receipts) = $0 { receipts } else { nil } }),
    Alternative(
      "QC", QueueReference.codec, { .continueQueue($0) },
      { if case .continueQueue(let address) = $0 { address } else { nil } }),
    Alternative(
      "QA", QueueAddition.codec.nonEmptyList, { .addQueues($0) },
      { if case .addQueues(let queues) = $0 { queues } else { nil } }),
    Alternative(
      "QK", QueueKey.codec.nonEmptyList, { .queueKeys($0) },
      { if case .queueKeys(let keys) = $0 { keys } else { nil } }),
    Alternative(
      "QU", QueueUse.codec.nonEmptyList, { .useQueues($0) },
      { if case .useQueues(let queues) = $0 { queues } else { nil } }),
    Alternative(
      "QT", QueueReference.codec.nonEmptyList, { .testQueues($0) },
      { if case .testQueues(let queues) = $0 { queues } else { nil } }),
    Alternative(
      "E", .integer, { .ratchetReady(lastDecryptedMessageID: $0) },
      { if case .ratchetReady(let number) = $0 { number } else { nil } }))
}
