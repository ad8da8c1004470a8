import SimplexCrypto
import WireCodec

// Keys of members as JSON and the database have them.

extension PublicKey {
  /// The key of a base64url text of the DER form; nil for a text that is none.
  public init?(text: String) {
    guard let key = try? Self.textCodec.decode(text: text) else { return nil }
    self = key
  }

  /// The DER form in base64url.
  public var text: String { Base64URL.string(der) }
}
