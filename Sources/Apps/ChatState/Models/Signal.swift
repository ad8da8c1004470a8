import Observation

/// Notifies views that a part of the state changed: reading it registers for the next change.
@Observable
@MainActor
final class Signal {
  private var count = 0
  /// Called before the readers are notified.
  @ObservationIgnored var willFire: @MainActor () -> Void = {}

  /// Registers the reader.
  func read() { _ = count }

  /// Notifies the readers.
  func fire() {
    willFire()
    count &+= 1
  }
}
