import WireCodec

/// What a client with a service certificate is. Source: simplex-messaging.md, "Transport handshake".
public enum ServiceRole: Hashable, Sendable, CaseIterable {
  /// Receives and sends messages.
  case messaging
  /// Passes notifications on.
  case notifier
  /// Forwards commands to other relays.
  case proxy

  /// `M`, `N` or `P`.
  public static let codec = Codec<ServiceRole>.tagged(
    "a service role", Alternative("M", .messaging), Alternative("N", .notifier), Alternative("P", .proxy))
}
