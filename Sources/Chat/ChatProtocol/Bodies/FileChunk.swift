import WireCodec

/// A part of a file that is sent over its own connection, as old clients do.
public enum FileChunk: Hashable, Sendable {
  /// Part `number`, from 1 on.
  case data(number: UInt32, bytes: [UInt8])
  /// The sender cancelled the file.
  case cancel

  /// `F`, the number in 4 bytes and data to the end, or `C`.
  public static let codec = Codec<FileChunk>.tagged(
    "a file chunk",
    Alternative(
      "F", Codec<UInt32>.integer.pair(.tail, separator: ""), { .data(number: $0.0, bytes: $0.1) },
      { chunk in
        if case .data(let number, let bytes) = chunk { (number, bytes) } else { nil }
      }),
    Alternative("C", .cancel))
}

/// A part of a file that is sent among the messages of a connection: `F`, an identifier that is not used, the
/// identifier of the message with the file, the number of the part in one byte, and data to the end.
public struct InlineFileChunk: Hashable, Sendable {
  /// Data bytes of every part but the last.
  public static let size = 15_780

  /// The message with the file.
  public var msgId: SharedMsgId
  /// The part. Its number is from 1 to 255, which the type of a whole file's parts is wider than.
  public var part: Part

  /// The content of the chunk.
  public enum Part: Hashable, Sendable {
    /// Part `number`, from 1 on.
    case data(number: UInt8, bytes: [UInt8])
    /// The sender cancelled the file.
    case cancel

    /// The number and data to the end; number 0 for giving up, with nothing after it.
    public static let codec = Codec<Part>(
      decode: { (reader) throws(WireError) -> Part in
        let number = try reader.byte()
        return number == 0 ? .cancel : .data(number: number, bytes: try Codec<[UInt8]>.tail.decode(&reader))
      },
      encode: { (part, writer) throws(WireError) in
        switch part {
        case .cancel: writer.append(UInt8(0))
        case .data(0, _): throw writer.failure(.expected("a chunk number above 0"))
        case .data(let number, let bytes):
          writer.append(number)
          writer.append(bytes)
        }
      })
  }

  /// A part of a message's file.
  public init(msgId: SharedMsgId, part: Part) {
    self.msgId = msgId
    self.part = part
  }

  /// What follows the letter `F` of the message. Old clients put the message's identifier first as well; it is not
  /// needed and not written.
  public static let codec = Codec<InlineFileChunk>(
    decode: { (reader) throws(WireError) -> InlineFileChunk in
      _ = try Codec<[UInt8]>.short.decode(&reader)
      return InlineFileChunk(msgId: try SharedMsgId.codec.decode(&reader), part: try Part.codec.decode(&reader))
    },
    encode: { (chunk, writer) throws(WireError) in
      writer.append(UInt8(0))
      try SharedMsgId.codec.encode(chunk.msgId, &writer)
      try Part.codec.encode(chunk.part, &writer)
    })
}
