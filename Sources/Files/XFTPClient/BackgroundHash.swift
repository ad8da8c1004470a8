import Dispatch
import SimplexCrypto

/// The digest of a whole file, computed beside its encryption, which takes about as long.
///
/// Unchecked: the hash is used on one queue alone.
final class BackgroundHash: @unchecked Sendable {
  private let queue = DispatchQueue(label: "XFTPClient.digest")
  /// Few parts wait, so that memory is constant.
  private let room = DispatchSemaphore(value: 4)
  private var hash: IncrementalHash?

  init(_ function: HashFunction) { hash = IncrementalHash(function) }

  /// Adds a part; waits where others are behind.
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
