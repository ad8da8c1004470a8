import SimplexJSON
import Zstd

/// The content of a frame: JSON, or one Zstandard frame with it if both sides compress.
public enum FrameContent {
  /// The maximum size of a command's JSON in bytes, decompressed.
  public static let commandLimit = 16 << 20
  /// The maximum size of a response's JSON in bytes, decompressed: lists with pictures are long.
  public static let responseLimit = 256 << 20

  /// The limits of a JSON text of a peer. Values of long texts are limited in number by its size, so that parsing takes
  /// at most a few times the memory of the text: long texts are pictures.
  static func limits(of json: [UInt8]) -> JSONLimits {
    var limits = JSONLimits(bytes: responseLimit)
    limits.isProportional = json.count > commandLimit
    return limits
  }

  /// The content for a JSON text.
  public static func encode(_ json: [UInt8], compressed: Bool) -> [UInt8] {
    compressed ? Zstandard.compress(json) : json
  }

  /// The size of the JSON text of a content in bytes, before it is decompressed; 0 where the content does not state it.
  public static func size(of content: [UInt8], compressed: Bool) -> Int {
    compressed ? Zstandard.contentSize(of: content) ?? 0 : content.count
  }

  /// The JSON text of a content.
  /// - Throws: `invalidSize` if it has more than `limit` bytes, before anything is reserved; `invalidBody` if the
  ///   compressed form is damaged, or does not state the size of its content.
  public static func decode(_ content: [UInt8], compressed: Bool, limit: Int) throws(FrameError) -> [UInt8] {
    guard compressed else {
      guard content.count <= limit else { throw .invalidSize }
      return content
    }
    do throws(ZstandardError) {
      return try Zstandard.decompress(content, limit: limit)
    } catch {
      switch error {
      case .tooLarge: throw .invalidSize
      case .invalid: throw .invalidBody("damaged compression")
      }
    }
  }
}
