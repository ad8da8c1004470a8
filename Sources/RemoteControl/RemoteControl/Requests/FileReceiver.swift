import FileAccess
import RemoteControlCore
import RemoteControlProtocol
import SimplexCrypto

/// Writes the file behind a frame from its parts, in constant memory. Its content is not authentic before ``finish()``
/// has returned.
///
/// Unchecked: one step at a time uses it.
final class FileReceiver: @unchecked Sendable {
  private let size: UInt32
  private let digest: FileDigest
  private let file: FileDescriptor
  private var box: BoxStream?
  private var hash: IncrementalHash? = IncrementalHash(.sha512)
  private var head: [UInt8] = []
  private var remaining: Int
  private var tag: [UInt8] = []

  /// Creates the file, which only its owner can read.
  /// - Parameters:
  ///   - size: the size that the peer declared, in bytes.
  ///   - digest: the digest that the peer declared.
  init(_ path: String, size: UInt32, digest: FileDigest, key: OneTimeKey) throws(FrameError) {
    do { file = try FileDescriptor(path, .creating) } catch { throw .exception(error.description) }
    self.size = size
    self.digest = digest
    remaining = Int(size)
    box = BoxStream(.open, key: key.key, nonce: key.nonce)
  }

  /// Takes the next bytes of the body.
  /// - Throws: `noFile`, `fileSize` for a wrong head, `invalidBody` for bytes behind the file, `exception` if the file
  ///   cannot be written.
  func append(_ part: [UInt8]) throws(FrameError) {
    var part = part[...]
    if head.count < FrameFileHead.size {
      let count = min(part.count, FrameFileHead.size - head.count)
      head += part.prefix(count)
      part = part.dropFirst(count)
      if head.count == FrameFileHead.size { _ = try FrameFileHead(head, declared: size) }
    }
    let count = min(part.count, remaining)
    if count > 0 { try write(Array(part.prefix(count))) }
    remaining -= count
    part = part.dropFirst(count)
    let tagCount = min(part.count, AuthTag.size - tag.count)
    tag += part.prefix(tagCount)
    guard part.count == tagCount else { throw .invalidBody("bytes behind the file") }
  }

  private func write(_ ciphertext: [UInt8]) throws(FrameError) {
    guard let text = box?.process(ciphertext.span.bytes) else { return }
    hash?.update(text)
    do throws(FileError) {
      try text.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
    } catch {
      throw .exception(error.description)
    }
  }

  /// Checks the whole file, when the body has ended.
  /// - Throws: `noFile` if there is none, `fileSize` if it ends early, `remoteControl(.decrypt)` if it is not
  ///   authentic, `fileDigest` if it is not the declared one.
  func finish() throws(FrameError) {
    if head.count < FrameFileHead.size { _ = try FrameFileHead(head, declared: size) }
    guard remaining == 0, tag.count == AuthTag.size, let tag = try? AuthTag(tag.span.bytes) else { throw .fileSize }
    guard let box = box.take(), let hash = hash.take() else { throw .fileSize }
    do { try box.finish(verifying: tag) } catch { throw .remoteControl(.decrypt) }
    guard hash.finish() == digest.bytes else { throw .fileDigest }
  }
}
