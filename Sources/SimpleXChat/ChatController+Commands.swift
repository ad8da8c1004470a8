import ChatAPI

extension ChatController {
  /// The one place that knows what happens to a command: each category takes its own.
  func perform(_ command: ChatCommand) async throws(ChatError) -> ChatResponse {
    throw .notImplemented(command)
  }
}

extension ChatError {
  /// The command is known, but does nothing yet.
  static func notImplemented(_ command: ChatCommand) -> ChatError {
    .error(errorType: .commandError(message: "not implemented yet: \(command.cmdType)"))
  }
}
