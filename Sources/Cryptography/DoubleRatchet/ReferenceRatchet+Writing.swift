import SNTRUP761
import SimplexCrypto
import SimplexJSON
import WireCodec

// The forms of the reference implementation, for profiles that go back to it.

extension Ratchet {
  /// The JSON of a ratchet as the reference implementation stores it; secret.
  ///
  /// It has three values that it reads and never uses, and that we do not keep: the peer's key of the last step
  /// (`rcDHRr`) and KEM key (`rcPQRr`), for which it gets the own public keys, and the secret that was encapsulated
  /// (`rcPQRss`), for which it gets zeroes.
  public func referenceJSON() -> SecretBytes {
    var members: [(String, String)] = [
      ("rcVersion", "[\(versions.current),\(versions.maximum)]"), ("rcAD", Self.quoted(associatedData)),
      ("rcDHRs", Self.quoted(Base64URL.encode(Self.bytes(ownKey.der)))),
    ]
    if let kem { members.append(("rcKEM", Self.kem(kem))) }
    members += [
      ("rcSupportKEM", "\(supportsPQ)"), ("rcEnableKEM", "\(enablesPQ)"), ("rcSndKEM", "\(sendsPQ)"),
      ("rcRcvKEM", "\(receivesPQ)"), ("rcRK", Self.quoted(rootKey)),
    ]
    if let sending {
      members.append(
        (
          "rcSnd",
          Self.object([
            ("rcDHRr", Self.quoted(ownKey.publicKey.der)), ("rcCKs", Self.quoted(sending.chainKey)),
            ("rcHKs", Self.quoted(sending.headerKey)),
          ])
        ))
    }
    if let receiving {
      members.append(
        (
          "rcRcv",
          Self.object([("rcCKr", Self.quoted(receiving.chainKey)), ("rcHKr", Self.quoted(receiving.headerKey))])
        ))
    }
    members += [
      ("rcNs", "\(sentCount)"), ("rcNr", "\(receivedCount)"), ("rcPN", "\(previousSentCount)"),
      ("rcNHKs", Self.quoted(nextSendingHeaderKey)), ("rcNHKr", Self.quoted(nextReceivingHeaderKey)),
    ]
    var json = Array(Self.object(members).utf8)
    defer { json.withUnsafeMutableBytes { wipe($0) } }
    return SecretBytes(copying: json.span.bytes)
  }

  private static func kem(_ kem: KEMState) -> String {
    let publicKey = quoted(kem.secretKey.publicKey.rawBytes)
    var members = [("rcPQRs", "[\(publicKey),\(quoted(kem.secretKey.secret))]")]
    if let ciphertext = kem.ciphertext {
      let unused = [UInt8](repeating: 0, count: KEMSharedSecret.byteCount)
      members.append(
        (
          "rcKEMs",
          object([("rcPQRr", publicKey), ("rcPQRss", quoted(unused)), ("rcPQRct", quoted(ciphertext.rawBytes))])
        ))
    }
    return object(members)
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func quoted(_ bytes: [UInt8]) -> String { "\"\(Base64URL.string(bytes))\"" }
  private static func quoted(_ secret: SecretBytes) -> String { quoted(bytes(secret)) }
  private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
}

extension MessageKey {
  /// The key of a skipped message as the reference implementation stores it; see ``init(reference:)``.
  public func referenceForm() throws(WireError) -> SecretBytes {
    SecretBytes(try Self.referenceCodec.encode(self, capacity: Self.size + 2))
  }
}

extension E2EPrivateKeys {
  /// The keys of an invitation as the reference implementation stores them; see ``init(reference:_:kem:)``. The KEM key
  /// is nil where there is none, or where it answers another one.
  public var referenceForm: (key1: SecretBytes, key2: SecretBytes, kem: SecretBytes?) {
    guard case .proposed(let key)? = kem else { return (key1.der, key2.der, nil) }
    func sized(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
    let secret = key.secret.withUnsafeBytes { Array($0) }
    let form = [UInt8(ascii: "P")] + sized(key.publicKey.rawBytes) + sized(secret)
    return (key1.der, key2.der, SecretBytes(form))
  }
}
