import SimplexCrypto
import Synchronization

/// The box keys of one session with those who have authorized something in it, so that a key is agreed once and not
/// for every command: agreeing takes 50 µs, an authenticator 1 µs.
///
/// Only keys that proved themselves are kept. Whoever has not the right key finds no difference between a queue that
/// exists and one that does not: both are slow.
final class AgreedKeys: Sendable {
  /// Each takes about 250 bytes; those of the last so many queues are kept, and of up to as many before.
  private static let limit = 32

  private let keys = Mutex(RecentValues<X25519.PublicKey, BoxKey>(limit: limit))

  subscript(key: X25519.PublicKey) -> BoxKey? { keys.withLock { $0[key] } }

  func keep(_ boxKey: BoxKey, for key: X25519.PublicKey) { keys.withLock { $0[key] = boxKey } }
}
