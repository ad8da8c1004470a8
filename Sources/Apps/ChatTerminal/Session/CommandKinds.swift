import ChatAPI

extension ChatCommand {
  /// Whether the command sends a message, which is shown as it was sent.
  var isMessage: Bool {
    guard case .terminal(let command) = self else { return false }
    switch command {
    case .sendMessage, .sendLiveMessage, .sendFile, .sendMessageQuote, .sendOwnMessageQuote, .sendGroupMessageQuote,
      .sendMessageBroadcast, .forwardMessage, .forwardGroupMessage, .forwardLocalMessage:
      return true
    default: return false
    }
  }

  /// Whether the command makes another profile the active one.
  var choosesProfile: Bool {
    switch self {
    case .apiSetActiveUser, .createActiveUser, .terminal(.setActiveUser), .terminal(.createUser),
      .terminal(.createChatRelayUser), .terminal(.createBot):
      true
    default: false
    }
  }

  /// What finds the chat that ``question`` is about, and what is said where it does not exist; nil for other commands.
  var askedChat: (query: TerminalCommand, isMissing: StyledText)? {
    switch self {
    // Those without a connection are contacts too, and are not in the list.
    case .terminal(.deleteContact(let name, _)), .terminal(.clearContact(let name)):
      (.contactInfo(contact: name), "no contact \(.contact(name))")
    case .terminal(.deleteGroup(let name)), .terminal(.clearGroup(let name)):
      (.showGroupInfo(group: name), "no group \(.group(name))")
    default: nil
    }
  }

  /// The question that is asked before a command that cannot be undone; nil for other commands.
  var question: StyledText? {
    guard case .terminal(let command) = self else { return nil }
    switch command {
    case .deleteContact(let name, _): return "Delete the contact \(.contact(name)) with all messages?"
    case .clearContact(let name): return "Delete all messages with \(.contact(name)) here?"
    case .deleteGroup(let name):
      return "Delete the group \(.group(name)) with all messages? If you are an owner, it ends for all members."
    case .clearGroup(let name): return "Delete all messages of \(.group(name)) here?"
    case .clearNoteFolder: return "Delete all notes?"
    case .deleteMyAddress: return "Delete your address? Nobody can use its link any more."
    case .deleteUser(let name, _): return "Delete the profile \(.contact(name)) with all its contacts and messages?"
    default: return nil
    }
  }
}

extension ChatError {
  /// Whether the error says that the chat of a message does not exist.
  var isOfMissingChat: Bool {
    switch self {
    case .error(.contactNotFound), .errorStore(.contactNotFoundByName), .errorStore(.contactNotFound),
      .errorStore(.groupNotFoundByName), .errorStore(.groupNotFound):
      true
    case .error(.commandError(let message)): message.hasPrefix(CommandHelp.notImplemented)
    default: false
    }
  }
}
