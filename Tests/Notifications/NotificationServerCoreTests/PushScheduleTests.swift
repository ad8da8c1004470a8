import NotificationProtocol
import SMPClientCore
import Testing

@testable import NotificationServerCore

/// A schedule with its clock.
private struct Clock {
  var schedule: PushSchedule
  var now: Int64 = 1_000
  private var random = SystemRandomNumberGenerator()

  init(_ change: (inout PushSchedule.Settings) -> Void = { _ in }) {
    var settings = PushSchedule.Settings()
    change(&settings)
    schedule = PushSchedule(settings)
  }

  mutating func want(
    _ token: Int64, _ kind: PushKind = .messages, _ service: PushService = .apple, notBefore: Int64 = 0
  ) {
    schedule.want(kind, of: TokenNumber(token), service, at: now, notBefore: notBefore)
  }

  mutating func take() -> [Int64] { schedule.take(at: now).map(\.token.value) }

  mutating func finish(_ token: Int64, _ result: PushResult = .done, sent kind: PushKind? = .messages) {
    schedule.finished(TokenNumber(token), sent: kind, result, at: now, random: &random)
  }

  /// Moves to the time at which something is due.
  mutating func moveOn() throws { now = max(now, try #require(schedule.nextDue)) }
}

@Suite("When pushes are sent") struct PushScheduleTests {
  @Test func theFirstPushGoesAtOnceAndTheNextCollects() throws {
    var clock = Clock()
    clock.want(1)
    #expect(clock.take() == [1])
    clock.now += 20
    clock.want(1)
    clock.finish(1)
    clock.now += 20
    clock.want(1)
    #expect(clock.take() == [])
    try clock.moveOn()
    #expect(clock.now == 1_300)
    #expect(clock.take() == [1])
    clock.finish(1)
    try clock.moveOn()
    #expect(clock.take() == [])
    #expect(clock.schedule.count == 0 && clock.schedule.nextDue == nil)
    clock.want(1)
    #expect(clock.take() == [1])
  }

  @Test func oneTokenHasOnePushInFlight() {
    var clock = Clock { $0.collectingTime = 0 }
    clock.want(1)
    clock.want(2)
    #expect(Set(clock.take()) == [1, 2])
    clock.want(1)
    clock.now += 10_000
    #expect(clock.take() == [])
    clock.finish(1)
    #expect(clock.take() == [1])
    #expect(clock.schedule.inFlight == 2)
  }

  @Test func thePushesInFlightAreLimited() {
    var clock = Clock { $0.inFlightLimit = 3 }
    for token in Int64(1)...5 { clock.want(token) }
    let first = clock.take()
    #expect(first.count == 3)
    #expect(clock.schedule.nextDue == nil)
    clock.finish(first[0])
    #expect(clock.take().count == 1)
  }

  @Test func severalKindsAreSentOneAfterTheOther() throws {
    var clock = Clock()
    clock.want(1, .check)
    clock.want(1, .verification)
    let jobs = clock.schedule.take(at: clock.now)
    #expect(jobs == [PushSchedule.Job(token: TokenNumber(1), kinds: [.check, .verification])])
    clock.finish(1, sent: .verification)
    try clock.moveOn()
    #expect(clock.schedule.take(at: clock.now) == [PushSchedule.Job(token: TokenNumber(1), kinds: [.check])])
  }

  @Test func aBusyDeviceWaitsAloneAndLonger() throws {
    var clock = Clock {
      $0.deviceBackoff = Backoff.Policy(initial: 5_000, limit: 600_000)
    }
    clock.want(1)
    clock.want(2)
    _ = clock.take()
    clock.finish(2)
    clock.finish(1, .deviceBusy)
    // A further notification does not end the delay.
    clock.want(1)
    let due = try #require(clock.schedule.nextDue)
    #expect(due <= clock.now + 5_000)
    while clock.take() != [1] { try clock.moveOn() }
    clock.finish(1)
    clock.now += 1_000
    clock.want(1)
    #expect(clock.take() == [1])
  }

  @Test func aServiceThatFailsIsTriedWithOnePush() throws {
    var clock = Clock { $0.collectingTime = 0 }
    for token in Int64(1)...50 { clock.want(token) }
    clock.want(100, .messages, .appleDevelopment)
    #expect(clock.take().count == 51)
    for token in Int64(1)...50 { clock.finish(token, .serviceUnavailable) }
    clock.finish(100)
    // The other service goes on.
    clock.now += 1
    clock.want(101, .messages, .appleDevelopment)
    #expect(clock.take() == [101])
    clock.finish(101)
    for _ in 0..<3 {
      var tried: [Int64] = []
      while tried.isEmpty {
        try clock.moveOn()
        tried = clock.take()
      }
      #expect(tried.count == 1)
      #expect(clock.take() == [])
      clock.finish(tried[0], .serviceUnavailable)
    }
    var tried: [Int64] = []
    while tried.isEmpty {
      try clock.moveOn()
      tried = clock.take()
    }
    clock.finish(tried[0])
    #expect(clock.take().count == 49)
  }

  @Test func whatIsForgottenBlocksNothing() throws {
    var clock = Clock { $0.collectingTime = 0 }
    for token in Int64(1)...3 { clock.want(token) }
    _ = clock.take()
    for token in Int64(1)...3 { clock.finish(token, .serviceUnavailable) }
    _ = clock.take()
    clock.schedule.forget(TokenNumber(1))
    clock.schedule.forget(TokenNumber(3))
    var tried: [Int64] = []
    while tried.isEmpty {
      try clock.moveOn()
      tried = clock.take()
    }
    #expect(tried == [2])
    clock.schedule.forget(TokenNumber(2))
    clock.finish(2)
    #expect(clock.schedule.count == 0 && clock.schedule.inFlight == 0)
  }

  @Test func aTimeIsWaitedFor() throws {
    var clock = Clock()
    clock.want(1, .verification, notBefore: 31_000)
    #expect(clock.take() == [])
    // A notification does not wait for the code.
    clock.now += 500
    clock.want(1)
    #expect(clock.take() == [1])
  }
}

@Suite("How often codes are pushed to a device") struct VerificationLimitsTests {
  @Test func codesHaveAnIntervalAndADailyLimit() {
    var limits = VerificationLimits()
    let device = PushDevice(service: .apple, token: "00")
    let times = (0..<25).map { _ in limits.reserve(device, at: 5_000) }
    #expect(times.prefix(3) == [5_000, 35_000, 65_000])
    #expect(times.count { $0 != nil } == 20)
    let other = limits.reserve(PushDevice(service: .apple, token: "01"), at: 5_000)
    #expect(other == 5_000)
    let nextDay = limits.reserve(device, at: 5_000 + 86_400_001)
    #expect(nextDay == 86_405_001)
  }
}
