import SNTRUP761
import SimplexCrypto
import SimplexJSON
import WireCodec

/// A ratchet as the reference implementation stores it in JSON: for importing its archives.
///
/// Not imported, because no operation reads them: the peer's key of the last step (`rcDHRr`), the peer's KEM key and
/// the secret encapsulated to it (`rcPQRr`, `rcPQRss`).
public struct ReferenceRatchet: JSONDecodable {
  /// The same state in our form.
  public let ratchet: Ratchet

  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let sending: SendingChain? = try fields.get("rcSnd")
    let receiving: ReceivingChain? = try fields.get("rcRcv")
    ratchet = Ratchet(
      versions: try fields.get("rcVersion", as: Versions.self).value,
      associatedData: try fields.get("rcAD", as: Base64.self).bytes,
      supportsPQ: try fields.get("rcSupportKEM", default: false),
      enablesPQ: try fields.get("rcEnableKEM", default: false),
      sendsPQ: try fields.get("rcSndKEM", default: false),
      receivesPQ: try fields.get("rcRcvKEM", default: false),
      sentCount: try fields.get("rcNs"),
      receivedCount: try fields.get("rcNr"),
      previousSentCount: try fields.get("rcPN"),
      rootKey: try fields.get("rcRK", as: Key.self).secret,
      ownKey: try fields.get("rcDHRs", as: PrivateKey.self).key,
      sending: sending?.chain,
      receiving: receiving?.chain,
      nextSendingHeaderKey: try fields.get("rcNHKs", as: Key.self).secret,
      nextReceivingHeaderKey: try fields.get("rcNHKr", as: Key.self).secret,
      kem: try fields.get("rcKEM", as: KEM?.self)?.state)
  }
}

extension MessageKey {
  /// The key of a skipped message as the reference implementation stores it: key and vector, each after its length in
  /// 1 byte.
  public init(reference bytes: RawSpan) throws(WireError) { self = try Self.referenceCodec.decodeAll(bytes) }
}

extension E2EPrivateKeys {
  /// The keys of an invitation as the reference implementation stores them: two private keys in PKCS#8 DER, and the KEM
  /// key that was proposed, as `P` with public and secret key, each after its length in 2 bytes.
  public init(reference key1: SecretBytes, _ key2: SecretBytes, kem: SecretBytes?) throws(WireError) {
    guard let key1 = try? X448.PrivateKey(der: key1.bytes), let key2 = try? X448.PrivateKey(der: key2.bytes) else {
      throw WireError(.expected("two X448 private keys"))
    }
    self.init(
      key1: key1, key2: key2, kem: try kem.map { (secret) throws(WireError) in try Self.referenceKEM(secret.bytes) })
  }

  private static func referenceKEM(_ bytes: RawSpan) throws(WireError) -> PrivateKEMParameters {
    var reader = Reader(bytes)
    guard try reader.integer(UInt8.self) == UInt8(ascii: "P") else { throw reader.failure(.expected("a KEM key")) }
    let publicKey = [UInt8](copying: try reader.span(Int(try reader.integer(UInt16.self))))
    let secret = SecretBytes(copying: try reader.span(Int(try reader.integer(UInt16.self))))
    guard reader.isAtEnd, let key = try? KEMSecretKey(secret: secret), key.publicKey.rawBytes == publicKey else {
      throw reader.failure(.expected("a KEM key pair"))
    }
    return .proposed(key)
  }
}

/// `[current, maxSupported]`, or an object with these members.
private struct Versions: JSONDecodable {
  let value: RatchetVersions

  init(json: JSONNode) throws(JSONError) {
    guard !json.isObject else {
      var fields = try json.fields()
      value = RatchetVersions(current: try fields.get("current"), maximum: try fields.get("maxSupported"))
      return
    }
    let versions = try json.array(of: UInt16.self)
    guard versions.count == 2 else { throw JSONError(.wrongType(expected: "two versions")) }
    value = RatchetVersions(current: versions[0], maximum: versions[1])
  }
}

private struct SendingChain: JSONDecodable {
  let chain: Chain

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chain = Chain(
      chainKey: try fields.get("rcCKs", as: Key.self).secret, headerKey: try fields.get("rcHKs", as: Key.self).secret)
  }
}

private struct ReceivingChain: JSONDecodable {
  let chain: Chain

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chain = Chain(
      chainKey: try fields.get("rcCKr", as: Key.self).secret, headerKey: try fields.get("rcHKr", as: Key.self).secret)
  }
}

private struct KEM: JSONDecodable {
  let state: KEMState

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let pair = try fields.get("rcPQRs", as: [Base64].self)
    let accepted: Accepted? = try fields.get("rcKEMs")
    guard pair.count == 2, let secretKey = try? KEMSecretKey(secret: SecretBytes(pair[1].bytes)),
      secretKey.publicKey.rawBytes == pair[0].bytes
    else { throw JSONError(.wrongType(expected: "a KEM key pair"), path: ["rcPQRs"]) }
    state = KEMState(secretKey: secretKey, ciphertext: accepted?.ciphertext)
  }

  struct Accepted: JSONDecodable {
    let ciphertext: KEMCiphertext

    init(json: JSONNode) throws(JSONError) {
      var fields = try json.fields()
      guard let ciphertext = try? KEMCiphertext(rawBytes: fields.get("rcPQRct", as: Base64.self).bytes) else {
        throw JSONError(.wrongType(expected: "a KEM ciphertext"), path: ["rcPQRct"])
      }
      self.ciphertext = ciphertext
    }
  }
}

/// 32 bytes as base64url.
private struct Key: JSONDecodable {
  let secret: SecretBytes

  init(json: JSONNode) throws(JSONError) {
    let bytes = try Base64(json: json).bytes
    guard bytes.count == KeyDerivation.keySize else { throw JSONError(.wrongType(expected: "a key of 32 bytes")) }
    secret = SecretBytes(bytes)
  }
}

/// A private key: base64url of the base64url of its PKCS#8 DER form.
private struct PrivateKey: JSONDecodable {
  let key: X448.PrivateKey

  init(json: JSONNode) throws(JSONError) {
    guard let der = Base64URL.decode(try Base64(json: json).bytes),
      let unpaired = try? X448.PrivateKey(der: der.span.bytes),
      let key = try? X448.PrivateKey(secret: unpaired.secret, publicKey: unpaired.publicKey)
    else { throw JSONError(.wrongType(expected: "an X448 private key")) }
    self.key = key
  }
}

/// Bytes as base64url.
private struct Base64: JSONDecodable {
  let bytes: [UInt8]

  init(json: JSONNode) throws(JSONError) {
    guard let bytes = Base64URL.decode(try json.string()) else {
      throw JSONError(.wrongType(expected: "base64url"))
    }
    self.bytes = bytes
  }
}
