import SimplexCrypto
import WireCodec

/// The parameters of NMSG: that a queue has a message. Source: simplex-messaging.md, "Message notification".
public struct NotificationMessage: Hashable, Sendable {
  /// The nonce of the box.
  public var nonce: BoxNonce
  /// The box of a ``NotificationMetadata``, with the key between recipient and relay.
  public var box: [UInt8]

  public init(nonce: BoxNonce, box: [UInt8]) {
    self.nonce = nonce
    self.box = box
  }

  static let codec = Codec<NotificationMessage>.record(
    Field("nonce", \.nonce, BoxNonce.codec), Field("box", \.box, .short),
    build: { NotificationMessage(nonce: $0, box: $1) })
}

extension BrokerMessage {
  static let nmsgForm = MessageForm<BrokerMessage>(
    "NMSG", (), .response, NotificationMessage.codec, { .nmsg($0) },
    { if case .nmsg(let message) = $0 { message } else { nil } })
}
