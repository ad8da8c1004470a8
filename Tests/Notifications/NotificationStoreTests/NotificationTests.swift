import NotificationProtocol
import NotificationServerCore
import NotificationStore
import SMPProtocol
import Testing
import WireCodec

@Suite("Notifications and pushes, with a store") struct NotificationTests {
  @Test func aPushRepeatsTheSixNewest() async throws {
    let test = try TestStore()
    let token = try await test.token()
    for number in 1...9 { try await test.subscribe(token, TestRequests.queue(number)) }
    for number in 1...3 { try await test.notify(TestRequests.queue(number), Int64(1_000_000 + number)) }
    let first = try #require(try await test.prepared(token))
    #expect(messages(first).map(\.queue) == (1...3).map { TestRequests.queue($0) })
    #expect(try await test.finish(first, .delivered) == .done)
    #expect(try await test.prepared(token) == nil)
    // The device may have been asleep: the next push has what the first one had.
    try await test.notify(TestRequests.queue(4))
    let second = try #require(try await test.prepared(token))
    #expect(messages(second).map(\.queue) == (1...4).map { TestRequests.queue($0) })
    for number in 5...9 { try await test.notify(TestRequests.queue(number)) }
    // A further notification of a queue replaces the one before, and is the newest.
    try await test.notify(TestRequests.queue(6))
    let third = try #require(try await test.prepared(token))
    #expect(messages(third).map(\.queue) == [4, 5, 7, 8, 9, 6].map { TestRequests.queue($0) })
    let usage = try await test.read { (records) throws(NotificationStoreError) in try records.usage() }
    #expect(usage.notifications == 6)
  }

  @Test func whatArrivesDuringAPushIsPushedAgain() async throws {
    let test = try TestStore()
    let token = try await test.token()
    try await test.subscribe(token, TestRequests.queue(1))
    try await test.notify(TestRequests.queue(1))
    let push = try #require(try await test.prepared(token))
    try await test.notify(TestRequests.queue(1))
    try await test.finish(push, .delivered)
    let next = try #require(try await test.prepared(token))
    #expect(messages(next) != messages(push))
    try await test.finish(next, .delivered)
    #expect(try await test.prepared(token) == nil)
  }

  @Test func onlyActiveTokensAndTheirQueuesAreNotified() async throws {
    let test = try TestStore()
    let token = try await test.token()
    try await test.subscribe(token, TestRequests.queue(1))
    #expect(try await test.notify(TestRequests.queue(2)) == nil)
    #expect(try await test.notify(TestRequests.queue(1, relay: 5)) == nil)
    let first = try #require(try await test.notify(TestRequests.queue(1)))
    #expect(first.number == token.number)
    let push = try #require(try await test.prepared(token))
    #expect(try await test.finish(push, .invalidToken(.unregistered, since: nil)) == .done)
    #expect(try await test.execute(.tchk, token.record.id).response == .tkn(.invalid(.unregistered)))
    #expect(try await test.notify(TestRequests.queue(1)) == nil)
    #expect(try await test.prepared(token) == nil)
    // Registered and verified again, it gets what was not accepted.
    let request = NewTokenRequest(
      device: token.record.device, verifyKey: token.record.verifyKey, dhKey: token.record.clientKey)
    _ = try await test.execute(.tnew(request))
    let outcome = try await test.execute(.tvfy(token.record.code), token.record.id)
    #expect(outcome.effects.contains(.pushStored(token.number, .apple)))
    #expect(try await test.prepared(token)?.kind == .messages)
  }

  @Test func anOldReportOfAnInvalidTokenIsIgnored() async throws {
    let test = try TestStore()
    let token = try await test.token(at: 1_000_000)
    try await test.subscribe(token, TestRequests.queue(1))
    try await test.notify(TestRequests.queue(1))
    let push = try #require(try await test.prepared(token))
    let old = PushOutcome.invalidToken(.unregistered, since: 999_999_000)
    #expect(try await test.finish(push, old) == .deviceBusy)
    #expect(try await test.execute(.tchk, token.record.id).response == .tkn(.active))
    // The device was replaced while the push was in flight.
    _ = try await test.execute(.trpl(PushDevice(service: .apple, token: "bb")), token.record.id)
    #expect(try await test.finish(push, .invalidToken(.bad, since: nil)) == .again)
    #expect(try await test.execute(.tchk, token.record.id).response == .tkn(.registered))
    let later = PushOutcome.invalidToken(.expired, since: 1_000_001_000)
    let code = try #require(try await test.prepared(token))
    #expect(code.kind == .verification)
    #expect(try await test.finish(code, later) == .done)
    #expect(try await test.execute(.tchk, token.record.id).response == .tkn(.invalid(.expired)))
  }

  @Test func anAcceptedCodeConfirmsTheToken() async throws {
    let test = try TestStore()
    let token = try await test.token(isActive: false)
    let push = try #require(try await test.prepared(token))
    #expect(push.content == .verification(token.record.code))
    for (outcome, result) in [
      (PushOutcome.deviceBusy, PushResult.deviceBusy), (.serviceUnavailable("x"), .serviceUnavailable),
    ] {
      #expect(try await test.finish(push, outcome) == result)
      #expect(try await test.prepared(token) == push)
    }
    #expect(try await test.finish(push, .delivered) == .done)
    #expect(try await test.execute(.tchk, token.record.id).response == .tkn(.confirmed))
    #expect(try await test.prepared(token) == nil)
  }

  @Test func periodicPushesFollowTheOthers() async throws {
    let test = try TestStore()
    let token = try await test.token()
    try await test.subscribe(token, TestRequests.queue(1))
    #expect(try await test.prepared(token, [.check])?.content == .check)
    try await test.notify(TestRequests.queue(1))
    #expect(try await test.prepared(token, [.check, .messages])?.kind == .messages)
  }

  @Test func unverifiedTokensAreFound() async throws {
    let test = try TestStore()
    let token = try await test.token(isActive: false)
    _ = try await test.token(TestRequests.newToken(PushDevice(service: .apple, token: "aa")))
    let found = { (time: Int64) in
      try await test.read { (records) throws(NotificationStoreError) in
        try records.unverifiedTokens(registeredBefore: time, limit: 10)
      }
    }
    #expect(try await found(1_000_000) == [])
    #expect(try await found(1_000_001) == [token.number])
  }

  private func messages(_ push: PreparedPush) -> [PushedMessage] {
    if case .messages(let messages) = push.content { messages } else { [] }
  }
}

@Suite("What was answered is durable") struct DurabilityTests {
  /// A kill at any time leaves everything that was answered, and pushes that were not accepted are repeated.
  @Test func aKillLosesNothing() async throws {
    let test = try TestStore()
    let token = try await test.token()
    let waiting = try await test.token(
      TestRequests.newToken(PushDevice(service: .apple, token: "aa")), isActive: false)
    for number in 1...5 { try await test.subscribe(token, TestRequests.queue(number, relay: number % 2)) }
    try await test.notify(TestRequests.queue(1, relay: 1))
    let push = try #require(try await test.prepared(token))
    let killed = try TestStore(folder: test.copyAsKilled())
    #expect(try await killed.prepared(token) == push)
    #expect(try await tokensWithPushes(killed) == [token.number, waiting.number])
    #expect(try await killed.store.wantedSubscriptions(after: 0, limit: 10).subscriptions.count == 5)
    await killed.store.close()
    try await test.finish(push, .delivered)
    let later = try TestStore(folder: test.copyAsKilled())
    #expect(try await later.prepared(token) == nil)
    #expect(try await tokensWithPushes(later) == [waiting.number])
    // The numbers of notifications go on.
    try await later.notify(TestRequests.queue(2))
    let next = try #require(try await later.prepared(token))
    #expect(next.lastNumber > push.lastNumber)
    await later.store.close()
  }

  @Test func aStoreIsUsedOnce() async throws {
    let test = try TestStore()
    #expect(throws: NotificationStoreError.inUse) {
      try SQLiteNotificationStore(databaseFile: TestStore.database(in: test.folder))
    }
    await test.store.close()
    await #expect(throws: NotificationStoreError.closed) {
      try await test.read { (records) throws(NotificationStoreError) in try records.usage() }
    }
    let again = try TestStore(folder: test.folder)
    await again.store.close()
  }

  @Test func pagesOfSubscriptionsAreComplete() async throws {
    let test = try TestStore()
    let token = try await test.token()
    for number in 0..<25 { try await test.subscribe(token, TestRequests.queue(number)) }
    var found: [NotifierQueue] = []
    var position: Int64? = 0
    while let after = position {
      let page = try await test.store.wantedSubscriptions(after: after, limit: 10)
      found += page.subscriptions.map(\.queue)
      position = page.next
    }
    #expect(found == (0..<25).map { TestRequests.queue($0) })
  }

  /// One transaction that fails takes no other one with it.
  @Test func aFailureIsRevertedAlone() async throws {
    let test = try TestStore()
    let token = try await test.token()
    let record = SubscriptionRecord(
      id: EntityID([9]), token: token.number, queue: TestRequests.queue(1), notifierKey: TestRequests.notifierKey,
      status: .new)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          _ = try? await test.read { (records) throws(NotificationStoreError) in
            try records.insert(record)
            try records.insert(record)
          }
        }
        group.addTask { _ = try? await test.token(TestRequests.newToken(.test), isActive: false) }
      }
    }
    let usage = try await test.read { (records) throws(NotificationStoreError) in try records.usage() }
    #expect(usage.subscriptions == 0 && usage.tokens == 21)
    await #expect(throws: NotificationStoreError.duplicate) {
      try await test.read { (records) throws(NotificationStoreError) in
        try records.insert(record)
        try records.insert(record)
      }
    }
  }

  private func tokensWithPushes(_ test: TestStore) async throws -> [TokenNumber] {
    try await test.read { (records) throws(NotificationStoreError) in
      try records.tokensWithPushes(after: TokenNumber(0), limit: 10).map(\.number)
    }
  }
}
