import SimplexJSON

/// Any response. The four parts exist because one enumeration of all variants would be too large for user
/// interfaces; a caller who expects a certain response names its part instead.
public enum ChatResponse: JSONCodable, Hashable, Sendable, ChatAPIResult {
  /// About users, chats, servers and connections.
  case response0(ChatResponse0)
  /// About connecting, items, contacts and profiles.
  case response1(ChatResponse1)
  /// About groups, files, calls, notifications and everything else.
  case response2(ChatResponse2)
  /// For terminals, desktops and developers.
  case response3(ChatResponse3)

  /// Reads a variant of any part.
  public init(json: JSONNode) throws(JSONError) {
    if let response = try Self.read(json, ChatResponse0.self) {
      self = .response0(response)
    } else if let response = try Self.read(json, ChatResponse1.self) {
      self = .response1(response)
    } else if let response = try Self.read(json, ChatResponse2.self) {
      self = .response2(response)
    } else {
      self = .response3(try ChatResponse3(json: json))
    }
  }

  /// Nil if the tag is not one of this part.
  private static func read<R: ChatAPIResult>(_ json: JSONNode, _: R.Type) throws(JSONError) -> R? {
    do {
      return try R(json: json)
    } catch {
      if error.path.isEmpty, case .unknownCase = error.reason { return nil }
      throw error
    }
  }

  /// The response as a value of its part.
  public var part: any ChatAPIResult {
    switch self {
    case .response0(let response): response
    case .response1(let response): response
    case .response2(let response): response
    case .response3(let response): response
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) { part.encode(to: &json) }

  /// The tag of the variant.
  public var responseType: String { part.responseType }

  /// See ``ChatResponse0/fallbackResult(_:_:)``.
  public static func fallbackResult(_ type: String, _ json: JSONNode) -> ChatResponse? {
    ChatResponse0.fallbackResult(type, json).map { .response0($0) }
  }

  /// The response of a part; nil for any other value.
  public init?(_ part: any ChatAPIResult) {
    switch part {
    case let part as ChatResponse: self = part
    case let part as ChatResponse0: self = .response0(part)
    case let part as ChatResponse1: self = .response1(part)
    case let part as ChatResponse2: self = .response2(part)
    case let part as ChatResponse3: self = .response3(part)
    default: return nil
    }
  }
}
