/// Runs an action at most once in an interval: at once when nothing ran lately, else when the interval has passed.
@MainActor
final class Throttle {
  private let interval: Duration
  private let clock: any Clock<Duration>
  private let action: @MainActor () -> Void
  private var waiting: Task<Void, Never>?
  private var isDue = false

  init(_ interval: Duration, clock: any Clock<Duration>, action: @escaping @MainActor () -> Void) {
    self.interval = interval
    self.clock = clock
    self.action = action
  }

  /// Asks for the action.
  func request() {
    if waiting != nil {
      isDue = true
      return
    }
    wait()
    action()
  }

  private func wait() {
    let (clock, interval) = (clock, interval)
    waiting = Task { @MainActor [weak self] in
      try? await clock.sleep(for: interval)
      guard let self else { return }
      waiting = nil
      guard isDue else { return }
      isDue = false
      wait()
      action()
    }
  }
}
