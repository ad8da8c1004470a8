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
