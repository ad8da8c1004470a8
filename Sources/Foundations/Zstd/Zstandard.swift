import CZstd
import Synchronization

/// Why a frame was not decompressed.
public enum ZstandardError: Error, Hashable, Sendable {
  /// The frame states that its content is longer than `limit` bytes.
  case tooLarge(limit: Int)
  /// The bytes are no frame, are damaged, or do not state the size of their content.
  case invalid
}

/// Zstandard compression as the protocols use it: level 3, frames that state the size of their content.
public enum Zstandard {
  /// The level of compression; readers take any.
  static let level: Int32 = 3

  /// One frame with `bytes`.
  public static func compress(_ bytes: [UInt8]) -> [UInt8] {
    let context = compressors.take()
    defer { compressors.recycle(context) }
    let bound = ZSTD_compressBound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      let written = ZSTD_compressCCtx(context.pointer, output.baseAddress, bound, bytes, bytes.count, level)
      // It cannot fail: there is room for the worst case.
      count = ZSTD_isError(written) == 0 ? written : 0
    }
  }

  /// The size of a frame's content as the frame states it; nil if it does not, or is no frame.
  public static func contentSize(of frame: [UInt8]) -> Int? {
    let size = simplex_zstd_content_size(frame, frame.count)
    return size > UInt64(Int.max) ? nil : Int(size)
  }

  /// The content of a frame.
  /// - Throws: `tooLarge` before anything is reserved or read if it states more than `limit` bytes, `invalid` if it
  ///   states nothing or is damaged.
  public static func decompress(_ frame: [UInt8], limit: Int) throws(ZstandardError) -> [UInt8] {
    guard let size = contentSize(of: frame) else { throw .invalid }
    guard size <= limit else { throw .tooLarge(limit: limit) }
    let context = decompressors.take()
    defer { decompressors.recycle(context) }
    var isValid = false
    let content = [UInt8](unsafeUninitializedCapacity: size) { output, count in
      let written = ZSTD_decompressDCtx(context.pointer, output.baseAddress, size, frame, frame.count)
      isValid = ZSTD_isError(written) == 0 && written <= size
      count = isValid ? written : 0
    }
    guard isValid else { throw .invalid }
    return content
  }

  private static let compressors = ContextPool(make: ZSTD_createCCtx, free: { ZSTD_freeCCtx($0) })
  private static let decompressors = ContextPool(make: ZSTD_createDCtx, free: { ZSTD_freeDCtx($0) })
}

/// Contexts that are used again: making one costs as much as compressing a message.
///
/// A context belongs to the caller from `take` to `give(back:)`; as many are kept as are used at the same time, up to
/// `limit`.
private struct ContextPool: ~Copyable, Sendable {
  /// Sendable, as only its holder uses it.
  struct Context: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private let idle = Mutex<[Context]>([])
  private let limit = 4
  private let make: @Sendable () -> OpaquePointer?
  private let free: @Sendable (OpaquePointer?) -> Void

  init(
    make: @escaping @Sendable () -> OpaquePointer?, free: @escaping @Sendable (OpaquePointer?) -> Void
  ) {
    self.make = make
    self.free = free
  }

  func take() -> Context { idle.withLock { $0.popLast() } ?? Context(pointer: make()) }

  func recycle(_ context: Context) {
    let isKept = idle.withLock { idle in
      guard idle.count < limit else { return false }
      idle.append(context)
      return true
    }
    if !isKept { free(context.pointer) }
  }
}
