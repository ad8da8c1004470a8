import CZlib

/// A stream of zlib in either direction.
///
/// zlib keeps the address of the stream, so that lives in memory of its own.
struct Compression: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private let isDeflating: Bool

  /// Begins a stream.
  init(deflating: Bool) throws(ZipError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard (deflating ? simplex_deflate_init(stream) : simplex_inflate_init(stream)) == Z_OK else {
      stream.deallocate()
      throw .unsupported("no memory for compression")
    }
    self.stream = stream
    isDeflating = deflating
  }

  deinit {
    _ = isDeflating ? deflateEnd(stream) : inflateEnd(stream)
    stream.deallocate()
  }

  /// Processes all of `input` and passes the result to `output`, in parts; `isLast` ends the stream when compressing.
  /// True when the stream has ended.
  mutating func process(
    _ input: [UInt8], isLast: Bool, _ output: (ArraySlice<UInt8>) throws(ZipError) -> Void
  ) throws(ZipError) -> Bool {
    var input = input
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var position = 0
    while true {
      var result = Z_OK
      var produced = 0
      input.withUnsafeMutableBufferPointer { input in
        buffer.withUnsafeMutableBufferPointer { buffer in
          stream.pointee.next_in = input.baseAddress.map { $0 + position }
          stream.pointee.avail_in = UInt32(clamping: input.count - position)
          stream.pointee.next_out = buffer.baseAddress
          stream.pointee.avail_out = UInt32(clamping: buffer.count)
          result =
            isDeflating ? deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH) : inflate(stream, Z_NO_FLUSH)
          position = input.count - Int(stream.pointee.avail_in)
          produced = buffer.count - Int(stream.pointee.avail_out)
        }
      }
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
        throw .damaged("compressed data")
      }
      if produced > 0 { try output(buffer[..<produced]) }
      if result == Z_STREAM_END { return true }
      if position == input.count && produced < buffer.count { return false }
      if result == Z_BUF_ERROR && produced == 0 { return false }
    }
  }
}

/// The checksum of an archive's files.
struct Checksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBufferPointer { buffer in
      value = UInt32(truncatingIfNeeded: crc32(UInt(value), buffer.baseAddress, UInt32(clamping: buffer.count)))
    }
  }
}
