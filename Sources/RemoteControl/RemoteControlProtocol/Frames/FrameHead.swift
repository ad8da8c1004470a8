import SimplexCrypto
import WireCodec

/// The start of a frame, the body of a request or response over HTTP/2: 8 bytes. Source: the reference's frames of
/// remote control, which differ from its document.
///
/// A frame is this head, the box of ``FrameBody``, in requests ``FrameSignatures``, and where there is a file
/// ``FrameFileHead`` and the box of the file.
public struct FrameHead: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 8
  /// The maximum size of the box that is accepted: a content of 16 MiB.
  public static let bodyLimit = (16 << 20) + FrameBody.overhead

  /// The number of the frame among those of its side, from 1.
  public var counter: UInt32
  /// The size of the box in bytes.
  public var bodySize: UInt32

  /// A head.
  public init(counter: UInt32, bodySize: UInt32) {
    self.counter = counter
    self.bodySize = bodySize
  }

  /// Both numbers.
  public static let codec = Codec<FrameHead>.record(
    Field("counter", \.counter, .integer), Field("bodySize", \.bodySize, .integer),
    build: { FrameHead(counter: $0, bodySize: $1) })

  /// The 8 bytes.
  public var bytes: [UInt8] {
    var writer = Writer(capacity: Self.size)
    writer.append(integer: counter)
    writer.append(integer: bodySize)
    return writer.finish()
  }
}

/// The start of the file behind a frame: 5 bytes, followed by the box of the file, its tag last.
public struct FrameFileHead: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 5

  /// The size of the file in bytes, without the tag of the box.
  public let fileSize: UInt32

  /// The head of a file of this size; nil if the box would be 4 GiB or longer.
  public init?(fileSize: UInt32) {
    guard fileSize <= UInt32.max - UInt32(BoxKey.overhead) else { return nil }
    self.fileSize = fileSize
  }

  /// The 5 bytes: a 1 and the size of the box.
  public var bytes: [UInt8] {
    var writer = Writer(capacity: Self.size)
    writer.append(1)
    writer.append(integer: fileSize + UInt32(BoxKey.overhead))
    return writer.finish()
  }

  /// Reads the 5 bytes.
  /// - Parameter declared: the size of the file in the command or response.
  /// - Throws: `noFile` unless the first byte is 1, `fileSize` if the size is another one, `invalidBody` if there are
  ///   not 5 bytes.
  public init(_ bytes: [UInt8], declared: UInt32) throws(FrameError) {
    guard let first = bytes.first, first == 1 else { throw .noFile }
    guard bytes.count == Self.size, let size = try? Codec<UInt32>.integer.decode(Array(bytes.dropFirst())) else {
      throw .invalidBody("the head of the file ends early")
    }
    guard let head = FrameFileHead(fileSize: declared), size == declared + UInt32(BoxKey.overhead) else {
      throw .fileSize
    }
    self = head
  }
}
