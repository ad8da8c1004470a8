import SimplexCrypto
import WireCodec

/// A frame whose parts were read but not verified.
public struct ReceivedFrame: Hashable, Sendable {
  /// The head.
  public var head: FrameHead
  /// The box of the content.
  public var box: [UInt8]
  /// The signatures; nil in responses.
  public var signatures: FrameSignatures?

  /// A frame of its parts.
  public init(head: FrameHead, box: [UInt8], signatures: FrameSignatures?) {
    self.head = head
    self.box = box
    self.signatures = signatures
  }

  /// The bytes of the frame, without a file.
  public var bytes: [UInt8] {
    var bytes = head.bytes + box
    if let signatures, let encoded = try? FrameSignatures.codec.encode(signatures) { bytes += encoded }
    return bytes
  }
}

/// Collects a frame from the parts of a streamed body, without what follows it. Memory is reserved only for bytes that
/// arrived; lengths are checked as soon as they are known.
public struct FrameReader: Sendable {
  private var buffer: [UInt8] = []
  private var isComplete = false
  private let isRequest: Bool
  private let limit: Int

  /// A reader of one frame.
  /// - Parameters:
  ///   - isRequest: whether signatures follow the box.
  ///   - limit: the maximum size of the box in bytes.
  public init(isRequest: Bool, limit: Int = FrameHead.bodyLimit) {
    self.isRequest = isRequest
    self.limit = limit
  }

  /// Appends a part of the body. Returns the frame when it is complete, with the bytes that follow it: the start of a
  /// file.
  /// - Throws: `invalidSize` if the box is too long or no box, `invalidBody` if the signatures are malformed, or after
  ///   the frame.
  public mutating func append(_ part: [UInt8]) throws(FrameError) -> (frame: ReceivedFrame, rest: [UInt8])? {
    guard !isComplete else { throw .invalidBody("bytes behind the frame") }
    buffer += part
    guard buffer.count >= FrameHead.size, let head = try? FrameHead.codec.decode(Array(buffer.prefix(FrameHead.size)))
    else { return nil }
    guard head.bodySize <= limit, head.bodySize >= BoxKey.overhead else { throw .invalidSize }
    let boxEnd = FrameHead.size + Int(head.bodySize)
    let end = boxEnd + (isRequest ? FrameSignatures.size : 0)
    guard buffer.count >= end else { return nil }
    var signatures: FrameSignatures?
    if isRequest {
      do throws(WireError) {
        signatures = try FrameSignatures.codec.decode(Array(buffer[boxEnd..<end]))
      } catch {
        throw .invalidBody(error.description)
      }
    }
    let frame = ReceivedFrame(head: head, box: Array(buffer[FrameHead.size..<boxEnd]), signatures: signatures)
    let rest = Array(buffer[end...])
    buffer = []
    isComplete = true
    return (frame, rest)
  }

  /// Reports that the body ended.
  /// - Throws: `invalidSize` where the frame is incomplete.
  public func finish() throws(FrameError) {
    if !isComplete { throw .invalidSize }
  }
}
