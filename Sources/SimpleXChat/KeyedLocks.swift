import ChatAPI

/// Who does something to a thing, and who waits to.
///
/// The controller's transactions need no locks. What takes several of them with waiting in between, as sending a
/// message and then storing that the agent took it, does, so that messages of a chat keep their order and what the
/// agent says of them finds them.
struct KeyedLocks {
  /// What is locked.
  enum Key: Hashable, Sendable {
    case contact(Int64)
    case connection(Int64)
    case request(Int64)
    case link(String)
  }

  private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

  /// Takes the lock if nobody has it.
  mutating func take(_ key: Key) -> Bool {
    guard waiting[key] == nil else { return false }
    waiting[key] = []
    return true
  }

  /// Waits behind whoever has the lock.
  mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
    waiting[key, default: []].append(continuation)
  }

  /// Gives the lock to the next one.
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
  /// Runs `body` while nobody else does something to the same thing.
  func locked<Value: Sendable>(
    _ key: KeyedLocks.Key, _ body: () async throws(ChatError) -> Value
  ) async throws(ChatError) -> Value {
    try await locked(key) { (_) async throws(ChatError) in try await body() }
  }

  /// Runs `body` while nobody else does something to the same thing, and says whether somebody did just before.
  func locked<Value: Sendable>(
    _ key: KeyedLocks.Key, _ body: (Bool) async throws(ChatError) -> Value
  ) async throws(ChatError) -> Value {
    let waits = !locks.take(key)
    if waits { await withCheckedContinuation { locks.wait(key, $0) } }
    defer { locks.release(key) }
    return try await body(waits)
  }
}
