import WireCodec

/// Versions of the end-to-end encryption (`e2e` version of the agent protocol).
public enum E2EVersion {
  /// Keys are agreed by X3DH with a key derivation function; the oldest supported version.
  public static let keyDerivation: UInt16 = 2
  /// Headers can carry the keys of the post-quantum KEM.
  public static let postQuantum: UInt16 = 3
  /// The version used where the peer supports it.
  public static let current = postQuantum
  /// The versions this implementation speaks.
  public static let supported = VersionRange(keyDerivation...current)
}

/// The version that a ratchet uses, and the highest one it could use.
public struct RatchetVersions: Hashable, Sendable {
  /// The version of the messages sent now. It rises when the peer announces a higher one, and never falls.
  public var current: UInt16
  /// The highest version this side announces to the peer.
  public var maximum: UInt16

  public init(current: UInt16, maximum: UInt16 = E2EVersion.current) {
    self.current = current
    self.maximum = maximum
  }

  /// Adopts a higher version that the peer announced, as far as this side supports it.
  mutating func upgrade(to announced: UInt16) {
    current = max(current, min(announced, maximum))
  }
}
