import WireCodec
import Zstd

/// A piece of a compressed message: short ones are left as they are.
enum CompressedChunk: Hashable, Sendable {
  /// Up to 255 bytes that are not compressed.
  case plain([UInt8])
  /// A Zstandard frame of up to 65,535 bytes.
  case frame([UInt8])

  /// The size up to which bytes are not worth compressing.
  static let plainLimit = 180

  init(compressing bytes: [UInt8]) {
    self = bytes.count <= Self.plainLimit ? .plain(bytes) : .frame(Zstandard.compress(bytes))
  }

  /// The size of the content as stated; nil for a frame that does not state it.
  var contentSize: Int? {
    switch self {
    case .plain(let bytes): bytes.count
    case .frame(let frame): Zstandard.contentSize(of: frame)
    }
  }

  func content(limit: Int) throws(ChatProtocolError) -> [UInt8] {
    switch self {
    case .plain(let bytes): bytes
    case .frame(let frame): try ChatProtocolError.decompressing(frame, limit: limit)
    }
  }

  /// `0` with a short string or `1` with a long one.
  static let codec = Codec<CompressedChunk>.tagged(
    "a compressed chunk",
    Alternative("0", Codec<[UInt8]>.short, { .plain($0) }, { if case .plain(let bytes) = $0 { bytes } else { nil } }),
    Alternative("1", Codec<[UInt8]>.large, { .frame($0) }, { if case .frame(let bytes) = $0 { bytes } else { nil } }))
}

/// Compressed messages: `X` and a list of chunks, each of which is a message in any other form.
enum CompressedBody {
  static let letter = UInt8(ascii: "X")

  /// The compressed form of `body`; nil if it is too long for it.
  static func compress(_ body: [UInt8]) -> [UInt8]? {
    try? Codec<[CompressedChunk]>.compressedBody.encode([CompressedChunk(compressing: body)])
  }

  /// The chunks' contents. All sizes are known to be within `limit` before the first is decompressed.
  static func decompress(_ body: [UInt8], limit: Int) throws(ChatProtocolError) -> [Result<[UInt8], ChatProtocolError>]
  {
    let chunks: [CompressedChunk]
    do {
      chunks = try Codec<[CompressedChunk]>.compressedBody.decode(body)
    } catch {
      throw .wire(error)
    }
    var total = 0
    for chunk in chunks {
      guard let size = chunk.contentSize else { throw .invalidCompression }
      guard size <= limit - total else { throw .tooLarge(limit: limit) }
      total += size
    }
    return chunks.map { chunk in
      Result { () throws(ChatProtocolError) in try chunk.content(limit: limit) }
    }
  }
}

extension Codec where Value == [CompressedChunk] {
  fileprivate static let compressedBody = CompressedChunk.codec.nonEmptyList.after("X")
}
