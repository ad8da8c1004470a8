import Foundation
import QueueStore
import RelayChassis
import SMPProtocol
import SMPServerCore
import SQLiteKit
import Synchronization
import Testing

@testable import SMPServer

/// What a wrong clock may delete: nothing at once.
@Suite(.timeLimit(.minutes(2))) struct ExpiryClockTests {
  /// A wall clock and the time that has passed, which tests move.
  private final class Times: Sendable {
    private let state = Mutex((wall: Int64(1_000_000_000), running: Int64(0)))
    let lines = Lines()

    func clock() -> ExpiryClock {
      ExpiryClock(
        wall: { self.state.withLock { $0.wall } }, running: { self.state.withLock { $0.running } }, report: lines.add)
    }

    var wall: Int64 { state.withLock { $0.wall } }

    /// Time passes.
    func pass(_ seconds: Int64) {
      state.withLock {
        $0.wall += seconds
        $0.running += seconds
      }
    }

    /// Somebody sets the clock.
    func set(by seconds: Int64) { state.withLock { $0.wall += seconds } }
  }

  private static let day: Int64 = 86_400

  @Test(arguments: [nil, 0, 86_400, -2_592_000] as [Int64?]) func aPlausibleStartIsTrusted(_ stopped: Int64?) {
    let times = Times()
    let clock = times.clock()
    #expect(clock.now == nil, "before the store was asked")
    clock.begin(lastAlive: stopped.map { times.wall - $0 })
    #expect(clock.now == times.wall)
    times.pass(50 * Self.day)
    #expect(clock.now == times.wall, "the machine slept")
    #expect(times.lines.all == [])
  }

  @Test func aStartFarAheadIsDoubtedForAnHour() {
    let times = Times()
    let clock = times.clock()
    clock.begin(lastAlive: times.wall - 3 * Self.day)
    #expect(clock.now == nil)
    #expect(times.lines.all.count == 1 && times.lines.all[0].contains("3 days ahead"), "\(times.lines.all)")
    times.pass(ExpiryClock.doubtTime - 1)
    #expect(clock.now == nil)
    times.pass(1)
    #expect(clock.now == times.wall)
    #expect(times.lines.all.count == 2)
  }

  @Test func aJumpIsDoubtedUntilItIsCorrected() {
    let times = Times()
    let clock = times.clock()
    clock.begin(lastAlive: times.wall)
    times.pass(7_000)
    #expect(clock.now == times.wall)
    times.set(by: 30 * Self.day)
    #expect(clock.now == nil)
    times.pass(600)
    #expect(clock.now == nil)
    times.set(by: -30 * Self.day)
    #expect(clock.now == times.wall)
    // Back is no danger, and forward again is what it was before.
    times.set(by: -30 * Self.day)
    #expect(clock.now == times.wall)
    times.set(by: 30 * Self.day)
    #expect(clock.now == nil)
  }

  @Test func theOperatorMayTrustIt() {
    let times = Times()
    let clock = times.clock()
    clock.begin(lastAlive: 0)
    #expect(clock.now == nil)
    #expect(clock.trust())
    #expect(clock.now == times.wall)
    #expect(!clock.trust())
    times.set(by: 2 * Self.day)
    #expect(clock.now == nil)
  }

  @Test func extremeTimesDoNotTrap() {
    for last in [Int64.min, .max, 0] {
      let times = Times()
      let clock = times.clock()
      clock.begin(lastAlive: last)
      _ = clock.now
      times.set(by: .max / 2)
      _ = clock.now
    }
  }

  /// While the clock is doubted, sending deletes nothing either, and a notification that waited is not dropped.
  @Test func sendingDeletesNothingByADoubtedClock() async throws {
    let store = MemoryQueueStore()
    let old = currentSeconds() - 30 * Self.day
    _ = try await store.perform(.noteTime(old))
    let lines = Lines()
    try await TestRelay.with(store: store) {
      $0.messageTTL = -10
      $0.expiresMessagesOnSend = true
      $0.queueQuota = 1
      $0.report = lines.add
    } _: { relay in
      let client = try await relay.client()
      let queue = try await client.newQueue(subscription: .onlyCreate)
      #expect(try await client.sendMessage([1], to: queue) == .ok)
      #expect(try await client.sendMessage([2], to: queue) == .err(.QUOTA))
      #expect(lines.all.count == 1)
      // What is doubted is not noted: a restart within the hour doubts it again.
      #expect(try await store.perform(.noteTime(nil)) == .noted(old))
      relay.server.trustClock()
      while try await store.counts().messages > 0 { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  /// The program, with a database from weeks ago: what a clock that is weeks ahead finds.
  @Test func aStartWeeksAheadDeletesNothing() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    var process = try await program.start()
    var client = try await process.client()
    let queue = try await client.newQueue(subscription: .onlyCreate)
    #expect(try await client.sendMessage([7], to: queue) == .ok)
    process.terminate()
    try await process.waitForExit()
    do {
      let database = try SQLiteConnection(path: program.database)
      let weeks = String(30 * Self.day)
      #expect(try database.execute("UPDATE time SET noted = noted - \(weeks) WHERE noted IS NOT NULL") == 1)
      #expect(try database.execute("UPDATE messages SET timestamp = timestamp - \(weeks)") == 1)
    }
    process = try await program.start()
    #expect(process.greeting.contains("Warning: the clock is 30 days ahead"))
    client = try await process.client()
    // Commands of the start that would delete it come before the first one of a client.
    let message = try await client.ask(.get, queue.recipient, key: queue.key)
    #expect(try queue.body(message).body == [7])
    process.terminate()
    try await process.waitForExit()
    // The operator knows better.
    process = try await program.start(["--trust-clock"])
    client = try await process.client()
    while try await client.ask(.get, queue.recipient, key: queue.key) != .ok {
      try await Task.sleep(for: .milliseconds(50))
    }
    process.terminate()
    try await process.waitForExit()
  }
}
