import ChatAPI

extension ChatController {
  /// The one place that knows what happens to a command: each category takes its own.
  func perform(_ command: ChatCommand) async throws(ChatError) -> ChatResponse {
    if case .terminal(let typed) = command { return try await perform(typed) }
    if let response = try await performMessages(command) { return response }
    if let response = try await performUsers(command) { return response }
    if let response = try await performLifecycle(command) { return response }
    if let response = try await performContacts(command) { return response }
    if let response = try await performConnecting(command) { return response }
    if let response = try await performAddress(command) { return response }
    if let response = try await performSecurity(command) { return response }
    if let response = try await performTags(command) { return response }
    if let response = try await performSettings(command) { return response }
    if let response = try await performServers(command) { return response }
    if let response = try await performSystem(command) { return response }
    if let response = try await performArchive(command) { return response }
    throw .notImplemented(command)
  }
}

extension ChatError {
  /// The command is known, but does nothing yet.
  static func notImplemented(_ command: ChatCommand) -> ChatError {
    .command("not implemented yet: \(command.cmdType)")
  }

  /// The command makes no sense; the words say why.
  static func command(_ message: String) -> ChatError { .error(errorType: .commandError(message: message)) }

  /// Chats of this kind do not have this.
  static var unsupported: ChatError { .command("not supported") }
}

extension ChatResponse {
  /// Done, with nothing to say.
  static func done(_ user: User? = nil) -> ChatResponse { .response2(.cmdOk(user_: user)) }
}

// MARK: Users of commands

extension ChatController {
  /// The active user.
  func currentUser() throws(ChatError) -> User {
    guard let activeUser else { throw .error(errorType: .noActiveUser) }
    return activeUser
  }

  /// The active user, while the controller runs.
  func runningUser() throws(ChatError) -> User {
    let user = try currentUser()
    guard isRunning else { throw .error(errorType: .chatNotStarted) }
    return user
  }

  /// The active user, who has to be this one.
  func currentUser(_ id: Int64) throws(ChatError) -> User {
    let user = try currentUser()
    guard user.userId == id else {
      throw .error(errorType: .differentActiveUser(commandUserId: id, activeUserId: user.userId))
    }
    return user
  }

  /// The active user, who has to be this one, while the controller runs.
  func runningUser(_ id: Int64) throws(ChatError) -> User {
    let user = try currentUser(id)
    guard isRunning else { throw .error(errorType: .chatNotStarted) }
    return user
  }

  /// Whether events of the agent are taken.
  var isRunning: Bool { receiving != nil }
}
