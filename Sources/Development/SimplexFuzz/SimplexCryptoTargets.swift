import SimplexCrypto
import WireCodec

let simplexCryptoTargets: [FuzzTarget] = {
  var random = InsecureSeededRandom(seed: 0)
  let x25519 = X25519.PrivateKey(using: &random)
  let ed448 = Ed448.PrivateKey(using: &random)
  let box = BoxKey(using: &random)
  let nonce = BoxNonce(fitting: [])
  let publicKeys = [x25519.publicKey.der, ed448.publicKey.der]
  return [
    .codec("crypto-public-key", AnyPublicKey.codec, seeds: publicKeys.map { [UInt8($0.count)] + $0 }),
    .codec(
      "crypto-public-key-text", AnyPublicKey.textCodec, lenient: true,
      seeds: publicKeys.compactMap { try? AnyPublicKey.textCodec.encode(AnyPublicKey(der: $0)) }),
    FuzzTarget("crypto-private-key", seeds: [[UInt8](copying: x25519.der.bytes), [UInt8](copying: ed448.der.bytes)]) {
      input in
      // Law: an accepted key has one form only, and is usable.
      if let key = try? X25519.PrivateKey(der: input) { precondition(key.der == SecretBytes(input)) }
      if let key = try? Ed448.PrivateKey(der: input) {
        precondition(key.der == SecretBytes(input))
        precondition(key.publicKey.isValid(key.signature(of: input), of: input))
      }
    },
    FuzzTarget("crypto-agreement", seeds: [x25519.publicKey.rawBytes, [UInt8](repeating: 5, count: 56)]) { input in
      // Law: arbitrary points result in a secret or an error; both X448 paths agree.
      if let peer = try? X25519.PublicKey(rawBytes: input) { _ = try? x25519.sharedSecret(with: peer) }
      if let secret = try? X448.PrivateKey(secret: SecretBytes(input)) {
        let peer = secret.publicKey
        let paired = try? X448.PrivateKey(secret: secret.secret, publicKey: peer)
        precondition((try? secret.sharedSecret(with: peer)) == (try? paired?.sharedSecret(with: peer)))
      }
    },
    FuzzTarget("crypto-signature", seeds: [ed448.signature(of: []) + ed448.publicKey.rawBytes]) { input in
      let signature = Array(input.prefix(114))
      let key = Array(input.dropFirst(114))
      _ = try? Ed448.PublicKey(rawBytes: key).isValid(signature, of: key)
      _ = try? Ed25519.PublicKey(rawBytes: key).isValid(Array(input.prefix(64)), of: key)
    },
    FuzzTarget("crypto-padding", seeds: [[0, 2, 1, 2, 35], [0, 0, 0, 0, 0, 0, 0, 1, 9, 35]]) { input in
      if let message = try? Padding.unpad(input), message.count <= Padding.maximumCount {
        precondition((try? Padding.pad(message, to: input.count))?.count == input.count)
      }
      if let text = try? LongPadding.unpad(input) { precondition(text.count <= input.count - LongPadding.prefixSize) }
    },
    FuzzTarget("crypto-xftp-file", seeds: [[UInt8](repeating: 1, count: 50)]) { input in
      // The first byte is the size of the parts. The input is the text, so that its length prefix is arbitrary.
      let form = box.seal(Array(input.dropFirst()), nonce: nonce, tag: .last)
      let partSize = Int(input.first ?? 0) + 1
      guard var opener = try? XFTPFileOpener(key: box, nonce: nonce, encryptedSize: Int64(form.count)) else { return }
      var textCount = 0
      for start in stride(from: 0, to: form.count, by: partSize) {
        var part = Array(form[start...].prefix(partSize))
        let range = part.withUnsafeMutableBytes { buffer in
          var span = buffer.mutableBytes
          return try? opener.open(inPlace: &span)
        }
        guard let range else { return }
        precondition(range.upperBound <= part.count)
        textCount += range.count
      }
      precondition(Int64(textCount) == opener.textCount)
      do { try opener.finish() } catch { preconditionFailure("an authentic form was refused: \(error)") }
    },
  ]
}()
