import RemoteControlProtocol
import Synchronization

/// The bytes of all frames of a session that are being received at the same time. Each frame has a limit of its own,
/// but a peer may have many streams.
final class FrameBudget: Sendable {
  private let used = Mutex(0)
  private let limit: Int

  init(limit: Int = RemoteLimits.frameBytes) { self.limit = limit }

  /// Takes bytes.
  /// - Throws: `invalidSize` where the limit would be exceeded.
  func take(_ count: Int) throws(FrameError) {
    let isTaken = used.withLock { used in
      guard used + count <= limit else { return false }
      used += count
      return true
    }
    if !isTaken { throw .invalidSize }
  }

  /// Returns bytes that were taken.
  func release(_ count: Int) { used.withLock { $0 -= count } }
}

/// Bytes of a budget, which are returned with the last reference to the share.
final class FrameShare: Sendable {
  private let budget: FrameBudget
  private let taken = Mutex(0)

  init(of budget: FrameBudget) { self.budget = budget }

  deinit { budget.release(taken.withLock { $0 }) }

  /// Takes bytes.
  /// - Throws: `exception` where the limit would be exceeded.
  func take(_ count: Int) throws(FrameError) {
    do throws(FrameError) { try budget.take(count) } catch {
      throw .exception("the responses to all requests are too long together; try again")
    }
    taken.withLock { $0 += count }
  }
}
