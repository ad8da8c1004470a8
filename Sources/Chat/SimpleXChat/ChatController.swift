import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import FoundationTypes
import SMPProtocol
import SQLiteKit
import SimplexAgent
import SimplexCrypto

/// The chat core: commands in, responses out, events as a sequence.
///
/// Governs: the open databases, the agent, which has connections and keys in a database of its own, and the queue of
/// events. What happens to contacts, chats and addresses is decided in turns (`Turn`): each step of a command, each
/// event and message of the agent and each timer is one transaction, whose effects are performed after its commit.
///
/// Commits do not wait until they are durable. What leaves the controller does: a command of the agent, what is
/// acknowledged to it, and the response of a command; so many turns share one synchronization of the file.
public actor ChatController {
  /// What the controller was opened with.
  public nonisolated let options: ChatOptions
  /// The relays that short links name by their host alone.
  nonisolated let linkServers: [SMPServerAddress]
  /// Events and errors outside of commands.
  public nonisolated let eventQueue: ChatEventQueue
  /// The database of chats.
  nonisolated let store: ChatDatabase
  /// The right to open the databases.
  nonisolated let lease: DatabaseLease
  /// The state of the lifecycle.
  var life = Lifecycle()

  /// The agent; nil while the databases are closed.
  var agent: Agent? {
    // The next agent delivers again what was not confirmed.
    didSet {
      unhandled = []
      acknowledgements = []
      handledThrough = nil
      unconfirmed = 0
    }
  }
  /// The passphrase, where it is kept for opening the databases again.
  var passphrase: SecretBytes?
  /// The passphrase while the databases are open, for commands that close and reopen them.
  var secret: SecretBytes?
  /// The user that commands are about.
  var activeUser: User?
  /// State of this process that is not stored.
  var session = ChatSession()
  /// Takes the events of the agent, while the chat is started, activated and has its databases.
  var receiving: Task<Void, Never>?
  /// Events that were taken from the agent and are not handled yet.
  var unhandled: [AgentEvent] = []
  /// Acknowledgements of handled messages, which are passed to the agent together.
  var acknowledgements: [MessageAcknowledgement] = []
  /// The last event that was handled and is not confirmed yet.
  var handledThrough: EventID?
  /// The number of handled events that are not confirmed yet.
  var unconfirmed = 0
  /// The number of failed attempts to use the agent's database.
  var agentOutages = 0
  /// Deletes the items that disappear next, and its time.
  var disappearing: (time: Date, task: Task<Void, Never>)?
  /// Deletes items whose time has come, while the controller runs.
  var cleaning: Task<Void, Never>?
  /// The errors of steps of the last cleaning, which were reported, by the names of the steps.
  var cleaningErrors: [String: ChatError] = [:]
  /// The schedule by which the logs of the databases are emptied.
  var logs = LogEmptying()
  /// Whether a cleaning outside of the regular intervals is about to begin.
  var cleansSoon = false
  /// Commands for the agent that it has not taken yet.
  var outbox = Outbox()
  /// Commands up to this number continue or undo what was not finished when the databases were opened; the next start
  /// carries them out.
  var followUpsThrough: Int64 = 0
  /// Users that the agent has, or is about to have, and that are not stored yet.
  var usersBeingCreated = 0
  /// The jobs that are being done by commands.
  var runningJobs: Set<Int64> = []
  /// Commands that wait until a relay has the data of a short link, by the agent's identifier of its connection.
  var linkDataWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]
  /// Works on jobs about groups, while there are any.
  var working: Task<Void, Never>?
  /// Sessions of remote control.
  var remote: RemoteControlState
  /// Orders commands of several turns about one thing.
  var locks = KeyedLocks()

  init(
    _ options: ChatOptions, store: ChatDatabase, agent: Agent, passphrase: SecretBytes?, lease: DatabaseLease
  ) {
    var options = options
    options.key = ""
    self.options = options
    linkServers = options.linkServers
    self.store = store
    self.lease = lease
    remote = RemoteControlState(deviceName: options.deviceName)
    self.agent = agent
    secret = passphrase
    self.passphrase = options.keepsKey ? passphrase : nil
    eventQueue = ChatEventQueue(limit: options.eventLimit, logger: options.logger)
    store.reportUnreadable { [eventQueue] name in
      eventQueue.push(.error(.errorStore(storeError: .internalError(message: "cannot read what is stored (\(name))"))))
    }
  }

  /// Stores the preset operators and conditions in the database, and loads the active user.
  func prepare(_ agentKey: DatabaseKey?) async throws(ChatError) {
    life.agentKey = agentKey
    followUpsThrough = try store.read { try $0.lastFollowUp() }
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
  }

  /// The servers that come with the program, or those it was started with.
  var presetServers: PresetServers {
    options.presetServers.replaced(smp: options.smpServers, xftp: options.xftpServers)
  }

  /// Events and errors outside of commands, as a sequence. Every reader sees every event; see ``ChatEventQueue``.
  public nonisolated var events: ChatEvents { ChatEvents(queue: eventQueue) }

  /// Adds an event for all readers.
  nonisolated func emit(_ event: ChatEvent) { eventQueue.push(.result(event)) }

  /// Adds an event after the response of the current command, which must not suspend between this call and its return:
  /// the event is added by the actor's next job. For events that the reference emits after its answer.
  func emitAfterResponse(_ event: ChatEvent) { Task { emit(event) } }

  /// Adds an error to the events.
  nonisolated func emit(_ error: ChatError) { eventQueue.push(.error(error)) }
}

/// State of the running process that is not stored.
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
  /// Users who chose their relays since the program was started: those of its options are not used for them any more.
  var usersWithChosenServers: Set<Int64> = []
  /// The network configuration in use.
  var networkConfig = NetCfg.standard
  /// Whether the databases were replaced, so that a new controller has to be created.
  var isStoreChanged = false
  /// Whether items disappear and messages are processed as usual; false while suspended.
  var isActivated = true
}

// MARK: Commands

extension ChatController {
  /// Carries out a command.
  public func send(_ command: ChatCommand) async -> APIResult<ChatResponse> {
    if case .string(let text) = command { return await sendText(text) }
    guard let logger = options.logger else { return await result(of: command) }
    let began = ContinuousClock.now
    let result = await result(of: command)
    logger(ChatLogLine(command: command.cmdType, result: result, after: .now - began))
    return result
  }

  /// Carries out a command that is given as text.
  public func sendText(_ text: String) async -> APIResult<ChatResponse> {
    do throws(ChatError) {
      let command = try ChatCommand(parsing: text)
      // A text that is read as a text is no command.
      if case .string = command { return await result(of: command) }
      return await send(command)
    } catch {
      options.logger?(ChatLogLine(command: "that cannot be read", result: .error(error), after: .zero))
      return .error(life.isHandedOver ? Self.handedOver : error)
    }
  }

  private func result(of command: ChatCommand) async -> APIResult<ChatResponse> {
    guard !life.isHandedOver else { return .error(Self.handedOver) }
    life.commandsInFlight += 1
    defer { life.commandsInFlight -= 1 }
    do throws(ChatError) {
      let response = try await perform(command)
      try store.synchronize()
      return .result(response)
    } catch {
      return .error(error)
    }
  }

  /// Carries out a command, and adds the response to the events: after the events of every change that the response
  /// reflects, before those of later changes. ``ChatEventQueue/nextOutput()`` returns both.
  ///
  /// An event is added in the turn that stores its change, so the response is added at the end of the turn in which the
  /// command ended.
  /// - Parameter number: by which the caller identifies the response.
  public func post(_ command: ChatCommand, as number: UInt64) async {
    eventQueue.push(await send(command), to: number)
  }
}
