import ChatAPI

extension ChatCommand {
  /// A command that finds the chat of ``question``, and the line for a chat that does not exist; nil for others.
  var askedChat: (query: TerminalCommand, isMissing: StyledText)? {
    switch self {
    // Contacts without a connection are not in the list of contacts, so they are looked up by name.
    case .terminal(.deleteContact(let name, _)), .terminal(.clearContact(let name)):
      (.contactInfo(contact: name), "no contact \(.contact(name))")
    case .terminal(.deleteGroup(let name)), .terminal(.clearGroup(let name)), .terminal(.leaveGroup(let name)),
      .terminal(.deleteGroupLink(let name)), .terminal(.removeMembers(let name, _, _)):
      (.showGroupInfo(group: name), "no group \(.group(name))")
    default: nil
    }
  }

  /// The question that is asked before a command that cannot be undone; nil for other commands.
  ///
  /// Messages are deleted without a question: the command repeats the beginning of their text.
  var question: StyledText? {
    if case .terminal(let command) = self { return command.question }
    switch self {
    case .apiDeleteChat(let type, let id, .messages), .apiClearChat(let type, let id):
      return "Delete all messages of the chat \(Self.chat(type, id)) here?"
    case .apiDeleteChat(let type, let id, _): return "Delete the chat \(Self.chat(type, id))?"
    case .apiDeleteUser(let id, _, _): return "Delete the profile \("\(id)") with all its contacts and messages?"
    case .apiDeleteMyAddress: return TerminalCommand.deleteMyAddress.question
    case .apiDeleteStorage: return "Delete all profiles with all their contacts, messages and files?"
    case .apiImportArchive:
      return "Put the archive in the place of all profiles here? Their contacts and messages are lost."
    case .apiRejectContact: return "Reject the request? It is deleted, and its sender is not told."
    case .apiLeaveGroup(let id): return "Leave the group \("#\(id)")? Only another invitation brings you back."
    case .apiRemoveMembers(let id, let members, let withMessages):
      return TerminalCommand.removal(of: "\(members.count) members", from: "#\(id)", withMessages: withMessages)
    case .apiDeleteGroupLink(let id): return "Delete the link of the group \("#\(id)")? Nobody can join by it any more."
    case .apiDeleteMemberSupportChat: return "Delete the support chat with all its messages?"
    case .apiSetChatItemTTL(_, let seconds) where seconds > 0: return TerminalCommand.expiry(nil, after: seconds)
    case .apiSetChatTTL(_, let type, let id, let seconds?) where seconds > 0:
      return TerminalCommand.expiry(Self.chat(type, id), after: seconds)
    default: return nil
    }
  }

  /// The number of the group that a command leaves, given by its number or its name; nil for other commands.
  var leftGroup: (id: Int64?, name: String?)? {
    switch self {
    case .apiLeaveGroup(let id): (id, nil)
    case .terminal(.leaveGroup(let name)): (nil, name)
    default: nil
    }
  }

  private static func chat(_ type: ChatType, _ id: Int64) -> String { "\(type.rawValue)\(id)" }
}

extension TerminalCommand {
  fileprivate var question: StyledText? {
    switch self {
    case .deleteContact(let name, .messages), .clearContact(let name):
      "Delete all messages with \(.contact(name)) here?"
    case .deleteContact(let name, .entity): "Delete the contact \(.contact(name)), and keep the messages?"
    case .deleteContact(let name, .full): "Delete the contact \(.contact(name)) with all messages?"
    case .rejectContact(let name):
      "Reject the request of \(.contact(name))? It is deleted, and \(.contact(name)) is not told."
    case .deleteGroup(let name):
      "Delete the group \(.group(name)) with all messages? If you are an owner, it ends for all members."
    case .clearGroup(let name): "Delete all messages of \(.group(name)) here?"
    case .leaveGroup(let name): "Leave the group \(.group(name))? Only another invitation brings you back."
    case .removeMembers(let group, let members, let withMessages):
      Self.removal(of: members.joined(separator: ", "), from: "#\(group)", withMessages: withMessages)
    case .deleteGroupLink(let name): "Delete the link of \(.group(name))? Nobody can join by it any more."
    case .clearNoteFolder: "Delete all notes?"
    case .deleteMyAddress: "Delete your address? Nobody can use its link any more."
    case .deleteUser(let name, _): "Delete the profile \(.contact(name)) with all its contacts and messages?"
    case .setChatItemTTL(let period) where period != .none: Self.expiry(nil, after: period.seconds)
    case .setChatTTL(let chat, let period?) where period != .none:
      Self.expiry("\(chat.chatType.rawValue)\(chat.chatName)", after: period.seconds)
    default: nil
    }
  }

  fileprivate static func removal(of members: String, from group: String, withMessages: Bool) -> StyledText {
    let messages: StyledText = withMessages ? " All they wrote is deleted for all members." : ""
    return "Remove \(.from(members)) from the group \(.from(group))? Only another invitation brings them back."
      + messages
  }

  fileprivate static func expiry(_ chat: String?, after seconds: Int64) -> StyledText {
    let days = seconds / 86_400
    let age = seconds < 86_400 ? "\(seconds) seconds" : days == 1 ? "a day" : "\(days) days"
    return "Delete all messages\(chat.map { " of \($0)" } ?? "") that are older than \(age), now and from now on?"
  }
}
