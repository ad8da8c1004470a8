import ChatAPI

/// The chat core: commands in, responses out, events as a sequence.
///
/// Governs: users, contacts, messages and everything the API speaks of, in the database of chats; it drives the agent,
/// which has connections and keys in a database of its own. Every command and every event of the agent changes the
/// database in one transaction; an event of the agent is acknowledged only after that.
public actor ChatController {
  /// What the controller was opened with.
  public nonisolated let options: ChatOptions
  /// Events and errors outside of commands.
  public nonisolated let eventQueue: EventQueue

  /// Opens the databases, and makes them where there are none. It receives and sends nothing before
  /// ``ChatCommand/startChat(mainApp:enableSndFiles:)``.
  public static func open(_ options: ChatOptions) async throws(ChatOpeningError) -> ChatController {
    try ChatController(options)
  }

  private init(_ options: ChatOptions) throws(ChatOpeningError) {
    self.options = options
    eventQueue = EventQueue(limit: options.eventLimit)
  }

  /// Events and errors outside of commands, as a sequence. Several readers share them.
  public nonisolated var events: ChatEvents { ChatEvents(queue: eventQueue) }

  /// Stops and closes the databases. Readers of events get nil once they read what is left.
  public func close() async throws(ChatError) {
    eventQueue.close()
  }

  /// Opens the databases again after ``close()``; the passphrase must have been kept.
  public func reopen() async throws(ChatError) {
    throw .error(errorType: .internalError(message: "not implemented yet"))
  }
}

// MARK: Commands

extension ChatController {
  /// Carries out a command.
  public func send(_ command: ChatCommand) async -> APIResult<ChatResponse> {
    do throws(ChatError) {
      if case .string(let text) = command { return await sendText(text) }
      return .result(try await perform(command))
    } catch {
      return .error(error)
    }
  }

  /// Carries out a command that is given as text.
  public func sendText(_ text: String) async -> APIResult<ChatResponse> {
    do throws(ChatError) {
      return .result(try await perform(try ChatCommand(parsing: text)))
    } catch {
      return .error(error)
    }
  }
}
