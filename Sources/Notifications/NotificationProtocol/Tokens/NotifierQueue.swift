import SMPProtocol
import WireCodec

/// A queue as its notifier knows it. Source: push-notifications.md, "NTF protocol".
public struct NotifierQueue: Hashable, Sendable {
  /// The relay. Of public relays with a single host also their second one, as clients of old versions know only one.
  public var relay: SMPServerAddress
  /// The notifier of the queue.
  public var notifier: EntityID

  public init(relay: SMPServerAddress, notifier: EntityID) {
    self.relay = relay
    self.notifier = notifier
  }

  /// Relay and notifier.
  public static let codec = Codec<NotifierQueue>.record(
    Field("relay", \.relay, SMPServerAddress.codec.withLegacyHosts),
    Field("notifier", \.notifier, EntityID.codec), build: { NotifierQueue(relay: $0, notifier: $1) })

  /// `smp://fingerprint@host/notifier`.
  public static let textCodec: Codec<NotifierQueue> = SMPServerAddress.textCodec.withLegacyHosts.pair(
    EntityID.textCodec, separator: "/"
  ).map({ NotifierQueue(relay: $0, notifier: $1) }, { ($0.relay, $0.notifier) })
}

extension Codec where Value == SMPServerAddress {
  /// The relay with the hosts that are known of it.
  fileprivate var withLegacyHosts: Codec { map({ $0.withLegacyHosts }, { $0 }) }
}
