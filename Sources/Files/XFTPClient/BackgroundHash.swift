import Dispatch
import SimplexCrypto

/// The digest of a whole file, computed in parallel with its encryption, which takes about as long.
///
/// Unchecked: the hash is used on one queue alone.
final class BackgroundHash: @unchecked Sendable {
  private let queue = DispatchQueue(label: "XFTPClient.digest")
  /// Bounds the parts that wait, and so the memory.
  private let room = DispatchSemaphore(value: 4)
  private var hash: IncrementalHash?

  init(_ function: HashFunction) { hash = IncrementalHash(function) }

  /// Adds a part; waits while four are not hashed yet.
  func update(_ part: [UInt8]) {
    room.wait()
    queue.async {
      self.hash?.update(part.span.bytes)
      self.room.signal()
    }
  }

  /// The digest of all parts. Called once; it is empty afterwards.
  func finish() -> [UInt8] { queue.sync { hash.take()?.finish() ?? [] } }
}
