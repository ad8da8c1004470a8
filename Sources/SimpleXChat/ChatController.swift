import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import SimplexAgent
import SimplexCrypto

/// The chat core: commands in, responses out, events as a sequence.
///
/// Governs: users, contacts, messages and everything the API speaks of, in the database of chats; it drives the agent,
/// which has connections and keys in a database of its own. Every command and every event of the agent changes the
/// database in one transaction; an event of the agent is acknowledged only after that.
///
/// Transactions do not wait until they are durable. What leaves the controller does: a command of the agent, what is
/// acknowledged to it, and the response of a command; so many transactions share one synchronization of the file.
public actor ChatController {
  /// What the controller was opened with.
  public nonisolated let options: ChatOptions
  /// Events and errors outside of commands.
  public nonisolated let eventQueue: EventQueue
  /// The database of chats.
  nonisolated let store: ChatStore

  /// The agent; nil while the databases are closed.
  var agent: Agent? {
    // What was not confirmed comes again from the next one.
    didSet {
      unhandled = []
      acknowledgements = []
      handledThrough = nil
      unconfirmed = 0
    }
  }
  /// The passphrase, where it is kept for opening the databases again.
  var passphrase: SecretBytes?
  /// The passphrase while the databases are open, for commands that close them for a moment.
  var secret: SecretBytes?
  /// The user that commands are about.
  var activeUser: User?
  /// What is different for this process only.
  var session = ChatSession()
  /// Takes what the agent says, while the controller runs.
  var receiving: Task<Void, Never>?
  /// What was taken from the agent and is not handled yet.
  var unhandled: [AgentEvent] = []
  /// Messages that are taken care of, to be acknowledged to the agent together.
  var acknowledgements: [MessageAcknowledgement] = []
  /// The last event that was handled and is not confirmed yet.
  var handledThrough: EventID?
  /// How many events that is about.
  var unconfirmed = 0
  /// How often the agent's database could not be used.
  var agentOutages = 0
  /// Items that disappear soon.
  var timedItems: [Int64: Task<Void, Never>] = [:]
  /// Looks for items whose time came, while the controller runs.
  var cleaning: Task<Void, Never>?
  /// Orders what is done to one chat or connection.
  var locks = KeyedLocks()

  /// Opens the databases, and makes them where there are none. It receives and sends nothing before
  /// ``ChatCommand/startChat(mainApp:enableSndFiles:)``.
  public static func open(_ options: ChatOptions) async throws(ChatOpeningError) -> ChatController {
    let passphrase = options.key.isEmpty ? nil : SecretBytes(Array(options.key.utf8))
    let store: ChatStore
    do throws(ChatStoreOpenError) {
      store = try ChatStore(
        path: options.chatDatabase, passphrase: passphrase, confirmation: options.confirmation,
        commitsWait: false)
    } catch {
      throw ChatOpeningError(error.migrationResult)
    }
    let agent = try await openAgent(options, .standard, passphrase)
    let controller = ChatController(options, store, agent, passphrase)
    do throws(ChatError) {
      try await controller.prepare()
    } catch {
      throw ChatOpeningError(.errorSQL(dbFile: options.chatDatabase, migrationSQLError: error.text))
    }
    return controller
  }

  private init(_ options: ChatOptions, _ store: ChatStore, _ agent: Agent, _ passphrase: SecretBytes?) {
    var options = options
    options.key = ""
    self.options = options
    self.store = store
    self.agent = agent
    secret = passphrase
    self.passphrase = options.keepsKey ? passphrase : nil
    eventQueue = EventQueue(limit: options.eventLimit)
  }

  static func openAgent(
    _ options: ChatOptions, _ network: NetCfg, _ passphrase: SecretBytes?
  ) async throws(ChatOpeningError) -> Agent {
    var agentOptions = Agent.Options()
    agentOptions.configuration = options.agent
    agentOptions.network = options.network
    // What is in use was understood when it was set.
    try? network.apply(to: &agentOptions, stamp: 0)
    do throws(AgentError) {
      return try await Agent.open(path: options.agentDatabase, passphrase: passphrase, agentOptions)
    } catch {
      throw ChatOpeningError(error.migrationResult(file: options.agentDatabase))
    }
  }

  /// Brings what the program knows into the database, and finds the active user.
  private func prepare() async throws(ChatError) {
    let presets = presetServers
    activeUser = try store.transaction { transaction in
      _ = try transaction.updatePresetOperators(presets.groups.compactMap(\.operator))
      // Numbers as in the reference: the first document is not shown to those who begin with the second.
      if try transaction.usersInfo().isEmpty == false {
        try transaction.addConditions(id: 1, commit: PresetServers.previousConditionsCommit)
      }
      try transaction.addConditions(id: 2, commit: PresetServers.conditionsCommit)
      return try transaction.activeUser()
    }
    if !options.smpServers.isEmpty { try await updateAgentServers() }
  }

  /// The servers that come with the program, or those it was started with.
  var presetServers: PresetServers {
    options.presetServers.replaced(smp: options.smpServers, xftp: options.xftpServers)
  }

  /// Events and errors outside of commands, as a sequence. Several readers share them.
  public nonisolated var events: ChatEvents { ChatEvents(queue: eventQueue) }

  /// Stops and closes the databases. They can be opened again by ``reopen()``; for good after ``finish()``.
  public func close() async throws(ChatError) {
    await stop()
    await agent?.close()
    agent = nil
    secret = nil
    store.close()
  }

  /// Opens the databases again after ``close()``; the passphrase must have been kept.
  public func reopen() async throws(ChatError) {
    try await open(with: passphrase)
  }

  func open(with passphrase: SecretBytes?) async throws(ChatError) {
    guard agent == nil else { return }
    do throws(ChatStoreOpenError) {
      try store.reopen(passphrase: passphrase)
    } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: "\(error)")))
    }
    do throws(ChatOpeningError) {
      agent = try await Self.openAgent(options, session.networkConfig, passphrase)
    } catch {
      store.close()
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: "\(error.result)")))
    }
    secret = passphrase
  }

  /// Closes the databases and ends the sequence of events: readers get what is left, then nil.
  public func finish() async {
    _ = try? await close()
    eventQueue.close()
  }

  /// Ends as if the process were killed: what is under way is not finished. For simulations.
  package func kill() async {
    store.close()
    stopCleaning()
    receiving?.cancel()
    receiving = nil
    await agent?.kill()
    agent = nil
    eventQueue.close()
  }

  /// Tells the reader of events.
  nonisolated func tell(_ event: ChatEvent) { eventQueue.push(.result(event)) }

  /// Tells the reader of events that something failed.
  nonisolated func tell(_ error: ChatError) { eventQueue.push(.error(error)) }
}

/// What is set for the running process only.
struct ChatSession {
  /// Where files are kept; paths in messages are relative to it.
  var filesFolder: String?
  /// Where files are made.
  var tempFolder: String?
  /// Where pictures of themes are.
  var assetsFolder: String?
  /// Where files of controlled devices are.
  var remoteHostsFolder: String?
  /// Whether local files are encrypted.
  var encryptsLocalFiles = false
  /// Whether contacts found to be the same person are merged.
  var mergesContacts = true
  /// The network configuration in use.
  var networkConfig = NetCfg.standard
  /// Whether the databases were replaced, so that the controller has to be made anew.
  var isStoreChanged = false
  /// Whether items disappear and messages are processed as usual; false while suspended.
  var isActivated = true
}

// MARK: Commands

extension ChatController {
  /// Carries out a command.
  public func send(_ command: ChatCommand) async -> APIResult<ChatResponse> {
    if case .string(let text) = command { return await sendText(text) }
    do throws(ChatError) {
      let response = try await perform(command)
      try store.synchronize()
      return .result(response)
    } catch {
      return .error(error)
    }
  }

  /// Carries out a command that is given as text.
  public func sendText(_ text: String) async -> APIResult<ChatResponse> {
    do throws(ChatError) {
      let response = try await perform(try ChatCommand(parsing: text))
      try store.synchronize()
      return .result(response)
    } catch {
      return .error(error)
    }
  }
  /// Carries out a command, and gives the response its place among the events: behind those of everything that the
  /// response knows of, before those of everything else. ``EventQueue/nextOutput()`` reads both.
  ///
  /// What an event tells of is stored in the turn of the actor in which it is told, or while the lock of its chat is
  /// held; so the place is the end of the turn in which the command ended.
  /// - Parameter number: what the caller knows the response by.
  public func post(_ command: ChatCommand, as number: UInt64) async {
    eventQueue.push(await send(command), to: number)
  }
}
