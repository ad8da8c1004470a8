import WireCodec

/// The confirmation that a message was received, from version 4 (``AgentVersion/receipts``) on.
public struct MessageReceipt: Hashable, Sendable {
  /// The number that the message's sender assigned.
  public var messageID: Int64
  /// SHA-256 of the received agent message: the sender compares it with what it sent.
  public var messageHash: [UInt8]
  /// Information of the client; usually empty.
  public var info: [UInt8]

  /// A receipt.
  public init(messageID: Int64, messageHash: [UInt8], info: [UInt8] = []) {
    self.messageID = messageID
    self.messageHash = messageHash
    self.info = info
  }

  /// Number (8 bytes), hash, and information with a 2-byte length.
  public static let codec = Codec<MessageReceipt>.record(
    Field("messageID", \.messageID, .integer), Field("messageHash", \.messageHash, .short),
    Field("info", \.info, .large), build: { MessageReceipt(messageID: $0, messageHash: $1, info: $2) })
}
