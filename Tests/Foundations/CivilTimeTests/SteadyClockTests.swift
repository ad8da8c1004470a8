import CivilTime
import Synchronization
import Testing

struct SteadyClockTests {
  /// The time that passed, as a test sets it.
  private final class Elapsed: Sendable {
    let time = Mutex(Duration.zero)
  }

  @Test func addsWhatPassedToTheTimeOfItsStart() {
    let elapsed = Elapsed()
    let clock = SteadyClock(millisecondsSince1970: 1_700_000_000_000) { elapsed.time.withLock { $0 } }
    #expect(clock.milliseconds == 1_700_000_000_000)
    elapsed.time.withLock { $0 = .seconds(3_600) + .microseconds(1_999) }
    #expect(clock.milliseconds == 1_700_003_600_001)
  }

  @Test func neverGoesBack() {
    let clock = SteadyClock(millisecondsSince1970: 0)
    let times = (0..<1_000).map { _ in clock.milliseconds }
    #expect(times == times.sorted())
    #expect(times[0] >= 0)
  }
}
