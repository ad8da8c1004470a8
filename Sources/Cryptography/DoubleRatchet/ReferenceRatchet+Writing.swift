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
    var json = SecretJSON()
    json.object { json in
      json.member("rcVersion") { $0.text("[\(versions.current),\(versions.maximum)]") }
      json.member("rcAD") { $0.quoted(associatedData) }
      json.member("rcDHRs") { $0.quotedTwice(ownKey.der) }
      if let kem { json.member("rcKEM") { Self.write(kem, to: &$0) } }
      let flags = [
        ("rcSupportKEM", supportsPQ), ("rcEnableKEM", enablesPQ), ("rcSndKEM", sendsPQ), ("rcRcvKEM", receivesPQ),
      ]
      for (name, flag) in flags { json.member(name) { $0.text("\(flag)") } }
      json.member("rcRK") { $0.quoted(rootKey) }
      if let sending {
        json.member("rcSnd") {
          $0.object { json in
            json.member("rcDHRr") { $0.quoted(ownKey.publicKey.der) }
            json.member("rcCKs") { $0.quoted(sending.chainKey) }
            json.member("rcHKs") { $0.quoted(sending.headerKey) }
          }
        }
      }
      if let receiving {
        json.member("rcRcv") {
          $0.object { json in
            json.member("rcCKr") { $0.quoted(receiving.chainKey) }
            json.member("rcHKr") { $0.quoted(receiving.headerKey) }
          }
        }
      }
      for (name, count) in [("rcNs", sentCount), ("rcNr", receivedCount), ("rcPN", previousSentCount)] {
        json.member(name) { $0.text("\(count)") }
      }
      json.member("rcNHKs") { $0.quoted(nextSendingHeaderKey) }
      json.member("rcNHKr") { $0.quoted(nextReceivingHeaderKey) }
    }
    return json.take()
  }

  private static func write(_ kem: KEMState, to json: inout SecretJSON) {
    let publicKey = kem.secretKey.publicKey.rawBytes
    json.object { json in
      json.member("rcPQRs") {
        $0.text("[")
        $0.quoted(publicKey)
        $0.text(",")
        $0.quoted(kem.secretKey.secret)
        $0.text("]")
      }
      guard let ciphertext = kem.ciphertext else { return }
      json.member("rcKEMs") {
        $0.object { json in
          json.member("rcPQRr") { $0.quoted(publicKey) }
          json.member("rcPQRss") { $0.quoted([UInt8](repeating: 0, count: KEMSharedSecret.byteCount)) }
          json.member("rcPQRct") { $0.quoted(ciphertext.rawBytes) }
        }
      }
    }
  }
}

extension MessageKey {
  /// The key of a skipped message as the reference implementation stores it; see ``init(reference:)``.
  public func referenceForm() throws(WireError) -> SecretBytes {
    var form = try Self.referenceCodec.encode(self, capacity: Self.size + 2)
    defer { wipe(&form) }
    return SecretBytes(copying: form.span.bytes)
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
    var secret = key.secret.withUnsafeBytes { Array($0) }
    var sizedSecret = sized(secret)
    var form = [UInt8(ascii: "P")] + sized(key.publicKey.rawBytes) + sizedSecret
    defer {
      wipe(&secret)
      wipe(&sizedSecret)
      wipe(&form)
    }
    return (key1.der, key2.der, SecretBytes(copying: form.span.bytes))
  }
}

/// JSON with secrets: each copy is wiped once it is not needed.
private struct SecretJSON {
  private var bytes: [UInt8] = []
  private var needsComma = false

  /// More than a ratchet takes, so that the content is never moved.
  init() { bytes.reserveCapacity(16_384) }

  mutating func object(_ body: (inout SecretJSON) -> Void) {
    text("{")
    needsComma = false
    body(&self)
    text("}")
    needsComma = true
  }

  mutating func member(_ name: String, _ value: (inout SecretJSON) -> Void) {
    text(needsComma ? ",\"\(name)\":" : "\"\(name)\":")
    value(&self)
    needsComma = true
  }

  mutating func text(_ text: String) { bytes += text.utf8 }

  mutating func quoted(_ value: [UInt8]) {
    var text = Base64URL.encode(value)
    self.text("\"")
    bytes += text
    self.text("\"")
    wipe(&text)
  }

  mutating func quoted(_ secret: SecretBytes) {
    var copy = secret.withUnsafeBytes { Array($0) }
    quoted(copy)
    wipe(&copy)
  }

  /// A secret whose text is encoded once more, as the reference does with the own key.
  mutating func quotedTwice(_ secret: SecretBytes) {
    var copy = secret.withUnsafeBytes { Array($0) }
    var text = Base64URL.encode(copy)
    quoted(text)
    wipe(&copy)
    wipe(&text)
  }

  /// The text, which is not kept here.
  mutating func take() -> SecretBytes {
    defer { wipe(&bytes) }
    return SecretBytes(copying: bytes.span.bytes)
  }
}

private func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { SimplexCrypto.wipe($0) } }
