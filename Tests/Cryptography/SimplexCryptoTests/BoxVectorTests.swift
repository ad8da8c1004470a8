import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Boxes and padding agree with the reference implementation")
struct BoxVectorTests {
  @Test(arguments: cases("cryptoBox"))
  func cryptoBox(_ golden: Golden) throws {
    let sender = try X25519.PrivateKey(secret: golden.secret("senderPrivateKey"))
    let recipient = try X25519.PrivateKey(secret: golden.secret("recipientPrivateKey"))
    #expect(sender.publicKey.rawBytes == (try golden.hex("senderPublicKey")))
    let key = try sender.boxKey(with: recipient.publicKey)
    #expect(key.secret == (try golden.secret("dhSecret")))
    #expect(try recipient.boxKey(with: sender.publicKey) == key)
    try checkBoxes(key, golden)
  }

  @Test(arguments: cases("secretBox"))
  func secretBox(_ golden: Golden) throws {
    let key = try BoxKey(golden.secret("key"))
    try checkBoxes(key, golden)
    let nonce = try BoxNonce(golden.hex("nonce"))
    let tampered = try golden.hex("tampered")
    #expect(throws: CryptoError.authenticationFailed) { try key.openPadded(tampered, nonce: nonce) }
  }

  private func checkBoxes(_ key: BoxKey, _ golden: Golden) throws {
    let message = try golden.message()
    let nonce = try BoxNonce(golden.hex("nonce"))
    let padded = try key.seal(message, paddedTo: golden.int("paddedLen"), nonce: nonce)
    try golden.expect(padded, "encrypted")
    #expect(try key.openPadded(padded, nonce: nonce) == message)

    let bare = key.seal(message, nonce: nonce)
    try golden.expect(bare, "encryptedNoPad")
    #expect(try key.open(bare, nonce: nonce) == message)

    var buffer = [UInt8](repeating: 0, count: BoxKey.overhead) + message
    try buffer.inPlace { try key.sealInPlace(&$0, nonce: nonce) }
    #expect(buffer == bare)
    try buffer.inPlace { try key.openInPlace(&$0, nonce: nonce) }
    #expect(Array(buffer.dropFirst(BoxKey.overhead)) == message)
  }

  @Test(arguments: cases("cbNonce"))
  func nonce(_ golden: Golden) throws {
    let nonce = BoxNonce(fitting: try golden.hex("input"))
    #expect(nonce.bytes == (try golden.hex("nonce")))
    #expect(nonce.reversed.bytes == (try golden.hex("reversed")))
    #expect(try BoxNonce(nonce.bytes) == nonce)
  }

  @Test(arguments: cases("pad"))
  func pad(_ golden: Golden) throws {
    let message = try golden.hex("message")
    let count = try golden.int("paddedLen")
    guard golden["result"]?["error"] == nil else {
      #expect(throws: CryptoError.messageTooLong(limit: count - 2)) { try Padding.pad(message, to: count) }
      return
    }
    let expected = try golden.hex("result")
    #expect(try Padding.pad(message, to: count) == expected)
    var buffer = [UInt8](repeating: 0xff, count: count)
    try buffer.inPlace { try Padding.pad(message.span.bytes, into: &$0) }
    #expect(buffer == expected)
    buffer = [0xff, 0xff] + message + [UInt8](repeating: 0xff, count: count - 2 - message.count)
    try buffer.inPlace { try Padding.padInPlace(&$0, messageCount: message.count) }
    #expect(buffer == expected)
  }

  @Test(arguments: cases("unPad"))
  func unpad(_ golden: Golden) throws {
    let padded = try golden.hex("padded")
    guard golden["result"]?["error"] == nil else {
      #expect(throws: CryptoError.invalidPadding) { try Padding.unpad(padded) }
      return
    }
    #expect(try Padding.unpad(padded) == (try golden.hex("result")))
  }

  @Test func paddingLimits() throws {
    let longest = [UInt8](repeating: 7, count: Padding.maximumCount)
    #expect(try Padding.pad(longest, to: 70000).count == 70000)
    let tooLong = longest + [7]
    #expect(throws: CryptoError.messageTooLong(limit: 65533)) { try Padding.pad(tooLong, to: 70000) }
    #expect(throws: CryptoError.messageTooLong(limit: -2)) { try Padding.pad(longest, to: 0) }
    #expect(throws: CryptoError.messageTooLong(limit: 8)) {
      var buffer = [UInt8](repeating: 0, count: 10)
      try buffer.inPlace { try Padding.padInPlace(&$0, messageCount: 9) }
    }
  }
}
