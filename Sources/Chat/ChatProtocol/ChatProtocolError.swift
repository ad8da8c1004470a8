import SimplexJSON
import WireCodec
import Zstd

/// Why bytes are no chat message, or a message cannot be sent.
public enum ChatProtocolError: Error, Hashable, Sendable {
  /// There is nothing to read.
  case empty
  /// No form of a message begins with this byte.
  case unknownForm(UInt8)
  /// The JSON is not that of a message.
  case json(JSONError)
  /// The binary parts are not those of a message.
  case wire(WireError)
  /// A forwarded message is itself forwarded.
  case nestedForward
  /// Compressed bytes do not state the size of their content, or are damaged.
  case invalidCompression
  /// More bytes than `limit`: of a message to be sent, or of what compressed bytes would become.
  case tooLarge(limit: Int)
  /// A body with more messages than `limit`; the first `limit` are read.
  case tooMany(limit: Int)
}

extension ChatProtocolError {
  /// The content of a Zstandard frame, at most `limit` bytes.
  static func decompressing(_ frame: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
    do throws(ZstandardError) {
      return try Zstandard.decompress(frame, limit: limit)
    } catch {
      switch error {
      case .tooLarge(let limit): throw .tooLarge(limit: limit)
      case .invalid: throw .invalidCompression
      }
    }
  }
}

extension ChatProtocolError: CustomStringConvertible {
  /// A one-line description for users.
  public var description: String {
    switch self {
    case .empty: "empty message"
    case .unknownForm(let byte): "no message begins with byte \(byte)"
    case .json(let error): error.description
    case .wire(let error): error.description
    case .nestedForward: "a forwarded message inside a forwarded message"
    case .invalidCompression: "damaged compressed message"
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .tooMany(let limit): "more than \(limit) messages"
    }
  }
}
