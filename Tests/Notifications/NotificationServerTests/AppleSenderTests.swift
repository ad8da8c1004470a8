import Foundation
import NotificationProtocol
import NotificationServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import WireCodec

@testable import NotificationServer

@Suite("Pushes over HTTP/2", .timeLimit(.minutes(2))) struct AppleSenderTests {
  private let device = PushDevice(service: .appleTest, token: "00ff")
  private let key: BoxKey

  init() throws { key = try BoxKey(SecretBytes([UInt8](repeating: 3, count: 32))) }

  private func sender(
    _ apple: FakeApple, trusting certificates: WebCertificates? = nil,
    _ change: (inout AppleSender.Configuration) -> Void = { _ in }
  ) throws -> AppleSender {
    let files = apple.certificates
    let owner = try #require(
      AppleKey(
        team: "TEAM123456", identifier: "KEY1234567",
        key: ES256Key(pem: [UInt8](try Data(contentsOf: URL(filePath: files.path("AuthKey.p8")))))))
    var configuration = AppleSender.Configuration(host: "localhost", port: apple.port, topic: "org.example.app")
    configuration.trust = .file((certificates ?? files).path("ca.pem"))
    change(&configuration)
    return try AppleSender(configuration, token: ProviderToken(owner))
  }

  private func push(_ sender: AppleSender, _ content: PushContent = .check) async -> PushOutcome {
    await sender.send(OutgoingPush(device: device, content: content, key: key))
  }

  @Test func theAuthorizationIsSignedByTheKey() async throws {
    let apple = try await FakeApple.start(WebCertificates())
    #expect(await push(try sender(apple)) == .delivered)
    let authorization = try #require(apple.pushes[0].head["authorization"])
    let parts = authorization.dropFirst("bearer ".count).split(separator: ".").map(String.init)
    #expect(parts.count == 3)
    let text = { (part: String) in String(decoding: Base64URL.decode(part) ?? [], as: UTF8.self) }
    #expect(text(parts[0]) == #"{"alg":"ES256","kid":"KEY1234567"}"#)
    #expect(text(parts[1]).contains(#"{"iss":"TEAM123456","iat":1"#))
    let signature = try #require(Base64URL.decode(parts[2]))
    #expect(signature.count == 64)
    // `openssl` reads the two numbers as DER.
    let number = { (bytes: ArraySlice<UInt8>) -> [UInt8] in
      let digits = bytes.drop { $0 == 0 }
      let content = (digits.first ?? 0) >= 128 ? [0] + digits : Array(digits)
      return [2, UInt8(content.count)] + content
    }
    let numbers = number(signature[..<32]) + number(signature[32...])
    let files = apple.certificates
    try Data([0x30, UInt8(numbers.count)] + numbers).write(to: files.folder.appending(path: "signature"))
    try Data("\(parts[0]).\(parts[1])".utf8).write(to: files.folder.appending(path: "signed"))
    #expect(
      try files.openssl("dgst -sha256 -verify owner.pub -signature signature signed").contains("Verified OK"))
  }

  @Test func anExpiredAuthorizationIsRenewedOnce() async throws {
    let apple = try await FakeApple.start(WebCertificates()) { _, number in
      number == 1 ? (403, #"{"reason":"ExpiredProviderToken"}"#) : (200, "")
    }
    let owner = try #require(
      AppleKey(
        team: "T", identifier: "K",
        key: ES256Key(
          pem: [UInt8](try Data(contentsOf: URL(filePath: apple.certificates.path("AuthKey.p8")))))))
    let steady = Mutex<Int64>(0)
    let token = ProviderToken(owner, wall: { 1_700_000_000 }, steady: { steady.withLock { $0 } })
    var configuration = AppleSender.Configuration(host: "localhost", port: apple.port, topic: "x")
    configuration.trust = .file(apple.certificates.path("ca.pem"))
    let sender = try AppleSender(configuration, token: token)
    // A token of this second cannot have expired: a clock is wrong, and further ones would be refused.
    let first = token.current
    guard case .serviceUnavailable(let reason) = await push(sender) else {
      Issue.record("not unavailable")
      return
    }
    #expect(reason.contains("ExpiredProviderToken") && token.current == first)
    apple.setAnswer { _, number in number == 2 ? (403, #"{"reason":"ExpiredProviderToken"}"#) : (200, "") }
    steady.withLock { $0 = 100 }
    #expect(await push(sender) == .delivered)
    #expect(apple.pushes.count == 3 && token.current != first)
    let renewed = token.current
    steady.withLock { $0 = 1_899 }
    #expect(token.current == renewed)
    steady.withLock { $0 = 1_901 }
    #expect(token.current != renewed)
  }

  @Test func answersAreUnderstood() async throws {
    let apple = try await FakeApple.start(WebCertificates())
    let sender = try sender(apple)
    apple.setAnswer { _, _ in (410, #"{"reason":"Unregistered","timestamp":1700000000123}"#) }
    #expect(await push(sender) == .invalidToken(.unregistered, since: 1_700_000_000_123))
    apple.setAnswer { _, _ in (429, #"{"reason":"TooManyRequests"}"#) }
    #expect(await push(sender) == .deviceBusy)
    apple.setAnswer { _, _ in (400, "no JSON") }
    #expect(await push(sender) == .refused("400 "))
    apple.setAnswer { _, _ in (503, #"{"reason":"ServiceUnavailable"}"#) }
    #expect(await push(sender) == .serviceUnavailable("503 ServiceUnavailable"))
    // A body without end.
    apple.setAnswer { _, _ in (400, String(repeating: "x", count: 100_000)) }
    guard case .serviceUnavailable = await push(sender) else {
      Issue.record("a long answer was read")
      return
    }
    apple.setAnswer { _, _ in (200, "trailing garbage") }
    #expect(await push(sender) == .delivered)
    // Another device than hexadecimal digits is no part of a path.
    let other = PushDevice(service: .appleTest, token: "../x")
    #expect(
      await sender.send(OutgoingPush(device: other, content: .check, key: key)) == .invalidToken(.bad, since: nil))
  }

  @Test func aServiceThatDoesNotAnswerIsGivenUp() async throws {
    let apple = try await FakeApple.start(WebCertificates()) { _, _ in nil }
    let sender = try sender(apple) { $0.answerTimeout = .milliseconds(200) }
    guard case .serviceUnavailable = await push(sender) else {
      Issue.record("not unavailable")
      return
    }
  }

  @Test func anotherConnectionFollowsOneThatWasClosed() async throws {
    let certificates = try WebCertificates()
    let first = try await FakeApple.start(certificates)
    let port = first.port
    let sender = try sender(first) { $0.connections = 1 }
    #expect(await push(sender) == .delivered)
    await first.server.close()
    guard case .serviceUnavailable = await push(sender) else {
      Issue.record("not unavailable")
      return
    }
    let second = try await FakeApple.start(certificates, port: port)
    #expect(await push(sender) == .delivered)
    #expect(second.pushes.count == 1)
  }

  @Test func onlyTrustedServersOfTheNameArePushedTo() async throws {
    let apple = try await FakeApple.start(WebCertificates())
    let otherAuthority = try sender(apple, trusting: WebCertificates())
    guard case .serviceUnavailable(let reason) = await push(otherAuthority) else {
      Issue.record("an unknown authority was trusted")
      return
    }
    #expect(reason.contains("not trusted"))
    let otherName = try await FakeApple.start(WebCertificates(names: "DNS:elsewhere.example"))
    guard case .serviceUnavailable(let second) = await push(try sender(otherName)) else {
      Issue.record("another name was accepted")
      return
    }
    #expect(second.contains("not trusted"))
    #expect(apple.pushes.isEmpty && otherName.pushes.isEmpty)
  }

  @Test func otherKeysAreRefused() throws {
    let files = try WebCertificates()
    try files.openssl("genpkey -algorithm ed25519 -out other.pem")
    try files.openssl("ecparam -name secp384r1 -genkey -noout -out p384.pem")
    for name in ["other.pem", "p384.pem", "ca.pem", "names"] {
      let pem = [UInt8](try Data(contentsOf: URL(filePath: files.path(name))))
      #expect(throws: CryptoError.invalidKeyEncoding) { try ES256Key(pem: pem) }
    }
    let key = try ES256Key(pem: [UInt8](try Data(contentsOf: URL(filePath: files.path("owner.sec1")))))
    #expect(AppleKey(team: #"x","y":"#, identifier: "K", key: key) == nil)
    #expect(AppleKey(team: "", identifier: "K", key: key) == nil)
  }
}
