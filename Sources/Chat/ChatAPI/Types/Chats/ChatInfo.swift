import SimplexJSON

/// A chat and the contact, group or notes it is with.
public indirect enum ChatInfo: JSONCodable, Hashable, Sendable {
  /// A contact.
  case direct(contact: Contact)
  /// A group or a part of its chat.
  case group(groupInfo: GroupInfo, groupChatScope: GroupChatScopeInfo?)
  /// The user's notes.
  case local(noteFolder: NoteFolder)
  /// A request to connect.
  case contactRequest(contactRequest: UserContactRequest)
  /// A connection that has no contact yet.
  case contactConnection(contactConnection: PendingContactConnection)
  /// A chat that could not be read; `json` is what was received.
  case invalidJSON(chatType: ChatType, json: JSONValue)
}
