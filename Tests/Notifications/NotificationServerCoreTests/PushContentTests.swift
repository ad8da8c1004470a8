import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

private func entry(_ number: Int, hosts: Int = 1) -> PushedMessage {
  let names = (0..<hosts).map { TransportHost.domain("smp\($0).a-name-of-usual-length.example.com") }
  let relay = SMPServerAddress(hosts: names, port: nil, keyHash: [UInt8](repeating: 7, count: 32))
  return PushedMessage(
    queue: NotifierQueue(
      relay: relay ?? SMPServerAddress(.domain("a"), keyHash: []),
      notifier: EntityID([UInt8](repeating: UInt8(number), count: 24))),
    time: time(1_700_000_000 + Int64(number)),
    notification: NotificationMessage(
      nonce: BoxNonce(fitting: [UInt8(number)].span.bytes), box: [UInt8](repeating: 9, count: 144)))
}

private func time(_ seconds: Int64) -> UTCTime {
  guard let time = UTCTime(seconds: seconds) else { preconditionFailure("no time") }
  return time
}

@Suite("Bodies of pushes") struct PushContentTests {
  private let key: BoxKey
  private let nonce = BoxNonce(fitting: [1].span.bytes)

  init() throws { key = try BoxKey(SecretBytes([UInt8](repeating: 3, count: 32))) }

  @Test(arguments: [1, 4, 12])
  func messagesFitWhatAppleAccepts(hosts: Int) throws {
    let messages = (1...9).map { entry($0, hosts: hosts) }
    let body = try #require(ApplePushBody(.messages(messages), key: key, nonce: nonce))
    #expect(body.json.count <= ApplePushBody.limit)
    #expect(body.isAlert)
    let (name, opened) = try open(body)
    #expect(name == "message")
    let received = try PushedMessages.codec.decode(opened)
    #expect(received == messages.suffix(received.count))
    #expect(received.count == (hosts == 1 ? 6 : hosts == 4 ? 5 : 3))
  }

  @Test func thePaddingIsASetting() throws {
    let body = try #require(
      ApplePushBody(.messages([entry(1)]), key: key, nonce: nonce, paddedSize: PushBox.referencePaddedSize))
    let text = String(decoding: body.json, as: UTF8.self)
    let message = try #require(text.firstMatch(of: /"message":"([^"]*)"/)?.1)
    #expect(message.utf8.count == 4_120)
  }

  @Test func verificationAndCheckAreInTheBackground() throws {
    let code = RegistrationCode([UInt8](0..<32))
    let body = try #require(ApplePushBody(.verification(code), key: key, nonce: nonce))
    #expect(!body.isAlert && body.json.count <= ApplePushBody.limit)
    let (name, opened) = try open(body)
    #expect(name == "verification" && opened == code.bytes)
    let check = try #require(ApplePushBody(.check, key: key, nonce: nonce))
    #expect(
      String(decoding: check.json, as: UTF8.self)
        == #"{"aps":{"content-available":1},"notificationData":{"checkMessages":true}}"#)
  }

  @Test func noEntryFitsNothing() {
    #expect(ApplePushBody(.messages([]), key: key, nonce: nonce) == nil)
    #expect(PushText.text(of: [entry(1)], limit: 100) == nil)
  }

  private func open(_ body: ApplePushBody) throws -> (String, [UInt8]) {
    let text = String(decoding: body.json, as: UTF8.self)
    let match = try #require(text.firstMatch(of: /"notificationData":\{"([a-z]+)":"([^"]*)","nonce":"([^"]*)"\}\}$/))
    let nonce = try BoxNonce(#require(Base64URL.decode(String(match.3))))
    let box = try #require(Base64URL.decode(String(match.2)))
    return (String(match.1), try PushBox.open(box, key: key, nonce: nonce))
  }
}

@Suite("What answers of Apple's service mean") struct PushOutcomeTests {
  @Test(arguments: [
    (200, nil, PushOutcome.delivered),
    (400, "BadDeviceToken", .invalidToken(.bad, since: nil)),
    (400, "DeviceTokenNotForTopic", .invalidToken(.topic, since: nil)),
    (400, "PayloadEmpty", .refused("400 PayloadEmpty")),
    (403, "InvalidProviderToken", .serviceUnavailable("403 InvalidProviderToken")),
    (410, "Unregistered", .invalidToken(.unregistered, since: 7)),
    (410, "ExpiredToken", .invalidToken(.expired, since: 7)),
    (413, "PayloadTooLarge", .refused("413 PayloadTooLarge")),
    (429, "TooManyRequests", .deviceBusy),
    (429, "TooManyProviderTokenUpdates", .serviceUnavailable("429 TooManyProviderTokenUpdates")),
    (500, "InternalServerError", .serviceUnavailable("500 InternalServerError")),
    (503, "Shutdown", .serviceUnavailable("503 Shutdown")),
  ])
  func answer(_ status: Int, _ reason: String?, _ outcome: PushOutcome) {
    #expect(PushOutcome(appleStatus: status, reason: reason, timestamp: 7) == outcome)
  }

  @Test func anExpiredAuthorizationIsRenewed() {
    #expect(PushOutcome(appleStatus: 403, reason: "ExpiredProviderToken", timestamp: nil) == nil)
  }
}
