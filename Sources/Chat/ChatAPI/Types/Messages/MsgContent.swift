import SimplexJSON

/// The content of a message. It is encoded with `type` on every platform, and between peers.
public indirect enum MsgContent: JSONCodable, Hashable, Sendable {
  /// A text.
  case text(String)
  /// A text with a preview of its link.
  case link(text: String, preview: LinkPreview)
  /// An image as `data:` URI; the file may have a better one.
  case image(text: String, image: String)
  /// A video with its first image; `duration` in seconds.
  case video(text: String, image: String, duration: Int)
  /// A voice message; `duration` in seconds.
  case voice(text: String, duration: Int)
  /// A file with a text.
  case file(String)
  /// A report of a message to the moderators.
  case report(text: String, reason: ReportReason)
  /// A link to a contact or group, possibly signed by the group's owner.
  case chat(text: String, chatLink: MsgChatLink, ownerSig: LinkOwnerSig? = nil)
  /// Content of a newer version, kept as it is; with ``textOfUnknown`` where it has no text, so that every program that
  /// expects one can read it.
  case unknown(type: String, text: String, json: JSONValue)

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let type: String = try fields.get("type")
    switch type {
    case "text": self = .text(try fields.get("text"))
    case "link": self = try .link(text: fields.get("text"), preview: fields.get("preview"))
    case "image": self = try .image(text: fields.get("text"), image: imageData(fields.get("image")))
    case "video":
      self = try .video(
        text: fields.get("text"), image: imageData(fields.get("image")), duration: fields.get("duration"))
    case "voice": self = try .voice(text: fields.get("text"), duration: fields.get("duration"))
    case "file": self = .file(try fields.get("text"))
    case "report": self = try .report(text: fields.get("text"), reason: fields.get("reason"))
    case "chat":
      self = try .chat(
        text: fields.get("text"), chatLink: fields.get("chatLink"), ownerSig: fields.get("ownerSig"))
    default:
      var original = try JSONValue(json: json)
      let text: String? = try fields.get("text")
      if text == nil, case .object(let members) = original {
        let others = members.filter { $0.key != "text" }
        original = .object(others + [JSONValue.Member("text", .string(Self.textOfUnknown))])
      }
      self = .unknown(type: type, text: text ?? Self.textOfUnknown, json: original)
    }
  }

  /// Writes the object; unknown content as it was read.
  public func encode(to json: inout JSONWriter) {
    if case .unknown(_, _, let original) = self { return original.encode(to: &json) }
    json.beginTagged(tag.rawValue)
    json.field("text", text)
    switch self {
    case .text, .file, .unknown: break
    case .link(_, let preview): json.field("preview", preview)
    case .image(_, let image): json.field("image", image)
    case .video(_, let image, let duration):
      json.field("image", image)
      json.field("duration", duration)
    case .voice(_, let duration): json.field("duration", duration)
    case .report(_, let reason): json.field("reason", reason)
    case .chat(_, let chatLink, let ownerSig):
      json.field("chatLink", chatLink)
      json.field("ownerSig", ownerSig)
    }
    json.endObject()
  }
}

extension MsgContent {
  /// The text of content of an unknown type that has none.
  public static let textOfUnknown = "unknown message type"

  /// The text; empty if there is none.
  public var text: String {
    switch self {
    case .text(let text), .file(let text): text
    case .link(let text, _), .image(let text, _), .video(let text, _, _), .voice(let text, _), .report(let text, _),
      .chat(let text, _, _), .unknown(_, let text, _):
      text
    }
  }

  /// The kind of content.
  public var tag: MsgContentTag {
    switch self {
    case .text: .text
    case .link: .link
    case .image: .image
    case .video: .video
    case .voice: .voice
    case .file: .file
    case .report: .report
    case .chat: .chat
    case .unknown(let type, _, _): .unknown(type: type)
    }
  }
}

/// The kind of a message's content.
public enum MsgContentTag: RawRepresentable, JSONCodable, Hashable, Sendable {
  case text, link, image, video, voice, file, report, chat
  /// A kind of a newer version.
  case unknown(type: String)

  private static let known: [MsgContentTag] = [.text, .link, .image, .video, .voice, .file, .report, .chat]

  /// The kind with this name.
  public init(rawValue: String) {
    self = Self.known.first { $0.rawValue == rawValue } ?? .unknown(type: rawValue)
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .text: "text"
    case .link: "link"
    case .image: "image"
    case .video: "video"
    case .voice: "voice"
    case .file: "file"
    case .report: "report"
    case .chat: "chat"
    case .unknown(let type): type
    }
  }
}

/// Why a message is reported.
public enum ReportReason: RawRepresentable, JSONCodable, Hashable, Sendable {
  case spam, content, community, profile, other
  /// A reason of a newer version.
  case unknown(type: String)

  /// The reasons a user can choose from.
  public static let supportedReasons: [ReportReason] = [.spam, .content, .community, .profile, .other]

  /// The reason with this name.
  public init(rawValue: String) {
    self = Self.supportedReasons.first { $0.rawValue == rawValue } ?? .unknown(type: rawValue)
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .spam: "spam"
    case .content: "content"
    case .community: "community"
    case .profile: "profile"
    case .other: "other"
    case .unknown(let type): type
    }
  }
}
