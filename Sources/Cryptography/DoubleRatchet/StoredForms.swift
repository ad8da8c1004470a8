import SNTRUP761
import SimplexCrypto
import WireCodec

/// A value that is stored in a compact form of our own, secret throughout.
public protocol StoredSecret: Sendable {
  /// The fields of format 1.
  static var storedCodec: Codec<Self> { get }
  /// An upper bound of the size in bytes. It has to suffice: a buffer that grows leaves copies of secrets behind.
  var storedCapacity: Int { get }
}

extension StoredSecret {
  /// The stored form.
  /// - Throws: an error for a value that operations cannot produce, such as one that was read from a foreign archive.
  public func encoded() throws(WireError) -> SecretBytes {
    var bytes = try Self.format.encode(self, capacity: storedCapacity)
    defer { bytes.withUnsafeMutableBytes { wipe($0) } }
    return SecretBytes(copying: bytes.span.bytes)
  }

  /// Reads the stored form.
  /// - Throws: an error for anything that ``encoded()`` would not have written.
  public init(decoding bytes: RawSpan) throws(WireError) {
    self = try Self.format.decodeAll(bytes)
  }

  /// The form with the number of the format before it.
  private static var format: Codec<Self> { storedCodec.after("\u{1}") }
}

extension Ratchet: StoredSecret {
  /// 473 bytes after the first messages, 3278 with post-quantum keys.
  public var storedCapacity: Int { 4096 }

  /// The properties in order.
  public static let storedCodec = Codec<Ratchet>.record(
    Field("versions", \.versions, RatchetVersions.codec),
    Field("associatedData", \.associatedData, .short),
    Field("supportsPQ", \.supportsPQ, .bool),
    Field("enablesPQ", \.enablesPQ, .bool),
    Field("sendsPQ", \.sendsPQ, .bool),
    Field("receivesPQ", \.receivesPQ, .bool),
    Field("sentCount", \.sentCount, .integer),
    Field("receivedCount", \.receivedCount, .integer),
    Field("previousSentCount", \.previousSentCount, .integer),
    Field("rootKey", \.rootKey, .secret(KeyDerivation.keySize)),
    Field("ownKey", \.ownKey, .keyPair),
    Field("sending", \.sending, Chain.codec.optional),
    Field("receiving", \.receiving, Chain.codec.optional),
    Field("nextSendingHeaderKey", \.nextSendingHeaderKey, .secret(KeyDerivation.keySize)),
    Field("nextReceivingHeaderKey", \.nextReceivingHeaderKey, .secret(KeyDerivation.keySize)),
    Field("kem", \.kem, KEMState.codec.optional),
    build: Ratchet.init)
}

extension RatchetVersions {
  fileprivate static let codec = Codec<RatchetVersions>.record(
    Field("current", \.current, .integer), Field("maximum", \.maximum, .integer),
    build: { RatchetVersions(current: $0, maximum: $1) })
}

extension Chain {
  fileprivate static let codec = Codec<Chain>.record(
    Field("chainKey", \.chainKey, .secret(KeyDerivation.keySize)),
    Field("headerKey", \.headerKey, .secret(KeyDerivation.keySize)),
    build: { Chain(chainKey: $0, headerKey: $1) })
}

extension KEMState {
  fileprivate static let codec = Codec<KEMState>.record(
    Field("secretKey", \.secretKey, .storedKEMKey), Field("ciphertext", \.ciphertext, KEMCiphertext.codec.optional),
    build: { KEMState(secretKey: $0, ciphertext: $1) })
}

extension Codec where Value == X448.PrivateKey {
  /// The private and the public key, which would cost a scalar multiplication to compute.
  fileprivate static let keyPair = Codec(
    decode: { (reader) throws(WireError) -> X448.PrivateKey in
      let size = KeyAlgorithmIdentifier.x448.privateKeySize
      let secret = SecretBytes(copying: try reader.span(size))
      guard let publicKey = try? X448.PublicKey(rawBytes: try reader.span(size)),
        let key = try? X448.PrivateKey(secret: secret, publicKey: publicKey)
      else { throw reader.failure(.expected("an X448 key pair")) }
      return key
    },
    encode: { (key, writer) throws(WireError) in
      writer.append(key.secret.bytes)
      writer.append(key.publicKey.rawBytes)
    })
}

extension Codec where Value == KEMSecretKey {
  /// The 1763 bytes, which contain the public key.
  fileprivate static let storedKEMKey = Codec<SecretBytes>.secret(KEMSecretKey.byteCount).compactMap(
    "an sntrup761 secret key", { try? KEMSecretKey(secret: $0) }, \.secret)
}

extension E2EPrivateKeys: StoredSecret {
  /// 226 bytes, 4.3 KB with a KEM.
  public var storedCapacity: Int { 4608 }

  /// Both key pairs, and the KEM.
  public static let storedCodec = Codec<E2EPrivateKeys>.record(
    Field("key1", \.key1, .keyPair), Field("key2", \.key2, .keyPair),
    Field("kem", \.kem, PrivateKEMParameters.codec.optional),
    build: { E2EPrivateKeys(key1: $0, key2: $1, kem: $2) })
}

extension SkippedKeys: StoredSecret {
  /// 36 bytes for each chain and 52 for each key. Stores that keep each key separately use ``Change`` instead.
  public var storedCapacity: Int { chains.reduce(1) { $0 + 36 + $1.keys.count * (4 + MessageKey.size) } }

  /// Each chain as header key, count (4 bytes) and the numbers (4 bytes) with their keys, in order.
  public static let storedCodec = Codec<SkippedKeys>(
    decode: { (reader) throws(WireError) -> SkippedKeys in
      var chains: [Chain] = []
      while !reader.isAtEnd { chains.append(try Chain.codec.decode(&reader)) }
      let skipped = SkippedKeys(chains)
      guard skipped.chains == chains else { throw reader.failure(.expected("different chains with keys")) }
      return skipped
    },
    encode: { (skipped, writer) throws(WireError) in
      for chain in skipped.chains { try Chain.codec.encode(chain, &writer) }
    })
}

extension SkippedKeys.Chain {
  fileprivate static let codec = Codec<SkippedKeys.Chain>(
    decode: { (reader) throws(WireError) -> SkippedKeys.Chain in
      let headerKey = SecretBytes(copying: try reader.span(KeyDerivation.keySize))
      let count = try reader.integer(UInt32.self)
      var keys: [UInt32: MessageKey] = [:]
      var last: UInt32?
      for _ in 0..<count {
        let number = try reader.integer(UInt32.self)
        guard last.map({ $0 < number }) ?? true else { throw reader.failure(.expected("numbers in order")) }
        keys[number] = MessageKey(unchecked: SecretBytes(copying: try reader.span(MessageKey.size)))
        last = number
      }
      return SkippedKeys.Chain(headerKey: headerKey, keys: keys)
    },
    encode: { (chain, writer) throws(WireError) in
      writer.append(chain.headerKey.bytes)
      writer.append(integer: UInt32(chain.keys.count))
      for (number, key) in chain.keys.sorted(by: { $0.key < $1.key }) {
        writer.append(integer: number)
        writer.append(key.secret.bytes)
      }
    })
}
