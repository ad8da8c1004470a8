import SimplexCrypto
import SimplexJSON
import WireCodec

/// The fingerprint of the certificate of a side's authority: SHA-256 of its DER form, 32 bytes. A controller has an
/// authority for each host and a host has one for each controller, so it identifies a pairing.
public struct CertificateFingerprint: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 32

  /// The digest.
  public let bytes: [UInt8]

  /// A fingerprint; nil unless there are 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// The fingerprint of a certificate.
  public init(ofCertificate der: [UInt8]) { bytes = HashFunction.sha256.digest(of: der) }

  /// The digest in base64url.
  public static let textCodec = Codec<[UInt8]>.base64url.compactMap(
    "a fingerprint of 32 bytes", { CertificateFingerprint($0) }, \.bytes)
}

extension CertificateFingerprint: CustomStringConvertible, JSONDecodable, JSONEncodable {
  /// The digest in base64url, with padding.
  public var description: String { Base64URL.string(bytes) }

  /// Reads the text.
  public init(json: JSONNode) throws(JSONError) {
    guard let value = Base64URL.decode(try json.string()).flatMap({ CertificateFingerprint($0) }) else {
      throw JSONError(.invalidText(type: "KeyHash"))
    }
    self = value
  }

  /// Writes the text.
  public func encode(to json: inout JSONWriter) { json.string(description) }
}
