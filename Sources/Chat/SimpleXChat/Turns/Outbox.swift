import AgentCore
import AgentProtocol
import ChatAPI
import ChatStore
import SMPProtocol
import SimplexAgent
import WireCodec

/// The commands that the agent has not taken yet, in the order of their numbers.
///
/// All of them are rows of the database. The first ones are kept in memory, up to a number and a size; the others are
/// read in batches when those are done.
struct Outbox {
  private var commands: [StoredAgentCommand] = [] {
    didSet { if commands.isEmpty { size = 0 } }
  }
  /// An upper bound of the bytes of the bodies in `commands`: commands that were taken count until none is left.
  private(set) var size = 0
  /// Whether the database has commands behind those in `commands`.
  private var hasMore = false
  /// The number of the last command that was taken from here or is in `commands`.
  private var last: Int64 = 0
  /// Follow-ups of interrupted commands up to this number are from earlier processes, and are carried out.
  private var lastFollowUp: Int64 = 0
  /// Whether commands are given to the agent.
  private(set) var isOpen = false
  /// The commands that are being given to the agent, which may have taken them already.
  private(set) var inFlight: Set<Int64> = []
  /// The connections whose commands wait because one of them failed for an unusual reason.
  private var held: Set<String> = []
  /// The errors of the commands that wait for that reason, which were reported, by their numbers.
  private var errors: [Int64: ChatError] = [:]
  /// The number of the first command that waits for that reason; nil where none does.
  private var firstHeld: Int64?
  /// Passes commands to the agent, while there are any.
  var task: Task<Void, Never>?
  /// Retries the commands that wait because one failed.
  var retry: Task<Void, Never>?
  /// The time until the next retry; it doubles with each retry, and begins anew when another command fails.
  private var pause = Self.firstPause

  private static let firstPause = Duration.milliseconds(500)
  /// Each retry reads the commands again that were stored since.
  private static let longestPause = Duration.seconds(30 * 60)

  /// The number of commands that are kept.
  private static let limit = 512
  /// The bytes of bodies that are kept: a batch of the largest ones, of about 16 KB.
  static let sizeLimit = 1 << 20
  /// The number of commands that are read, and of messages that are passed to the agent, at once.
  private static let batchLimit = 64

  /// Begins with the commands of the database.
  /// - Parameter lastFollowUp: the number of the newest follow-up of a command that an earlier process did not finish.
  mutating func open(lastFollowUp: Int64) {
    let (task, retry) = (task, retry)
    self = Outbox()
    (self.task, self.retry) = (task, retry)
    self.lastFollowUp = lastFollowUp
    isOpen = true
    hasMore = true
  }

  /// Stops; commands stay in the database.
  mutating func close() {
    isOpen = false
    commands = []
  }

  /// Adds commands that were stored just now.
  mutating func add(_ new: [StoredAgentCommand]) {
    guard isOpen, !hasMore, let newest = new.last else { return }
    // Messages to a group share one body.
    var (added, body) = (0, commands.last?.body ?? [])
    for command in new where command.body != body {
      body = command.body
      added += body.count
    }
    guard commands.count + new.count <= Self.limit, size + added <= Self.sizeLimit else {
      hasMore = true
      return
    }
    commands += new
    size += added
    last = newest.id
  }

  /// Removes commands that a turn removed from the database; commands in flight are not affected.
  mutating func remove(_ ids: [Int64]) {
    let ids = Set(ids)
    commands.removeAll { ids.contains($0.id) }
    for id in ids { errors[id] = nil }
  }

  /// Whether commands wait, in memory or in the database.
  var hasWaiting: Bool { isOpen && (hasMore || !commands.isEmpty) }

  /// The next commands: messages that go together, or one other command. Empty where there are none.
  mutating func next(from store: ChatDatabase) throws(ChatError) -> [StoredAgentCommand] {
    guard isOpen else { return [] }
    let held = held
    commands.removeAll { held.contains($0.agentConnId) }
    while commands.isEmpty, hasMore {
      let (after, lastFollowUp) = (last, lastFollowUp)
      commands = try store.read { try $0.commands(after: after, lastFollowUp: lastFollowUp, limit: Self.batchLimit) }
      size = commands.reduce(0) { $0 + $1.body.count }
      hasMore = commands.count == Self.batchLimit
      last = commands.last?.id ?? last
      commands.removeAll { held.contains($0.agentConnId) }
    }
    let messages = commands.prefix(Self.batchLimit).prefix { $0.isMessage }
    let batch = messages.isEmpty ? Array(commands.prefix(1)) : Array(messages)
    commands.removeFirst(batch.count)
    inFlight = Set(batch.map(\.id))
    return batch
  }

  /// Notes that the commands in flight were carried out, or failed.
  mutating func finish() { inFlight = [] }

  // MARK: Failures

  /// Holds a command that failed for an unusual reason until ``release()``, with those that follow about its
  /// connection.
  mutating func hold(_ command: StoredAgentCommand, after error: ChatError) {
    if errors.updateValue(error, forKey: command.id) == nil { pause = Self.firstPause }
    if !command.agentConnId.isEmpty { held.insert(command.agentConnId) }
    firstHeld = min(firstHeld ?? command.id, command.id)
  }

  /// Notes that commands were carried out, and the errors of earlier attempts are of no more use.
  mutating func carriedOut(_ batch: [StoredAgentCommand]) {
    if !errors.isEmpty { for command in batch { errors[command.id] = nil } }
  }

  /// Whether an error of commands was reported when they were tried before.
  func wasReported(_ error: ChatError, of batch: [StoredAgentCommand]) -> Bool {
    batch.contains { errors[$0.id] == error }
  }

  /// Whether a command waits because one before it, about the same connection, failed.
  func isHeld(_ command: StoredAgentCommand) -> Bool { held.contains(command.agentConnId) }

  /// The time until commands that wait are retried; nil where none does.
  mutating func pauseBeforeRetry() -> Duration? {
    guard firstHeld != nil else {
      pause = Self.firstPause
      return nil
    }
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Releases the held commands: continues with the first of them.
  mutating func release() {
    guard isOpen, let first = firstHeld else { return }
    (commands, hasMore, last) = ([], true, first - 1)
    (held, firstHeld) = ([], nil)
  }
}

extension ChatController {
  /// Starts giving commands to the agent: those left in the database first, then those that turns store.
  func openOutbox() {
    // Later ones belong to commands that are being carried out now. A start that was stopped may not have given all of
    // them to the agent.
    outbox.open(lastFollowUp: followUpsThrough)
    drainOutbox()
  }

  /// Stops giving commands to the agent, after the batch in flight.
  func closeOutbox() async {
    outbox.close()
    for task in [outbox.task, outbox.retry] { task?.cancel() }
    await outbox.task?.value
    await outbox.retry?.value
  }

  /// Passes commands that a turn stored to the agent.
  func enqueue(_ commands: [StoredAgentCommand]) {
    outbox.add(commands)
    if outbox.isOpen { drainOutbox() }
  }

  private func drainOutbox() {
    guard outbox.task == nil, let agent else { return }
    outbox.task = Task(executorPreference: agent.taskExecutor) { [weak self] in await self?.drain() }
  }

  private func drain() async {
    var isReadable = true
    while !Task.isCancelled {
      var batch: [StoredAgentCommand] = []
      var failure: ChatError?
      let isDone = await untilDatabasesWork(exceptFor: { self.outbox.wasReported($0, of: batch) }) {
        () throws(ChatError) in
        do throws(ChatError) {
          if batch.isEmpty {
            isReadable = false
            batch = try self.outbox.next(from: self.store)
            isReadable = true
          }
          if !batch.isEmpty { try await self.carryOut(batch) }
          failure = nil
        } catch {
          failure = error
          throw error
        }
      }
      if isDone, let failure { await carryOutEach(batch, after: failure) }
      outbox.finish()
      guard isDone, !batch.isEmpty else { break }
    }
    outbox.task = nil
    // Commands that were added while the last round ended. A damaged database is read again with the next command.
    if !Task.isCancelled, isReadable, outbox.hasWaiting { return drainOutbox() }
    if !Task.isCancelled { retryLater() }
  }

  /// Carries out the commands of a batch that failed for an unusual reason one by one. What fails again waits, with
  /// what follows it over the same connection; nothing is dropped.
  private func carryOutEach(_ batch: [StoredAgentCommand], after error: ChatError) async {
    if batch.count == 1 { return outbox.hold(batch[0], after: error) }
    for command in batch where !Task.isCancelled && !outbox.isHeld(command) {
      var failure: ChatError?
      let isDone = await untilDatabasesWork(
        exceptFor: { $0 == error || self.outbox.wasReported($0, of: [command]) }
      ) { () throws(ChatError) in
        do throws(ChatError) {
          try await self.carryOut([command])
          failure = nil
        } catch {
          failure = error
          throw error
        }
      }
      if isDone, let failure { outbox.hold(command, after: failure) }
    }
  }

  /// Retries the commands that wait because one failed, after a pause.
  private func retryLater() {
    guard outbox.retry == nil, let pause = outbox.pauseBeforeRetry(), let agent else { return }
    outbox.retry = Task(executorPreference: agent.taskExecutor) { [weak self] in
      try? await Task.sleep(for: pause)
      await self?.retryHeld()
    }
  }

  private func retryHeld() {
    outbox.retry = nil
    guard outbox.isOpen, !Task.isCancelled else { return }
    outbox.release()
    drainOutbox()
  }

  /// Passes commands to the agent, and stores the results.
  private func carryOut(_ batch: [StoredAgentCommand]) async throws(ChatError) {
    var results: [Result<AcceptedMessage?, AgentError>] = []
    if batch.allSatisfy(\.isMessage) {
      results = try await send(batch)
    } else {
      for command in batch {
        // One that waited here may be of no use any more: a later command of the user removed it.
        guard try store.read({ try $0.hasCommand(command.id) }) else { return }
        do throws(AgentError) {
          try await carryOut(command)
          results.append(.success(nil))
        } catch {
          results.append(.failure(error))
        }
      }
    }
    // If a database cannot be used, all of them are retried.
    for case .failure(let error) in results where error.isOutage || error == .inactive {
      agentOutages += 1
      throw .errorAgent(agentError: AgentErrorType(error))
    }
    // If this is lost, the agent gets the commands again, and recognizes them.
    try turn(mayBeLost: true) { turn in
      // The outcome of joining comes as an event; till then the agent may be asked again.
      let taken = zip(batch, results).filter { command, result in
        if case .success = result { !AgentCommand.joiningKinds.contains(command.kind) } else { true }
      }
      try turn.rows.removeCommands(taken.map(\.0.id))
      for (command, result) in taken {
        switch result {
        case .success(let accepted?):
          let isOn = accepted.pqEncryption
          guard try turn.rows.differsInPQ(sending: isOn, agentConnId: command.agentConnId) else { continue }
          try turn.reportingErrors { try turn.notePQ(sent: isOn, over: command.agentConnId) }
        case .success(nil): break
        case .failure(let error): try turn.reportingErrors { try turn.refused(command, error) }
        }
      }
    }
    outbox.carriedOut(batch)
  }

  private func send(
    _ batch: [StoredAgentCommand]
  ) async throws(ChatError) -> [Result<AcceptedMessage?, AgentError>] {
    guard let agent else { throw .errorAgent(agentError: .INACTIVE) }
    var bodies: [[UInt8]] = []
    let messages = batch.map { command in
      var options = (notify: false, pq: false, receiptsFirst: false)
      if case .send(let notify, let pq, let receiptsFirst) = AgentCommand(command) {
        options = (notify, pq, receiptsFirst)
      }
      if bodies.last != command.body { bodies.append(command.body) }
      return OutgoingMessage(
        to: command.connection, key: command.id, pq: options.pq, flags: MessageFlags(notification: options.notify),
        bodyIndex: bodies.count - 1, sendsReceiptsFirst: options.receiptsFirst)
    }
    // The agent prepares the messages while the turn that stored them is made durable; it takes them only after that.
    var failure: ChatError?
    do throws(AgentError) {
      return try await agent.send(messages, bodies: bodies) {
        do throws(ChatError) { try store.synchronize() } catch { failure = error }
        return failure == nil
      }.map { $0.map { $0 } }
    } catch {
      if let failure { throw failure }
      return batch.map { _ in .failure(error) }
    }
  }

  private func carryOut(_ command: StoredAgentCommand) async throws(AgentError) {
    guard let agent else { throw .inactive }
    do throws(ChatError) { try store.synchronize() } catch { throw .store(.unavailable("the chat database")) }
    let connection = command.connection
    switch AgentCommand(command) {
    case .send, nil: throw .internalError("a stored command is damaged")
    case .delete(let wait): try await agent.delete([connection], waitForDelivery: wait)
    case .allow(let confirmation, let info): try await agent.allow(connection, confirmation, info: info)
    case .accept(let user, let invitation, let pq, let info):
      _ = try await agent.acceptContactAsync(
        user, connection: connection, invitation, info: info, options: ConnectionOptions(pq: pq))
    case .join(let user, let request, let pq, let info):
      guard let request = try? ConnectionRequest.textCodec.decode(text: request) else {
        throw .internalError("a stored link is damaged")
      }
      _ = try await agent.joinAsync(
        user, connection: connection, request, info: info, options: ConnectionOptions(pq: pq))
    case .create(let user, let pq):
      _ = try await agent.createConnectionAsync(
        user, connection: connection, mode: .invitation, options: ConnectionOptions(pq: pq))
    case .reject(let invitation): try await agent.rejectContact(invitation)
    case .setNotifications(let isOn): try await agent.setNotifications(connection, enabled: isOn)
    case .setLinkData(let content):
      try await agent.setLinkDataAsync(connection, options.linkData(ofContent: content, mode: .contact))
    case .setInvitationData(let content):
      try await agent.setLinkDataAsync(connection, options.linkData(ofContent: content, mode: .invitation))
    case .deleteUser(let user, let queues): try await agent.deleteUser(user, deletingQueues: queues)
    case .file(let command): try await carryOut(command, agent)
    }
  }
}

extension StoredAgentCommand {
  fileprivate var isMessage: Bool { if case .send = AgentCommand(self) { true } else { false } }

  fileprivate var connection: ConnectionID { ConnectionID(Base64URL.decode(agentConnId) ?? []) }
}
