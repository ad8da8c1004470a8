import SimplexJSON
import WireCodec

/// Sizes in bytes of messages passed to the agent.
public enum ChatMessageSize {
  /// The longest message or batch: room is left for what forwarding adds.
  public static let encodedMessage = 15_602
  /// The longest body inside a post-quantum ratchet, whose headers are larger; longer ones are compressed to fit.
  public static let compressedMessage = 13_380
  /// The longest connection information.
  public static let encodedInfo = 14_694
  /// The longest connection information inside a post-quantum ratchet.
  public static let compressedInfo = 10_968
  /// The most that the parts of a compressed body may become.
  public static let decompressedMessage = 65_536
  /// The size from which the data of short links is compressed.
  public static let compressedLinkData = 10_240
}

/// The content of an agent message: one or several messages, in the form that the first byte names.
public enum MessageBody {
  /// The most messages of a body that are read: as many as a binary batch can have.
  static let maximumCount = 255

  /// The messages of a body. One that cannot be read does not hide the others of its batch; those after the first 255
  /// are one failure.
  public static func parse(_ body: [UInt8]) -> [Result<MessageElement, ChatProtocolError>] {
    let elements = parseAll(body)
    guard elements.count > maximumCount else { return elements }
    return elements.prefix(maximumCount) + [.failure(.tooMany(limit: maximumCount))]
  }

  /// The bytes of the first element of a body that cannot be read: of the body itself where it has no elements. Nil
  /// where all can be read, and for elements of which there are no bytes: too many, or with a damaged compression.
  public static func firstUnreadable(in body: [UInt8]) -> [UInt8]? {
    guard body.first == CompressedBody.letter else { return firstUnreadablePlain(body) }
    guard let parts = try? CompressedBody.decompress(body, limit: ChatMessageSize.decompressedMessage) else {
      return body
    }
    for case .success(let part) in parts {
      if let found = firstUnreadablePlain(part) { return found }
    }
    return nil
  }

  private static func firstUnreadablePlain(_ body: [UInt8]) -> [UInt8]? {
    switch body.first {
    case UInt8(ascii: "["):
      guard let elements = try? [ArrayElement](jsonBytes: body) else { return body }
      return elements.lazy.compactMap(\.unreadable).first
    case UInt8(ascii: "="):
      guard let elements = try? MessageBatch.binaryCodec.decode(body) else { return body }
      return elements.first { (try? MessageElement(decoding: $0)) == nil }
    default: return (try? MessageElement(decoding: body)) == nil ? body : nil
    }
  }

  private static func parseAll(_ body: [UInt8]) -> [Result<MessageElement, ChatProtocolError>] {
    guard body.first == CompressedBody.letter else { return parsePlain(body) }
    do {
      let parts = try CompressedBody.decompress(body, limit: ChatMessageSize.decompressedMessage)
      var elements: [Result<MessageElement, ChatProtocolError>] = []
      for part in parts {
        switch part {
        case .success(let body): elements += parsePlain(body)
        case .failure(let error): elements.append(.failure(error))
        }
      }
      return elements
    } catch {
      return [.failure(error)]
    }
  }

  private static func parsePlain(_ body: [UInt8]) -> [Result<MessageElement, ChatProtocolError>] {
    do throws(ChatProtocolError) {
      switch body.first {
      case UInt8(ascii: "["): return try parseArray(body)
      case UInt8(ascii: "="):
        return try wire { () throws(WireError) in try MessageBatch.binaryCodec.decode(body) }
          .map { element in Result { () throws(ChatProtocolError) in try MessageElement(decoding: element) } }
      default: return [.success(try MessageElement(decoding: body))]
      }
    } catch {
      return [.failure(error)]
    }
  }

  private static func parseArray(
    _ body: [UInt8]
  ) throws(ChatProtocolError) -> [Result<MessageElement, ChatProtocolError>] {
    do {
      return try [ArrayElement](jsonBytes: body).map(\.result)
    } catch {
      throw .json(error)
    }
  }

  /// An element of a JSON batch, whether it is a message or not.
  private struct ArrayElement: JSONDecodable {
    let result: Result<MessageElement, ChatProtocolError>
    /// The bytes of an element that is no message.
    let unreadable: [UInt8]?

    init(json: JSONNode) throws(JSONError) {
      do {
        result = .success(MessageElement(try ChatMessage(json: json)))
        unreadable = nil
      } catch {
        result = .failure(.json(error))
        unreadable = Array(json.sourceText.utf8)
      }
    }
  }

  /// The JSON of a message for the message store; throws ``ChatProtocolError/tooLarge(limit:)`` if no agent message can
  /// hold it.
  public static func encode(_ message: ChatMessage) throws(ChatProtocolError) -> [UInt8] {
    let body = message.jsonBytes()
    guard body.count <= ChatMessageSize.encodedMessage else {
      throw .tooLarge(limit: ChatMessageSize.encodedMessage)
    }
    return body
  }

  /// The body passed to the agent: as it is, or compressed where the ratchet is post-quantum, both clients
  /// know how (``ChatVersion/compression``) and it is too long otherwise.
  public static func prepared(
    _ body: [UInt8], isPostQuantum: Bool, version: UInt16
  ) throws(ChatProtocolError) -> [UInt8] {
    try compressed(
      body, above: ChatMessageSize.compressedMessage, isPostQuantum: isPostQuantum, version: version)
  }

  /// `body`, compressed if it has to be.
  static func compressed(
    _ body: [UInt8], above limit: Int, isPostQuantum: Bool, version: UInt16
  ) throws(ChatProtocolError) -> [UInt8] {
    guard isPostQuantum, version >= ChatVersion.compression, body.count > limit else { return body }
    guard let compressed = CompressedBody.compress(body), compressed.count <= limit else {
      throw .tooLarge(limit: limit)
    }
    return compressed
  }
}
