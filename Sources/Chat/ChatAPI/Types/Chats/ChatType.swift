import SimplexJSON

/// The kind of chat. The raw value is its prefix in commands; JSON has the name.
public enum ChatType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  /// A conversation with a contact.
  case direct = "@"
  /// A group, channel or business chat.
  case group = "#"
  /// The user's notes.
  case local = "*"
  /// A request to connect that is not answered yet.
  case contactRequest = "<@"
  /// A connection that has no contact yet.
  case contactConnection = ":"

  /// The name in JSON.
  public var name: String {
    switch self {
    case .direct: "direct"
    case .group: "group"
    case .local: "local"
    case .contactRequest: "contactRequest"
    case .contactConnection: "contactConnection"
    }
  }

  /// Reads the name.
  public init(json: JSONNode) throws(JSONError) {
    let name = try json.string()
    guard let type = Self.allCases.first(where: { $0.name == name }) else { throw JSONError(.unknownCase(name)) }
    self = type
  }

  /// Writes the name.
  public func encode(to json: inout JSONWriter) { json.string(name) }
}

/// Identifies a chat in user interfaces: the prefix of its type and its database id.
public typealias ChatId = String
/// The name of a contact, made unique on this device.
public typealias ContactName = String
/// The name of a group, made unique on this device.
public typealias GroupName = String

/// Which chat, and which part of it, a command is for.
public struct ChatRef: JSONCodable, Hashable, Sendable {
  /// The kind of chat.
  public var chatType: ChatType
  /// Database id of the contact, group, notes folder, request or connection.
  public var chatId: Int64
  /// The part of a group's chat; absent for the main one.
  public var chatScope: GroupChatScope?
}
