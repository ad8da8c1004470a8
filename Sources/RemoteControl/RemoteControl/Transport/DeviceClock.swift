import CivilTime
import RemoteControlCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Both clocks of the device.
struct DeviceClock: Sendable {
  private let steady = SteadyClock(millisecondsSince1970: Int64(time(nil)) * 1_000)

  /// The time of both clocks now.
  var reading: ClockReading {
    ClockReading(milliseconds: steady.milliseconds, unixSeconds: Int64(time(nil)))
  }
}

/// Reports when the deadline of a machine has come.
struct DeadlineTimer {
  private var task: Task<Void, Never>?
  private var deadline: Int64?

  /// Waits for another deadline, in milliseconds of the clock; nil for none.
  mutating func schedule(_ next: Int64?, clock: DeviceClock, _ report: @escaping @Sendable () -> Void) {
    guard next != deadline else { return }
    cancel()
    deadline = next
    guard let next else { return }
    let wait = Duration.milliseconds(max(1, next - clock.reading.milliseconds))
    task = Task {
      try? await Task.sleep(for: wait, clock: .continuous)
      if !Task.isCancelled { report() }
    }
  }

  /// Forgets the deadline, which has come or does not matter any more.
  mutating func cancel() {
    task?.cancel()
    task = nil
    deadline = nil
  }
}
