import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

/// One transaction of the chat database, with its effects.
///
/// Every input is handled by turns: a step of a command, an event or message of the agent, a timer. A turn loads what
/// it needs inside its transaction, stores what it changes, and collects its effects; they are performed in order after
/// the commit (``ChatController/turn(mayBeLost:_:)``). It does not wait and does not call the agent.
///
/// Invariants: an effect with consequences is a row of the same transaction (``command(_:for:body:)``); events to the
/// app, timers and acknowledgements are not, because they can be derived again from what is stored. If the transaction
/// is rolled back, the turn has no effect.
final class Turn {
  /// The transaction.
  let rows: ChatTransaction
  /// The values that a turn may use besides the database.
  let environment: TurnEnvironment
  private(set) var effects = TurnEffects()
  /// How many messages of members who were removed with them this turn deleted.
  var deletedMessages = 0
  /// The number of local files that this turn created for received files.
  var createdFiles = 0
  /// The database ids of contacts who were told in this turn that a call that they offered is over.
  var refusedCalls: Set<Int64> = []
  /// Whether any error of the database undoes the turn, not only an outage. Set while a message is handled, which is
  /// not acknowledged then, and is delivered again later.
  var undoesOnStoreErrors = false
  /// Whether what is done now is undone; see ``rehearse(_:)``.
  private(set) var isRehearsing = false

  init(_ rows: ChatTransaction, _ environment: TurnEnvironment) {
    self.rows = rows
    self.environment = environment
  }

  /// Adds an event for the app.
  func emit(_ event: ChatEvent) { effects.events.append(.result(event)) }

  /// Adds an error for the app.
  func emit(_ error: ChatError) { effects.events.append(.error(error)) }

  /// Purges what was deleted, soon after the turn.
  func purgeSoon() { effects.purges = true }

  /// Stores work that is done in parts, each in a turn of its own, after this one.
  /// - Parameter subject: the member, group, file or user that it is about, a database id.
  func later(_ kind: ChatJob.Kind, about subject: Int64, payload: String = "", of user: User) throws {
    try rows.addJob(kind, about: subject, payload, of: user)
    effects.hasJobs = true
  }

  /// Receives a file after this turn; if that fails, with the next start.
  func receiveSoon(_ file: Int64) throws {
    try rows.setWanted(file, approvesRelays: false, encryptedWith: nil)
    effects.wantedFiles.append(file)
  }

  /// Tells the host of a group something at the end of the turn, in one message with what it is told besides.
  func notifyHost(_ host: Int64, _ event: ChatMessageEvent, of chat: GroupChat) {
    if let last = effects.hostNotices.indices.last, effects.hostNotices[last].host == host {
      effects.hostNotices[last].events.append(event)
    } else {
      effects.hostNotices.append(HostNotice(host: host, chat: chat, events: [event]))
    }
  }

  /// Stores what hosts are told; nothing where the turn has nothing for them.
  func sendHostNotices() throws {
    let notices = effects.hostNotices
    effects.hostNotices = []
    for notice in notices {
      try reportingErrors {
        guard let host = try rows.memberIfPresent(notice.host, of: notice.chat.user) else { return }
        try sendFitting(
          notice.events.map { OutgoingGroupEvent(event: $0) }, to: [host], of: notice.chat.group)
      }
    }
  }

  /// The active user becomes this one; nil for none.
  func setActive(_ user: User?) { effects.activeUser = .some(user) }

  /// Ends the waiting for the data of a short link, which the relay has now, or will not get.
  func endLinkDataWait(_ connection: String) { effects.endedLinkDataWaits.append(connection) }

  /// Acknowledges a message of the agent when the turn is durable.
  func acknowledge(_ acknowledgement: MessageAcknowledgement) { effects.acknowledgements.append(acknowledgement) }

  /// Runs `body` within a savepoint: if it throws, only its changes and effects are undone. Errors of the database
  /// itself undo the turn: callers rethrow them.
  @discardableResult
  func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
    let before = effects
    do {
      return try rows.savepoint(body)
    } catch {
      effects = before
      throw error
    }
  }

  /// Runs `body` and undoes it: it throws what `body` would throw. What follows for each member of a group is left out.
  func rehearse(_ body: () throws -> Void) throws {
    struct IsOver: Error {}
    isRehearsing = true
    defer { isRehearsing = false }
    do {
      try savepoint { () throws -> Void in
        try body()
        throw IsOver()
      }
    } catch is IsOver {}
  }

  /// Runs `body` within a savepoint; if it throws, only `body` is undone, and the error is added to the events. Errors
  /// of the database undo the turn, if they are outages or ``undoesOnStoreErrors`` is set: they are rethrown.
  /// - Returns: false where `body` was undone.
  @discardableResult
  func reportingErrors(_ body: () throws -> Void) throws -> Bool {
    do {
      try savepoint(body)
      return true
    } catch {
      if rows.hadOutage || undoesOnStoreErrors && rows.isStoreFailure(error) { throw error }
      emit(ChatError(storing: error))
      return false
    }
  }

  /// Stores a command for the agent, which gets it when the turn is durable. Commands about one connection are given to
  /// it in the order in which they were stored.
  /// - Parameter connection: the agent's identifier of the connection, base64url; empty for none.
  /// - Parameter packet: the number of the body, where it is stored already.
  @discardableResult
  func command(
    _ command: AgentCommand, for connection: String = "", body: [UInt8] = [], packet known: Int64? = nil
  ) throws -> Int64 {
    let (kind, payload) = try command.stored()
    let packet = body.isEmpty ? nil : try known ?? rows.addPacket(body)
    let id = try rows.addCommand(agentConnId: connection, kind: kind, payload: payload, packet: packet)
    effects.commands.append(
      StoredAgentCommand(id: id, agentConnId: connection, kind: kind, isFollowUp: false, payload: payload, body: body))
    return id
  }

  /// Stores a command that is carried out by the next start if the program ends before ``finish(_:)``: it continues or
  /// undoes what the user's command began.
  func ifInterrupted(_ command: AgentCommand, for connection: String) throws -> FollowUp {
    let (kind, payload) = try command.stored()
    let id = try rows.addCommand(agentConnId: connection, kind: kind, isFollowUp: true, payload: payload)
    return FollowUp(id: id, command: command, connection: connection)
  }

  /// Removes the command of ``ifInterrupted(_:for:)``, because the user's command finished or failed.
  func finish(_ followUp: FollowUp) throws { try rows.removeCommand(followUp.id) }

  /// Gives the command of ``ifInterrupted(_:for:)`` to the agent, because the user's command was interrupted, although
  /// the program goes on. A no-op where it was removed meanwhile, because the connection was deleted.
  func carryOut(_ followUp: FollowUp) throws {
    guard try rows.hasCommand(followUp.id) else { return }
    try finish(followUp)
    try command(followUp.command, for: followUp.connection)
  }

  /// Stores that the next start joins a connection if the program ends before; nil where an interrupted command
  /// stored that already.
  func joinIfInterrupted(_ command: AgentCommand, for connection: String) throws -> FollowUp? {
    try isJoining(connection) ? nil : ifInterrupted(command, for: connection)
  }

  /// Whether a connection is being joined or created, so that an event of the agent will tell the outcome.
  func isJoining(_ connection: String) throws -> Bool {
    try rows.hasCommands(agentConnId: connection, kinds: AgentCommand.joiningKinds)
  }

  /// The information that a stored command passes to the peer when it joins; nil where there is no such command.
  func joiningInfo(_ connection: String) throws -> [UInt8]? {
    for stored in try rows.commands(agentConnId: connection, kinds: AgentCommand.joiningKinds) {
      switch AgentCommand(stored) {
      case .join(_, _, _, let info), .accept(_, _, _, let info): return info
      default: continue
      }
    }
    return nil
  }

  /// Withdraws stored commands; those that the agent is being given already are carried out.
  func withdraw(_ commands: [Int64]) throws {
    let withdrawn = commands.filter { !environment.commandsInFlight.contains($0) }
    guard !withdrawn.isEmpty else { return }
    try rows.removeCommands(withdrawn)
    effects.withdrawnCommands += withdrawn
  }

  /// Stores that a connection was joined; false where that is known already.
  func finishJoining(_ connection: String) throws -> Bool {
    try rows.removeCommands(agentConnId: connection, kinds: AgentCommand.joiningKinds)
  }
}

/// A command for the agent that was stored for the case that the user's command is interrupted.
struct FollowUp: Sendable {
  /// The number of the stored command.
  fileprivate var id: Int64
  fileprivate var command: AgentCommand
  /// The agent's identifier of the connection, base64url.
  fileprivate var connection: String

  /// Whether it is carried out after an error of the agent. One that was closed meanwhile, or whose database failed,
  /// may have begun what the next one finishes. Otherwise the user may retry, unless a relay may already show what the
  /// command changed, although it did not answer.
  func follows(_ error: AgentError) -> Bool {
    if case .setInvitationData = command { return error.isTemporary || error.isHostError }
    return error.isOutage || error == .inactive
  }
}

/// The values that a turn may use besides the database.
struct TurnEnvironment: Sendable {
  /// What the controller was opened with.
  var options: ChatOptions
  /// Whether contacts found to be the same person are merged.
  var mergesContacts: Bool
  /// Where files are.
  var folders: LocalFolders
  /// Whether local files are encrypted.
  var encryptsFiles: Bool
  /// The settings of the network.
  var network: NetCfg
  /// The numbers of the stored commands that the agent is being given.
  var commandsInFlight: Set<Int64>
}

/// The effects of a turn, performed after its commit.
struct TurnEffects: Sendable {
  /// Events for the app, in order.
  var events: [APIResult<ChatEvent>] = []
  /// Commands for the agent, stored with the turn.
  var commands: [StoredAgentCommand] = []
  /// Stored commands that were removed before the agent was given them.
  var withdrawnCommands: [Int64] = []
  /// Messages to be acknowledged to the agent.
  var acknowledgements: [MessageAcknowledgement] = []
  /// The new active user; nil where it stays.
  var activeUser: User??
  /// Whether something was deleted that is to be purged.
  var purges = false
  /// Whether jobs were stored.
  var hasJobs = false
  /// Connections for whose link data nobody has to wait any more.
  var endedLinkDataWaits: [String] = []
  /// What hosts of groups are told at the end of the turn.
  var hostNotices: [HostNotice] = []
  /// The database ids of files to begin to receive without being asked for.
  var wantedFiles: [Int64] = []
}

/// What the member who introduces the user to others is told.
struct HostNotice: Sendable {
  /// The member, a database id.
  var host: Int64
  var chat: GroupChat
  var events: [ChatMessageEvent]
}
