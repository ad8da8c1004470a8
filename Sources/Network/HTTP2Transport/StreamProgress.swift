import NIOCore
import Synchronization

/// When a stream last made progress, for all threads.
final class StreamProgress: Sendable {
  /// The number of bytes that count as progress.
  static let step = 16 << 10

  private let last = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

  /// Notes that a step has passed.
  func note() { last.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

  /// The time since then.
  var idleTime: Duration {
    let now = NIODeadline.now().uptimeNanoseconds
    let last = last.load(ordering: .relaxed)
    return .nanoseconds(Int64(clamping: now > last ? now - last : 0))
  }
}
