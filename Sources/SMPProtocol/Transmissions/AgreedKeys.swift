import SimplexCrypto
import Synchronization

/// The box keys of one session with those who have authorized something in it, so that a key is agreed once and not
/// for every command: agreeing takes 50 µs, an authenticator 1 µs.
///
/// Only keys that proved themselves are kept. Whoever has not the right key finds no difference between a queue that
/// exists and one that does not: both are slow.
final class AgreedKeys: Sendable {
  /// Each takes about 250 bytes; a client that uses more queues at once loses some.
  private static let limit = 64

  private let keys = Mutex<[X25519.PublicKey: BoxKey]>([:])

  subscript(key: X25519.PublicKey) -> BoxKey? { keys.withLock { $0[key] } }

  func keep(_ boxKey: BoxKey, for key: X25519.PublicKey) {
    keys.withLock { keys in
      if keys.count >= Self.limit, let dropped = keys.keys.first { keys[dropped] = nil }
      keys[key] = boxKey
    }
  }
}
