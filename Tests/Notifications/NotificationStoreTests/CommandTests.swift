import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SimplexCrypto
import Testing

@Suite("Commands of clients, with a store") struct CommandTests {
  @Test func aTokenIsRegisteredAndVerified() async throws {
    let test = try TestStore()
    let request = TestRequests.newToken()
    let outcome = try await test.execute(.tnew(request))
    guard case .idtkn(let id, let serverKey) = outcome.response else { throw Unexpected() }
    let token = try #require(try await test.read { (records) throws(NotificationStoreError) in try records.token(id) })
    #expect(id.bytes.count == 24 && token.record.code.bytes.count == 32)
    #expect(token.record.serverKey.publicKey == serverKey)
    #expect(
      outcome.effects == [
        .verify(token.number, request.device), .count(.tokenCreated), .count(.verificationQueued),
      ])
    #expect(try await test.execute(.tchk, id).response == .tkn(.registered))
    #expect(try await test.execute(.tvfy(RegistrationCode([1])), id).response == .err(.AUTH))
    #expect(try await test.execute(.tvfy(token.record.code), id).response == .ok)
    // Repeated by a client that did not get the answer.
    #expect(try await test.execute(.tvfy(token.record.code), id).response == .ok)
    #expect(try await test.execute(.tchk, id).response == .tkn(.active))
  }

  @Test func registeringAgainPushesTheSameCode() async throws {
    let test = try TestStore()
    let request = TestRequests.newToken()
    let token = try await test.token(request, isActive: false)
    let again = try await test.execute(.tnew(request))
    #expect(again.response == .idtkn(token.record.id, dhKey: token.record.serverKey.publicKey))
    #expect(again.effects == [.verify(token.number, request.device), .count(.verificationQueued)])
    #expect(try await test.current(token)?.record.code == token.record.code)
    var other = request
    other.dhKey = TestRequests.newToken().dhKey
    #expect(try await test.execute(.tnew(other)).response == .err(.AUTH))
    // Another key is another registration of the device.
    let second = try await test.token(TestRequests.newToken(request.device), isActive: false)
    #expect(second.record.id != token.record.id)
  }

  @Test func verificationDeletesOtherRegistrationsOfTheDevice() async throws {
    let test = try TestStore()
    let first = try await test.token()
    try await test.subscribe(first, TestRequests.queue(1))
    let second = try await test.token(isActive: false)
    let outcome = try await test.execute(.tvfy(second.record.code), second.record.id)
    #expect(outcome.response == .ok)
    #expect(outcome.effects.contains(.forget(first.number)))
    #expect(outcome.effects.contains(.unsubscribe([TestRequests.queue(1)])))
    #expect(try await test.execute(.tchk, first.record.id).response == .err(.AUTH))
    let usage = try await test.read { (records) throws(NotificationStoreError) in try records.usage() }
    #expect(usage.tokens == 1 && usage.subscriptions == 0)
  }

  @Test func aReplacedDeviceKeepsItsSubscriptions() async throws {
    let test = try TestStore()
    let token = try await test.token()
    let subscription = try await test.subscribe(token, TestRequests.queue(1))
    let device = PushDevice(service: .apple, token: "ff00")
    #expect(try await test.execute(.trpl(device), token.record.id).response == .ok)
    let replaced = try #require(try await test.current(token))
    #expect(replaced.record.device == device && replaced.record.status == .registered)
    #expect(replaced.record.code != token.record.code)
    #expect(try await test.execute(.tvfy(token.record.code), token.record.id).response == .err(.AUTH))
    #expect(try await test.execute(.tvfy(replaced.record.code), token.record.id).response == .ok)
    #expect(try await test.execute(.schk, subscription).response == .sub(.new))
  }

  @Test func devicesThatCannotBePushedToAreRefused() async throws {
    let test = try TestStore()
    let devices: [(PushDevice, ProtocolErrorType)] = [
      (PushDevice(service: .apple, token: "../../x"), .CMD(cmdErr: .SYNTAX)),
      (PushDevice(service: .apple, token: ""), .CMD(cmdErr: .SYNTAX)),
      (PushDevice(service: .null, token: String(repeating: "a", count: 101)), .CMD(cmdErr: .SYNTAX)),
      (PushDevice(service: .appleTest, token: "00"), .CMD(cmdErr: .PROHIBITED)),
    ]
    for (device, error) in devices {
      #expect(try await test.execute(.tnew(TestRequests.newToken(device))).response == .err(error))
    }
    let token = try await test.token()
    #expect(try await test.execute(.trpl(devices[0].0), token.record.id).response == .err(devices[0].1))
    _ = try await test.token(TestRequests.newToken(.test))
  }

  @Test func intervalsHaveAMinimum() async throws {
    let test = try TestStore()
    let token = try await test.token()
    #expect(try await test.execute(.tcrn(19), token.record.id).response == .err(.QUOTA))
    #expect(try await test.execute(.tcrn(20), token.record.id).response == .ok)
    let due = { (time: Int64) in
      try await test.read { (records) throws(NotificationStoreError) in
        try records.tokensToCheck(at: time, limit: 10).map(\.number)
      }
    }
    #expect(try await due(1_000_000 + 1_199) == [])
    #expect(try await due(1_000_000 + 1_200) == [token.number])
    #expect(try await test.execute(.tcrn(0), token.record.id).response == .ok)
    #expect(try await due(.max / 2) == [])
  }

  @Test func deletingRemovesEverything() async throws {
    let test = try TestStore()
    let token = try await test.token()
    for number in 1...3 { try await test.subscribe(token, TestRequests.queue(number)) }
    try await test.notify(TestRequests.queue(1))
    let outcome = try await test.execute(.tdel, token.record.id)
    #expect(outcome.response == .ok)
    let usage = try await test.read { (records) throws(NotificationStoreError) in try records.usage() }
    #expect(usage == NotificationUsage())
    #expect(try await test.execute(.tdel, token.record.id).response == .err(.AUTH))
  }

  @Test func aSubscriptionBelongsToOneToken() async throws {
    let test = try TestStore()
    let token = try await test.token()
    let other = try await test.token(TestRequests.newToken(PushDevice(service: .apple, token: "aa")))
    let queue = TestRequests.queue(1)
    let id = try await test.subscribe(token, queue)
    var request = NewSubscriptionRequest(
      token: token.record.id, queue: queue, notifierKey: TestRequests.notifierKey)
    #expect(try await test.execute(.snew(request)).response == .idsub(id))
    request.token = other.record.id
    #expect(try await test.execute(.snew(request)).response == .err(.AUTH))
    request.token = token.record.id
    var random = SystemRandom()
    request.notifierKey = .ed25519(Ed25519.PrivateKey(using: &random))
    #expect(try await test.execute(.snew(request)).response == .err(.AUTH))
    #expect(try await test.execute(.sdel, id).response == .ok)
    #expect(try await test.execute(.schk, id).response == .err(.AUTH))
    #expect(try await test.execute(.snew(request)).effects.contains(.count(.subscriptionCreated)))
  }

  @Test func subscriptionsNeedAVerifiedToken() async throws {
    let test = try TestStore()
    let token = try await test.token(isActive: false)
    let request = NewSubscriptionRequest(
      token: token.record.id, queue: TestRequests.queue(1), notifierKey: TestRequests.notifierKey)
    #expect(try await test.execute(.snew(request)).response == .err(.AUTH))
    var unknown = request
    unknown.token = EntityID([1])
    #expect(try await test.execute(.snew(unknown)).response == .err(.AUTH))
  }

  @Test func aSubscriptionThatEndedBeginsAgain() async throws {
    let test = try TestStore()
    let token = try await test.token()
    let queue = TestRequests.queue(1)
    let id = try await test.subscribe(token, queue)
    for status in [NotifierStatus.end, .deleted, .auth, .error("SMP QUOTA")] {
      try await test.read { (records) throws(NotificationStoreError) in try records.setStatus(status, of: queue) }
      #expect(try await test.execute(.schk, id).response == .sub(status))
      #expect(try await test.store.wantedSubscriptions(after: 0, limit: 10).subscriptions.isEmpty)
      let request = NewSubscriptionRequest(
        token: token.record.id, queue: queue, notifierKey: TestRequests.notifierKey)
      let outcome = try await test.execute(.snew(request))
      #expect(outcome.response == .idsub(id))
      #expect(outcome.effects == [.subscribe(WantedSubscription(queue: queue, key: TestRequests.notifierKey))])
      #expect(try await test.store.wantedSubscriptions(after: 0, limit: 10).subscriptions.count == 1)
    }
  }

  @Test func relaysAndSubscriptionsOfATokenAreLimited() async throws {
    var limits = NotificationLimits()
    limits.relaysPerToken = 3
    limits.subscriptionsPerToken = 5
    let test = try TestStore(limits)
    let token = try await test.token()
    for relay in 0..<3 { try await test.subscribe(token, TestRequests.queue(1, relay: relay)) }
    let more = { (number: Int, relay: Int) in
      let request = NewSubscriptionRequest(
        token: token.record.id, queue: TestRequests.queue(number, relay: relay), notifierKey: TestRequests.notifierKey)
      return try await test.execute(.snew(request)).response
    }
    #expect(try await more(1, 3) == .err(.QUOTA))
    for relay in 0..<2 { try await test.subscribe(token, TestRequests.queue(2, relay: relay)) }
    #expect(try await more(3, 0) == .err(.QUOTA))
    let other = try await test.token(TestRequests.newToken(PushDevice(service: .apple, token: "aa")))
    try await test.subscribe(other, TestRequests.queue(9, relay: 7))
  }
}
