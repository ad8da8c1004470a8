import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Tokens, queues and statuses have the forms of the reference implementation")
struct TokenTests {
  @Test(arguments: cases("deviceTokens"))
  func deviceToken(_ golden: Golden) throws {
    let device = try golden.member("token").device()
    #expect(try PushDevice.codec.encode(device) == golden.hex("smp"))
    #expect(try PushDevice.codec.decode(golden.hex("smp")) == device)
    #expect(try PushDevice.textCodec.text(device) == golden.string("str"))
    #expect(try PushDevice.textCodec.decode(text: golden.string("str")) == device)
  }

  @Test func thereAreCases() {
    #expect(cases("deviceTokens").count == 4)
    #expect(cases("handshakes").count == 3)
    #expect(cases("pushMessages").count == 2)
  }

  @Test(arguments: ["apns_prod 012", "apns_prod ABCD", "apns_prod xy", "apns_null other", "fcm 0123", "apns_dev ", ""])
  func textOfOtherTokensIsRefused(_ text: String) {
    #expect(throws: WireError.self) { try PushDevice.textCodec.decode(text: text) }
  }

  @Test func tokensAreNotDescribed() {
    #expect("\(PushDevice(service: .apple, token: "0123"))" == "apns_prod")
  }

  @Test func statusesAllowCommands() {
    let all: [TokenStatus] = [.new, .registered, .invalid(nil), .invalid(.topic), .confirmed, .active, .expired]
    #expect(all.filter(\.allowsVerification) == [.registered, .confirmed, .active])
    #expect(all.filter(\.allowsSubscriptions) == [.invalid(nil), .invalid(.topic), .active, .expired])
    for status in all { #expect(TokenStatus(text: status.text) == status) }
    for text in ["", "ACTIVE ", "INVALID,", "INVALID,OTHER", "active"] { #expect(TokenStatus(text: text) == nil) }
    let subscriptions: [NotifierStatus] = [
      .new, .pending, .active, .inactive, .end, .deleted, .auth, .service, .error("SMP TIMEOUT"),
    ]
    #expect(subscriptions.filter(\.isSubscribed) == [.new, .pending, .active, .inactive, .service])
  }

  @Test func publicRelaysGetTheirSecondHost() throws {
    let text = "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im/AQID"
    let queue = try NotifierQueue.textCodec.decode(text: text)
    #expect(queue.relay.hosts.count == 2)
    #expect(queue.notifier == EntityID([1, 2, 3]))
    let again = try NotifierQueue.textCodec.decode(text: NotifierQueue.textCodec.text(queue))
    #expect(again == queue)
  }
}

@Suite("Pushes have the bytes of the reference implementation")
struct PushTests {
  @Test(arguments: cases("pushMessages"))
  func messages(_ golden: Golden) throws {
    let messages = try golden.elements("messages").map { try $0.pushedMessage() }
    let plain = try golden.string("plain")
    #expect(try PushedMessages.codec.text(messages) == plain)
    #expect(try PushedMessages.codec.decode(text: plain) == messages)
    let tokenKey: X25519.PrivateKey = try golden.privateKey("tokenDhPrivateDer")
    let key = try tokenKey.boxKey(with: golden.x25519("serverDhPublicDer"))
    let nonce = try BoxNonce(golden.base64("nonce"))
    let box = try PushBox.seal(Array(plain.utf8), key: key, nonce: nonce, paddedTo: PushBox.referencePaddedSize)
    #expect(try box == golden.base64("message"))
    #expect(try golden.int("paddedLen") == PushBox.referencePaddedSize)
    #expect(try PushBox.messages(in: box, key: key, nonce: nonce) == messages)
    #expect(throws: MessageBoxError.crypto(.authenticationFailed)) {
      try PushBox.messages(in: box, key: key, nonce: BoxNonce(fitting: [1].span.bytes))
    }
  }

  @Test func verification() throws {
    let vectors = try #require(notificationVectors)
    let golden = try vectors.member("pushVerification")
    let tokenKey: X25519.PrivateKey = try vectors.member("keys").privateKey("rcvDhPrivateDer")
    let key = try tokenKey.boxKey(with: vectors.member("keys").x25519("serverSessionPublicKeyDer"))
    let nonce = try BoxNonce(golden.base64("nonce"))
    let box = try golden.base64("verification")
    let code = try golden.hex("code")
    #expect(try PushBox.open(box, key: key, nonce: nonce) == code)
    #expect(try PushBox.seal(code, key: key, nonce: nonce, paddedTo: PushBox.referencePaddedSize) == box)
  }

  @Test(arguments: ["", ";", "smp://AQ==@a/AQ== 1 AQ== AQ==", "x 1 AQ== AQ=="])
  func otherTextsAreRefused(_ text: String) {
    #expect(throws: WireError.self) { try PushedMessages.codec.decode(text: text) }
  }
}

extension Golden {
  fileprivate func base64(_ name: String) throws -> [UInt8] {
    guard let bytes = Base64URL.decode(try string(name)) else { throw UnusableVector(reason: "no base64 in \(path)") }
    return bytes
  }

  fileprivate func pushedMessage() throws -> PushedMessage {
    guard let time = UTCTime(seconds: Int64(try int("ntfTs"))) else { throw UnusableVector(reason: "no time") }
    return PushedMessage(
      queue: try NotifierQueue.textCodec.decode(text: try string("smpQueue")), time: time,
      notification: NotificationMessage(
        nonce: try BoxNonce(hex("nmsgNonce")), box: try hex("encNMsgMeta")))
  }
}
