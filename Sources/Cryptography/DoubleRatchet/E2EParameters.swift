import SNTRUP761
import SimplexCrypto
import WireCodec

/// The public keys with which a side starts or joins a ratchet, in the negotiated version.
///
/// The joining side sends this in its confirmation.
public struct E2EParameters: Hashable, Sendable {
  /// The version of the ratchet.
  public var version: UInt16
  /// The first key of X3DH.
  public var key1: X448.PublicKey
  /// The second key of X3DH; for the inviting side also the first key of the ratchet.
  public var key2: X448.PublicKey
  /// The proposed or accepted KEM; nil below version 3.
  public var kem: KEMParameters?

  public init(version: UInt16, key1: X448.PublicKey, key2: X448.PublicKey, kem: KEMParameters? = nil) {
    self.version = version
    self.key1 = key1
    self.key2 = key2
    self.kem = kem
  }

  /// Version (2 bytes), two keys, and from version 3 on the optional KEM.
  public static let codec = Codec<E2EParameters>(
    decode: { (reader) throws(WireError) -> E2EParameters in
      let version = try reader.integer(UInt16.self)
      let keys = try Codec.keyPair.decode(&reader)
      let kem = version >= E2EVersion.postQuantum ? try KEMParameters.codec.optional.decode(&reader) : nil
      return E2EParameters(version: version, key1: keys.0, key2: keys.1, kem: kem)
    },
    encode: { (parameters, writer) throws(WireError) in
      writer.append(integer: parameters.version)
      try Codec.keyPair.encode((parameters.key1, parameters.key2), &writer)
      if parameters.version >= E2EVersion.postQuantum {
        try KEMParameters.codec.optional.encode(parameters.kem, &writer)
      }
    })
}

/// The public keys of an invitation, for every version that the inviting side supports.
public struct E2EOffer: Hashable, Sendable {
  /// The supported versions of the ratchet.
  public var versions: VersionRange
  /// The first key of X3DH.
  public var key1: X448.PublicKey
  /// The second key of X3DH and first key of the ratchet.
  public var key2: X448.PublicKey
  /// The proposed KEM key. (`accepted` is possible on the wire but invalid here: joining refuses it.)
  public var kem: KEMParameters?

  public init(versions: VersionRange, key1: X448.PublicKey, key2: X448.PublicKey, kem: KEMParameters? = nil) {
    self.versions = versions
    self.key1 = key1
    self.key2 = key2
    self.kem = kem
  }

  /// The offer of the keys in `parameters`.
  public init(_ parameters: E2EParameters, versions: VersionRange) {
    self.init(versions: versions, key1: parameters.key1, key2: parameters.key2, kem: parameters.kem)
  }

  /// The parameters in the highest version both sides support; nil where there is none.
  public func parameters(for supported: VersionRange = E2EVersion.supported) -> E2EParameters? {
    guard let version = versions.intersection(supported)?.highest else { return nil }
    return E2EParameters(version: version, key1: key1, key2: key2, kem: kem)
  }

  /// The binary form: version range, two keys, optional KEM (in every version).
  public static let codec = Codec<E2EOffer>.record(
    Field("versions", \.versions, VersionRange.codec), Field("keys", { ($0.key1, $0.key2) }, .keyPair),
    Field("kem", \.kem, KEMParameters.codec.optional),
    build: { E2EOffer(versions: $0, key1: $1.0, key2: $1.1, kem: $2) })

  /// The form in links: the parameters `v`, `x3dh`, and from version 3 on `kem_ct` and `kem_key`.
  ///
  /// It is written without percent-encoding, since links encode it as a whole; reading accepts both. Unknown parameters
  /// are ignored.
  public static let textCodec = Codec<E2EOffer>(
    decode: { (reader) throws(WireError) -> E2EOffer in
      let query = try QueryString.codec.decode(&reader)
      let versions = try query.required("v", VersionRange.textCodec)
      let keys = try query.required("x3dh", Codec.textKeyPair)
      var kem: KEMParameters?
      if versions.highest >= E2EVersion.postQuantum, let key = try query.value("kem_key", KEMPublicKey.textCodec) {
        let ciphertext = try query.value("kem_ct", KEMCiphertext.textCodec)
        kem = ciphertext.map { .accepted($0, key) } ?? .proposed(key)
      }
      return E2EOffer(versions: versions, key1: keys.0, key2: keys.1, kem: kem)
    },
    encode: { (offer, writer) throws(WireError) in
      try VersionRange.textCodec.after("v=").encode(offer.versions, &writer)
      try Codec.textKeyPair.after("&x3dh=").encode((offer.key1, offer.key2), &writer)
      guard offer.versions.highest >= E2EVersion.postQuantum, let kem = offer.kem else { return }
      if case .accepted(let ciphertext, _) = kem {
        try KEMCiphertext.textCodec.after("&kem_ct=").encode(ciphertext, &writer)
      }
      try KEMPublicKey.textCodec.after("&kem_key=").encode(kem.publicKey, &writer)
    })
}

extension Codec where Value == X448.PublicKey {
  /// SubjectPublicKeyInfo after a 1-byte length.
  static let der = Codec<[UInt8]>.short.x448Key
}

extension Codec where Value == (X448.PublicKey, X448.PublicKey) {
  static var keyPair: Codec { Codec<X448.PublicKey>.der.pair(.der, separator: "") }
  static var textKeyPair: Codec {
    Codec<[UInt8]>.base64url.x448Key.pair(Codec<[UInt8]>.base64url.x448Key, separator: ",")
  }
}

extension Codec where Value == [UInt8] {
  fileprivate var x448Key: Codec<X448.PublicKey> {
    compactMap("an X448 public key", { try? X448.PublicKey(der: $0.span.bytes) }, \.der)
  }
}
