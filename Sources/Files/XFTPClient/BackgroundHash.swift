import Dispatch
import SimplexCrypto
import Synchronization

/// The digest of a whole file, computed in parallel with its encryption, which takes about as long.
///
/// Unchecked: the hash is used on one queue alone.
final class BackgroundHash: @unchecked Sendable {
  private let queue = DispatchQueue(label: "XFTPClient.digest")
  /// Bounds the parts that wait, and so the memory.
  private let room = DispatchSemaphore(value: 4)
  private var hash: IncrementalHash?
  /// Parts that were hashed, for reuse: their memory is mapped already.
  private let used = Mutex<[[UInt8]]>([])

  init(_ function: HashFunction) { hash = IncrementalHash(function) }

  /// Memory for a part, with any content.
  func part(_ count: Int) -> [UInt8] {
    let part = used.withLock { $0.popLast() }
    guard let part, part.count == count else { return [UInt8](repeating: 0, count: count) }
    return part
  }

  /// Adds a part; waits while four are not hashed yet.
  func update(_ part: [UInt8]) {
    room.wait()
    let box = Part(part)
    queue.async {
      guard let part = box.take() else { return }
      self.hash?.update(part.span.bytes)
      self.used.withLock { $0.append(part) }
      self.room.signal()
    }
  }

  /// The digest of all parts. Called once; it is empty afterwards.
  func finish() -> [UInt8] { queue.sync { hash.take()?.finish() ?? [] } }

  /// A part on its way, which does not keep it once it was taken: it could not be used again without a copy.
  private final class Part: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func take() -> [UInt8]? { bytes.withLock { $0.take() } }
  }
}
