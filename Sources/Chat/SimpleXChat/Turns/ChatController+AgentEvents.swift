import AgentCore
import ChatAPI
import SimplexAgent

// Reading events and messages of the agent. Each is handled by one turn, and acknowledged when the turn is durable.

extension ChatController {
  /// Reads the events of the agent until the controller is stopped.
  func startReading(_ agent: Agent) {
    receiving = Task(executorPreference: agent.taskExecutor) { [weak self, eventQueue, events = agent.events] in
      while !Task.isCancelled {
        // An event that was taken has to be handled, so wait for room in the queue first.
        await eventQueue.room()
        guard await self?.handleNext(events) == true else { return }
      }
    }
  }

  /// Stops reading events of the agent, after the one that is being handled.
  func stopReading() async {
    life.isSubscribed = false
    guard let receiving else { return }
    self.receiving = nil
    receiving.cancel()
    await receiving.value
  }

  /// Handles the events that were taken before the controller was stopped or the queue was full, or else the next ones.
  /// - Returns: false at the end of events, and where the controller is stopped.
  private func handleNext(_ events: AgentEvents) async -> Bool {
    // Few enough that stopping does not take long.
    if unhandled.isEmpty { unhandled = await events.next(limit: 64) ?? [] }
    return unhandled.isEmpty ? false : await handleTaken()
  }

  /// Handles events that were taken from the agent, in order, while the queue of events has room. While a database
  /// cannot be used, because its disk is full for example, the event is retried: nothing after it is handled, and
  /// nothing is lost.
  /// - Returns: false if the controller was stopped before the effects of the events could be stored.
  private func handleTaken() async -> Bool {
    while let event = unhandled.first {
      let events = firstTogether()
      let isHandled = await untilDatabasesWork { () throws(ChatError) in
        try self.handle(events)
        // Others tell how it is now, and do not come again.
        let again = events.filter { $0.id != nil || $0.connection != nil }
        if self.options.repeatsEvents { try self.turn { turn in for event in again { try turn.handle(event) } } }
      }
      guard isHandled else {
        _ = await confirm()
        return false
      }
      unhandled.removeFirst(min(events.count, unhandled.count))
      if case .suspended = event.kind { agentIsIdle() }
      if let id = events.last?.id {
        handledThrough = id
        unconfirmed = event.isSent ? unconfirmed + events.count : Self.unconfirmedLimit
      }
      if Task.isCancelled || !eventQueue.hasRoom { break }
    }
    if acknowledgements.isEmpty, unconfirmed < Self.unconfirmedLimit { return true }
    return await confirm()
  }

  /// Handles events in one turn. A message that cannot be handled, although no disk is at fault, is noted as skipped:
  /// it is not acknowledged, and the agent delivers it again later. Without the note it would seem handled once a later
  /// message of the connection is. If it cannot be noted, nothing after it is handled.
  private func handle(_ events: [AgentEvent]) throws(ChatError) {
    let before = store.outages
    do throws(ChatError) {
      try turn { turn in for event in events { try turn.handle(event) } }
    } catch {
      if let (connection, message) = events.first?.message, store.outages == before {
        do throws(ChatError) {
          try turn(mayBeLost: true) {
            try $0.rows.addUnhandledMessage(agentConnId: connection.text, agentMessageId: message.rawValue)
          }
        } catch {
          agentOutages += 1
          throw error
        }
      }
      throw error
    }
  }

  /// The first of the events that were taken, with those after it that are handled in the same turn.
  private func firstTogether() -> [AgentEvent] {
    // A message to a group is sent to each member: many of these events together cost little more than one.
    let sent = unhandled.prefix { $0.isSent }
    guard sent.isEmpty else { return Array(sent) }
    // Whoever joins a group connects with each member, and tells the host of each.
    let connecting = unhandled.prefix(Self.connectingLimit).prefix { $0.isAboutConnecting }
    return connecting.isEmpty ? Array(unhandled.prefix(1)) : Array(connecting)
  }

  /// The most events about connecting that one turn handles; each takes about a millisecond.
  private static let connectingLimit = 16

  /// How many handled `sent` events may be left unconfirmed; other events are confirmed at once.
  private static let unconfirmedLimit = 64

  /// Confirms handled events and acknowledges messages to the agent, many in one call.
  private func confirm() async -> Bool {
    let (messages, last) = (acknowledgements, handledThrough)
    guard last != nil || !messages.isEmpty, agent != nil else { return true }
    return await untilDatabasesWork { () throws(ChatError) in
      let results = try await self.withAgent { (agent) throws(AgentError) in
        try await agent.ack(messages, confirming: last)
      }
      self.acknowledgements.removeFirst(min(messages.count, self.acknowledgements.count))
      self.handledThrough = nil
      self.unconfirmed = 0
      for (message, error) in zip(messages, results) {
        if let error { self.emit(.errorAgent(agentError: AgentErrorType(error), agentConnId: message.connection.text)) }
      }
    }
  }

  /// Confirms to the agent the events that are handled already, before the first event is read.
  func confirmHandledEvents() async throws(ChatError) {
    let last = try store.read { try $0.lastHandledEvent() }
    guard last > 0 else { return }
    try await withAgent { (agent) throws(AgentError) in try await agent.confirmEvents(through: EventID(rawValue: last))
    }
  }

  /// Runs `body`, and retries it while a database cannot be used. Reports errors as events, the same one of several
  /// attempts once.
  /// - Parameters:
  ///   - earlier: an error that was reported already.
  ///   - isReported: whether an error was reported in an earlier call.
  /// - Returns: false where the task was cancelled meanwhile.
  func untilDatabasesWork(
    after earlier: ChatError? = nil, exceptFor isReported: (ChatError) -> Bool = { _ in false },
    _ body: () async throws(ChatError) -> Void
  ) async -> Bool {
    var pause = Duration.milliseconds(500)
    var reported = earlier
    while true {
      let before = outages
      do throws(ChatError) {
        try await body()
        // Other work may have counted outages meanwhile; this succeeded.
        return true
      } catch {
        if error != reported, !isReported(error) { emit(error) }
        reported = error
      }
      if outages == before { return true }
      do { try await Task.sleep(for: pause) } catch { return false }
      pause = min(pause * 2, .seconds(30))
    }
  }

  /// The number of failed attempts to use one of the databases.
  var outages: Int { store.outages + agentOutages }
}

extension AgentEvent {
  /// The message that the event delivers, with its connection.
  fileprivate var message: (ConnectionID, AgentMessageID)? {
    switch kind {
    case .message(let metadata, _, _), .received(let metadata, _): connection.map { ($0, metadata.id) }
    default: nil
    }
  }

  fileprivate var isSent: Bool { if case .sent = kind { true } else { false } }

  fileprivate var isAboutConnecting: Bool {
    switch kind {
    case .created, .confirmation, .information, .joined, .connected: true
    default: false
    }
  }
}
