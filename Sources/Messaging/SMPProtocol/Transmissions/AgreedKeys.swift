import SimplexCrypto
import Synchronization

/// The box keys of one session, so that a key is agreed once and not for every command: a key agreement takes 50 µs, an
/// authenticator 1 µs.
///
/// Only keys that authorized something are kept. Without the right key a client cannot distinguish existing queues from
/// others: both are slow.
final class AgreedKeys: Sendable {
  /// Each takes about 250 bytes; those of the last so many queues are kept, and up to as many before.
  private static let limit = 32

  private let keys = Mutex(RecentValues<X25519.PublicKey, BoxKey>(limit: limit))

  subscript(key: X25519.PublicKey) -> BoxKey? { keys.withLock { $0[key] } }

  func keep(_ boxKey: BoxKey, for key: X25519.PublicKey) { keys.withLock { $0[key] = boxKey } }
}
