import SimplexJSON
import WireCodec

/// One message as it was received, with what a relay or its author put around it.
public struct MessageElement: Hashable, Sendable {
  /// Whose message it is, if somebody else forwarded it.
  public var forward: MessageForward?
  /// The signatures with the exact bytes they are of; nil for messages that are not signed. Nothing is verified yet.
  public var signed: SignedMessage?
  /// The message.
  public var content: Content

  /// A message in JSON or a part of a file.
  public enum Content: Hashable, Sendable {
    /// A message.
    case message(ChatMessage)
    /// A part of a file.
    case fileChunk(InlineFileChunk)
  }

  /// A message with what is around it.
  public init(_ content: Content, forward: MessageForward? = nil, signed: SignedMessage? = nil) {
    self.content = content
    self.forward = forward
    self.signed = signed
  }

  /// A message alone.
  public init(_ message: ChatMessage) { self.init(.message(message)) }

  /// Reads an element of a batch or a body that is not a batch: `{…`, `/…` (signed), `F…` (part of a file), or `>…`
  /// (forwarded) with one of the others.
  public init(decoding bytes: [UInt8]) throws(ChatProtocolError) {
    try self.init(decoding: bytes, forward: nil)
  }

  private init(decoding bytes: [UInt8], forward: MessageForward?) throws(ChatProtocolError) {
    guard let letter = bytes.first else { throw .empty }
    switch letter {
    case UInt8(ascii: "{"): self.init(.message(try ChatMessage(body: bytes)), forward: forward)
    case UInt8(ascii: "/"):
      let signed = try wire { () throws(WireError) in try SignedMessage.codec.after("/").decode(bytes) }
      self.init(.message(try ChatMessage(body: signed.body)), forward: forward, signed: signed)
    case UInt8(ascii: "F"):
      let chunk = try wire { () throws(WireError) in try InlineFileChunk.codec.after("F").decode(bytes) }
      self.init(.fileChunk(chunk), forward: forward)
    case UInt8(ascii: ">"):
      guard forward == nil else { throw .nestedForward }
      let (origin, rest) = try wire { () throws(WireError) in try Self.forwardCodec.decode(bytes) }
      try self.init(decoding: rest, forward: origin)
    default: throw .unknownForm(letter)
    }
  }

  /// The wire form. Signed messages are written as they were signed.
  public func encoded() throws(ChatProtocolError) -> [UInt8] {
    let body = try encodedContent()
    guard let forward else { return body }
    return try wire { () throws(WireError) in try Self.forwardCodec.encode((forward, body)) }
  }

  private func encodedContent() throws(ChatProtocolError) -> [UInt8] {
    switch content {
    case .message(let message):
      guard let signed else { return message.jsonBytes() }
      return try wire { () throws(WireError) in try SignedMessage.codec.after("/").encode(signed) }
    case .fileChunk(let chunk):
      return try wire { () throws(WireError) in try InlineFileChunk.codec.after("F").encode(chunk) }
    }
  }

  private static let forwardCodec = MessageForward.codec.pair(.tail, separator: "").after(">")
}

extension ChatMessage {
  /// The message of a JSON text.
  init(body: [UInt8]) throws(ChatProtocolError) {
    do {
      try self.init(jsonBytes: body)
    } catch {
      throw .json(error)
    }
  }
}

/// The same, with errors of binary forms as errors of messages.
func wire<Value>(_ body: () throws(WireError) -> Value) throws(ChatProtocolError) -> Value {
  do {
    return try body()
  } catch {
    throw .wire(error)
  }
}
