import SimplexJSON

/// A reaction to a message. It is encoded with `type` on every platform, and between peers.
public enum MsgReaction: JSONCodable, Hashable, Sendable {
  /// One of the supported emoji.
  case emoji(emoji: MREmojiChar)
  /// A reaction of a newer version, kept as it is.
  case unknown(type: String, json: JSONValue)

  /// The reactions a user can choose from.
  public static let values: [MsgReaction] = MREmojiChar.allCases.map { .emoji(emoji: $0) }

  /// The emoji; `?` for unknown reactions.
  public var text: String {
    switch self {
    case .emoji(let emoji): emoji.rawValue
    case .unknown: "?"
    }
  }

  /// Reads the object. An emoji that is not supported is an unknown reaction.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let type: String = try fields.get("type")
    if type == "emoji", let emoji: MREmojiChar = try? fields.get("emoji") {
      self = .emoji(emoji: emoji)
    } else {
      self = .unknown(type: type, json: try JSONValue(json: json))
    }
  }

  /// Writes the object; an unknown reaction as it was read.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .emoji(let emoji):
      json.beginTagged("emoji")
      json.field("emoji", emoji)
      json.endObject()
    case .unknown(_, let original): original.encode(to: &json)
    }
  }
}

/// The emoji of reactions, each a single code point.
public enum MREmojiChar: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case thumbsup = "👍"
  case thumbsdown = "👎"
  case smile = "😀"
  case laugh = "😂"
  case sad = "😢"
  case heart = "❤"
  case launch = "🚀"
  case check = "✅"
}

/// What a link leads to. It is encoded with `type` on every platform, and between peers.
public enum LinkContent: JSONCodable, Hashable, Sendable {
  /// A page.
  case page
  /// An image.
  case image
  /// A video; `duration` in seconds.
  case video(duration: Int? = nil)
  /// Content of a newer version, kept as it is.
  case unknown(type: String, json: JSONValue)

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let type: String = try fields.get("type")
    switch type {
    case "page": self = .page
    case "image": self = .image
    case "video": self = .video(duration: try fields.get("duration"))
    default: self = .unknown(type: type, json: try JSONValue(json: json))
    }
  }

  /// Writes the object; unknown content as it was read.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .page: json.beginTagged("page")
    case .image: json.beginTagged("image")
    case .video(let duration):
      json.beginTagged("video")
      json.field("duration", duration)
    case .unknown(_, let original): return original.encode(to: &json)
    }
    json.endObject()
  }
}
