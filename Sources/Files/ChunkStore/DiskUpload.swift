import FileAccess
import SimplexCrypto
import Synchronization
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A chunk on its way to the disk.
///
/// Unchecked: it is used by one task, and its number of the file is from a counter.
final class DiskUpload: ChunkUpload, @unchecked Sendable {
  /// The end of temporary names.
  static let suffix = ".part"
  /// The bytes that are passed on to the disk together.
  private static let flushedAtOnce: Int64 = 1 << 20
  private static let counter = Atomic<UInt64>(0)

  private let chunk: ChunkRecord
  private let store: DiskChunkStore
  private let draft: String
  private var file: FileDescriptor?
  private var hash: IncrementalHash?
  private var written: Int64 = 0
  /// How much of it the system is writing to the disk.
  private var flushing: Int64 = 0
  private var holdsSpace = true
  /// Whether the file has its final name.
  private var isInPlace = false
  private var flushed: Result<Void, ChunkStoreError>?

  init(of chunk: ChunkRecord, in store: DiskChunkStore) throws(FileError) {
    self.chunk = chunk
    self.store = store
    // Several connections may upload the same chunk at once.
    let number = Self.counter.add(1, ordering: .relaxed).newValue
    draft = "\(store.path(of: chunk.senderID)).\(number)\(Self.suffix)"
    file = try FileDescriptor(draft, .writing)
    hash = IncrementalHash(.sha256)
  }

  deinit { abort() }

  func write(_ bytes: [UInt8]) throws(ChunkStoreError) {
    guard written + Int64(bytes.count) <= Int64(chunk.size) else { throw .size }
    guard file != nil else { throw .closed }
    hash?.update(bytes.span.bytes)
    do throws(FileError) {
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file?.write(bytes) }
    } catch {
      throw ChunkStoreError(error)
    }
    written += Int64(bytes.count)
    beginFlushing()
  }

  /// Has the system write what has come to the disk while the rest comes, so that the flush at the end is short.
  private func beginFlushing() {
    #if !canImport(Darwin)
      guard written - flushing >= Self.flushedAtOnce, let descriptor = file?.raw else { return }
      // Linux begins to write the range, and gives up only pages that are on the disk already.
      posix_fadvise(descriptor, off_t(flushing), off_t(written - flushing), POSIX_FADV_DONTNEED)
      flushing = written
    #endif
  }

  func flush() {
    guard flushed == nil else { return }
    do throws(ChunkStoreError) {
      try moveInPlace()
      flushed = .success(())
    } catch {
      flushed = .failure(error)
    }
  }

  func finish() async throws(ChunkStoreError) {
    flush()
    do throws(ChunkStoreError) { try flushed?.get() } catch {
      if isInPlace { await store.discard(chunk) }
      throw error
    }
    try await store.uploaded(chunk)
    releaseSpace()
  }

  /// Flushes the bytes, then the name.
  private func moveInPlace() throws(ChunkStoreError) {
    guard written == Int64(chunk.size) else { throw .size }
    guard let hash = hash.take(), file != nil else { throw .closed }
    guard hash.finish() == chunk.digest else { throw .digest }
    let path = store.path(of: chunk.senderID)
    do throws(FileError) {
      try file?.sync()
      guard rename(draft, path) == 0 else { throw FileError(.rename, path, code: errno) }
      file = nil
      isInPlace = true
      try FileDescriptor.syncFolder(of: path)
    } catch {
      throw ChunkStoreError(error)
    }
  }

  func abort() {
    releaseSpace()
    guard file != nil else { return }
    file = nil
    unlink(draft)
  }

  private func releaseSpace() {
    guard holdsSpace else { return }
    holdsSpace = false
    store.releaseReservation(Int64(chunk.size))
  }
}

/// A chunk on its way from the disk.
///
/// Unchecked: it is used by one task.
final class DiskReader: ChunkReader, @unchecked Sendable {
  private let file: FileDescriptor

  init(_ path: String) throws(FileError) { file = try FileDescriptor(path, .reading) }

  func read(_ count: Int) throws(ChunkStoreError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { space, size in
      do throws(FileError) { size = try file.read(UnsafeMutableRawBufferPointer(space)) } catch { failure = error }
    }
    if let failure { throw ChunkStoreError(failure) }
    return bytes
  }
}
