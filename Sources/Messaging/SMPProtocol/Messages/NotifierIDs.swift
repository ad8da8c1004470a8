import SimplexCrypto
import WireCodec

/// The parameters of NID: identifier and key of a queue's notifier. Source: simplex-messaging.md, "Notifier queue ID
/// response".
public struct NotifierIDs: Hashable, Sendable {
  /// The queue as the notifier knows it.
  public var notifierID: EntityID
  /// The relay's key for the box of the notifications' metadata.
  public var serverDHKey: X25519.PublicKey

  public init(notifierID: EntityID, serverDHKey: X25519.PublicKey) {
    self.notifierID = notifierID
    self.serverDHKey = serverDHKey
  }

  static let codec = Codec<NotifierIDs>.record(
    Field("notifierID", \.notifierID, EntityID.codec), Field("serverDHKey", \.serverDHKey, X25519.PublicKey.codec),
    build: { NotifierIDs(notifierID: $0, serverDHKey: $1) })
}

extension BrokerMessage {
  static let nidForm = MessageForm<BrokerMessage>(
    "NID", (), .response, NotifierIDs.codec, { .nid($0) }, { if case .nid(let ids) = $0 { ids } else { nil } })
}
