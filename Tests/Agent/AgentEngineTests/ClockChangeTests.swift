import AgentCore
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Testing

@testable import AgentEngine

/// A clock that is wrong at a start makes nothing expire, and stops no retry.
@Suite struct ClockChangeTests {
  private static let day: Int64 = 86_400_000

  /// A message waits for its relay; then the program starts with another time.
  private func restart(after shift: Int64) throws -> Pair {
    let pair = try Pair()
    pair.alice.outage = .network(.connectError(connectError: "down"))
    _ = try pair.alice.send("waits", to: pair.a)
    pair.world.pass(10 * 60_000, pair.alice)
    pair.alice.forgetEvents()
    pair.world.now += shift
    try pair.alice.restart()
    pair.world.pass(2 * 60_000, pair.alice)
    return pair
  }

  private func failures(_ agent: TestAgent) -> Int {
    agent.events.filter { event in
      switch event.kind {
      case .messageFailed, .messagesFailed: true
      default: false
      }
    }.count
  }

  @Test(arguments: [5_184_000_000, -5_184_000_000] as [Int64])
  func messagesOutliveAWrongClock(_ shift: Int64) throws {
    let pair = try restart(after: shift)
    #expect(failures(pair.alice) == 0)
    pair.alice.outage = nil
    pair.world.pass(2 * 60_000, pair.alice)
    #expect(pair.bob.texts == ["waits"])
  }

  /// Messages still expire, after the time that the program runs.
  @Test(arguments: [5_184_000_000, -5_184_000_000] as [Int64])
  func messagesExpireByRunningTime(_ shift: Int64) throws {
    let pair = try restart(after: shift)
    for _ in 0..<3 { pair.world.pass(Self.day, pair.alice) }
    #expect(failures(pair.alice) == 1)
  }

  @Test func onlyImplausibleTimesShiftWhatIsStored() {
    let day = Self.day
    func shift(_ last: Int64, _ now: Int64) -> Int64 {
      AgentMachine.shift(from: last, to: now, longestAbsence: day)
    }
    #expect(shift(10 * day, 10 * day) == 0)
    #expect(shift(10 * day, 11 * day) == 0)
    #expect(shift(10 * day, 15 * day) == 4 * day)
    #expect(shift(10 * day, 10 * day - 1_000) == 0)
    #expect(shift(10 * day, 7 * day) == -3 * day)
    #expect(shift(.min, .max) == 0)
  }
}
