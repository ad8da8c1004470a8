import WireCodec

/// The role of a client with a service certificate. Source: simplex-messaging.md, "Transport handshake".
public enum ServiceRole: Hashable, Sendable, CaseIterable {
  /// Receives and sends messages.
  case messaging
  /// Passes notifications on.
  case notifier
  /// Forwards commands to other relays.
  case proxy

  /// The letter that stands for it on the wire and in stores: `M`, `N` or `P`.
  public var letter: UInt8 {
    switch self {
    case .messaging: UInt8(ascii: "M")
    case .notifier: UInt8(ascii: "N")
    case .proxy: UInt8(ascii: "P")
    }
  }

  /// The role that a letter stands for; nil for any other letter.
  public init?(letter: UInt8) {
    guard let role = Self.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = role
  }

  /// `M`, `N` or `P`.
  public static let codec = Codec<UInt8>.integer.compactMap(
    "a service role", { ServiceRole(letter: $0) }, { $0.letter })
}
