import Observation

/// Tells views that a part of the state changed: reading it registers for the next change.
@Observable
@MainActor
final class Signal {
  private var count = 0

  /// Registers the reader.
  func read() { _ = count }

  /// Tells the readers.
  func fire() { count &+= 1 }
}
