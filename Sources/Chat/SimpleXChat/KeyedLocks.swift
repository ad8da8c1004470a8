/// Locks for what takes several asynchronous steps: commands of several turns, by the link, request, group or
/// connection that they are about, and changes of the network configuration and of the lifecycle. They are granted in
/// order.
///
/// Turns need no locks among themselves. Of two concurrent attempts to join by one link, or to accept one request, the
/// second one waits, and finds what the first one stored.
struct KeyedLocks {
  /// What is locked.
  enum Key: Hashable, Sendable {
    case request(Int64)
    case link(String)
    case invitation(group: Int64)
    /// The profile of a pending connection, by its database id.
    case pendingConnection(Int64)
    /// The network configuration.
    case network
    /// The session with a desktop.
    case desktop
    /// The start of sessions with mobile devices.
    case mobiles
    /// Closing, opening, suspending and activating.
    case lifecycle
  }

  private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

  /// Takes the lock if nobody has it.
  mutating func take(_ key: Key) -> Bool {
    guard waiting[key] == nil else { return false }
    waiting[key] = []
    return true
  }

  /// Waits until the lock is released.
  mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
    waiting[key, default: []].append(continuation)
  }

  /// Passes the lock to the next waiter.
  mutating func release(_ key: Key) {
    guard var queue = waiting[key] else { return }
    guard !queue.isEmpty else {
      waiting[key] = nil
      return
    }
    let next = queue.removeFirst()
    waiting[key] = queue
    next.resume()
  }
}

extension ChatController {
  /// Runs `body` while nothing else holds the lock of this key. Must not be nested for one key. A cancelled task waits
  /// too, and runs `body`.
  func locked<Value: Sendable, Failure: Error>(
    _ key: KeyedLocks.Key, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if !locks.take(key) { await withCheckedContinuation { locks.wait(key, $0) } }
    defer { locks.release(key) }
    return try await body()
  }
}
