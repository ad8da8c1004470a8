import SimplexJSON

/// A chat: whom it is with.
public indirect enum ChatInfo: JSONCodable, Hashable, Sendable {
  /// A contact.
  case direct(contact: Contact)
  /// A group or a part of its chat.
  case group(groupInfo: GroupInfo, groupChatScope: GroupChatScopeInfo?)
  /// The user's notes.
  case local(noteFolder: NoteFolder)
  /// Somebody's request to connect.
  case contactRequest(contactRequest: UserContactRequest)
  /// A connection that has no contact yet.
  case contactConnection(contactConnection: PendingContactConnection)
  /// A chat that could not be read; `json` is what was received.
  case invalidJSON(chatType: ChatType, json: JSONValue)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "direct": self = try .direct(contact: fields.get("contact"))
    case "group": self = try .group(groupInfo: fields.get("groupInfo"), groupChatScope: fields.get("groupChatScope"))
    case "local": self = try .local(noteFolder: fields.get("noteFolder"))
    case "contactRequest": self = try .contactRequest(contactRequest: fields.get("contactRequest"))
    case "contactConnection": self = try .contactConnection(contactConnection: fields.get("contactConnection"))
    case "invalidJSON": self = try .invalidJSON(chatType: fields.get("chatType"), json: fields.get("json"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .direct(let contact): json.sum("direct", "contact", contact)
    case .group(let groupInfo, let groupChatScope):
      json.sum("group", "groupInfo", groupInfo, "groupChatScope", groupChatScope)
    case .local(let noteFolder): json.sum("local", "noteFolder", noteFolder)
    case .contactRequest(let contactRequest): json.sum("contactRequest", "contactRequest", contactRequest)
    case .contactConnection(let contactConnection):
      json.sum("contactConnection", "contactConnection", contactConnection)
    case .invalidJSON(let chatType, let original):
      json.sum("invalidJSON", "chatType", chatType, "json", original)
    }
  }
}
