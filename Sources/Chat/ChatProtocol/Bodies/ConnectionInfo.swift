import AgentProtocol
import ChatAPI
import SimplexJSON
import Zstd

/// Connection information that clients exchange while connecting: one message without an identifier.
public enum ConnectionInfo {
  /// The body for the agent. `version` is the chat version that the peer is known to speak; `versions` are ours.
  ///
  /// A profile whose image makes the message too long goes without it: connecting matters more, and the image follows
  /// with the next change of the profile. Throws ``ChatProtocolError/tooLarge(limit:)`` if it is too long even so.
  public static func encode(
    _ event: ChatMessageEvent, versions: ChatVersionRange = ChatVersion.supported, isPostQuantum: Bool = false,
    version: UInt16 = ChatVersion.current
  ) throws(ChatProtocolError) -> [UInt8] {
    do {
      return try encodeWhole(event, versions: versions, isPostQuantum: isPostQuantum, version: version)
    } catch {
      guard let smaller = event.withoutProfileImage else { throw error }
      return try encodeWhole(smaller, versions: versions, isPostQuantum: isPostQuantum, version: version)
    }
  }

  private static func encodeWhole(
    _ event: ChatMessageEvent, versions: ChatVersionRange, isPostQuantum: Bool, version: UInt16
  ) throws(ChatProtocolError) -> [UInt8] {
    let body = ChatMessage(chatVRange: versions, event: event).jsonBytes()
    guard body.count <= ChatMessageSize.encodedInfo else { throw .tooLarge(limit: ChatMessageSize.encodedInfo) }
    return try MessageBody.compressed(
      body, above: ChatMessageSize.compressedInfo, isPostQuantum: isPostQuantum, version: version)
  }

  /// The message of a peer's connection information.
  public static func decode(_ body: [UInt8]) throws(ChatProtocolError) -> ChatMessage {
    let elements = MessageBody.parse(body)
    guard let first = elements.first, elements.count == 1 else { throw .empty }
    guard case .message(let message) = try first.get().content else { throw .unknownForm(UInt8(ascii: "F")) }
    return message
  }
}

extension ChatMessageEvent {
  /// The same with a smaller profile; nil if there is no image to leave out.
  var withoutProfileImage: ChatMessageEvent? {
    func smaller(_ profile: Profile) -> Profile? {
      guard profile.image != nil else { return nil }
      var profile = profile
      profile.image = nil
      return profile
    }
    switch self {
    case .info(let profile): return smaller(profile).map { .info($0) }
    case .grpLinkMem(let profile): return smaller(profile).map { .grpLinkMem($0) }
    case .grpMemInfo(let memberId, let profile):
      return smaller(profile).map { .grpMemInfo(memberId: memberId, profile: $0) }
    case .member(let profile, let id, let key, let relay):
      return smaller(profile).map { .member(profile: $0, newMemberId: id, newMemberKey: key, viaRelay: relay) }
    case .grpLinkInv(var answer):
      guard answer.groupProfile.image != nil else { return nil }
      answer.groupProfile.image = nil
      return .grpLinkInv(answer)
    case .contact(var request):
      guard let profile = smaller(request.profile) else { return nil }
      request.profile = profile
      return .contact(request)
    default: return nil
    }
  }
}

/// The client's part of a short link's data: JSON, compressed if it is long.
public enum ShortLinkContent {
  /// The content of `data`, for example `ContactShortLinkData` or `GroupShortLinkData`.
  public static func encode(_ data: some JSONEncodable) -> [UInt8] {
    let json = data.jsonBytes()
    guard json.count > ChatMessageSize.compressedLinkData else { return json }
    return [CompressedBody.letter] + Zstandard.compress(json)
  }

  /// The kind of content; nil if the link has none.
  public static func decode<Data: JSONDecodable>(
    _ content: [UInt8], as _: Data.Type = Data.self
  ) throws(ChatProtocolError) -> Data? {
    guard let letter = content.first else { return nil }
    var json = content
    if letter == CompressedBody.letter {
      json = try ChatProtocolError.decompressing(
        Array(content.dropFirst()), limit: ChatMessageSize.decompressedMessage)
    }
    do {
      return try Data(jsonBytes: json)
    } catch {
      throw .json(error)
    }
  }
}
