import AgentCore
import ChatAPI
import ChatStore
import SQLiteKit
import SimplexAgent

// Starting, stopping, suspending and activating.

extension ChatController {
  /// Whether the chat was started and not stopped; also while it is suspended.
  var isRunning: Bool { life.start != nil }

  // MARK: Starting and stopping

  /// - Parameter sendsFiles: whether to send files where it is not the main app.
  func start(mainApp: Bool, sendsFiles: Bool) async throws(ChatError) {
    // A stop may have failed to open the agent's database again.
    if agent == nil, store.isOpen {
      try takeLease()
      agent = try await reopenAgent()
    }
    guard agent != nil else { throw .errorAgent(agentError: .INACTIVE) }
    life.start = Lifecycle.Start(isMainApp: mainApp, sendsFiles: mainApp || sendsFiles)
    session.isActivated = true
    // Before messages about them come.
    if mainApp { do { try endLostCalls() } catch { emit(error) } }
    do throws(ChatError) {
      try await resumeNetwork()
    } catch {
      await stop()
      throw error
    }
  }

  /// Goes offline: finishes the event in flight, closes the connections to relays, sends and receives nothing more.
  /// Commands can still use the databases.
  func stop() async {
    life.start = nil
    await endRemoteSessions()
    await stopWorking()
    guard let agent else { return }
    await agent.close()
    self.agent = nil
    do throws(ChatError) { self.agent = try await reopenAgent() } catch { emit(error) }
  }

  /// Stops reading events of the agent and giving it commands, after those in flight.
  func stopWorking() async {
    stopCleaning()
    endLinkDataWaits()
    await stopReading()
    await stopJobs()
    await closeOutbox()
  }

  /// Starts receiving and sending, if the chat is started, activated and has its databases; no-op where it does
  /// already. If it fails, the next call continues where it stopped.
  /// - Parameter subscribes: whether to receive even where the chat was not started as the main app.
  func resumeNetwork(subscribes: Bool = false) async throws(ChatError) {
    guard let start = life.start, session.isActivated, let agent else { return }
    let scope = start.isMainApp ? AgentScope.everything : .onDemand
    try await withAgent { (agent) throws(AgentError) in try await agent.setScope(scope) }
    if receiving == nil {
      try await confirmHandledEvents()
      try await restoreAgentServers()
      try continueJobs()
      // Without files, messages still come.
      if start.sendsFiles { do { try await startFiles(onlySends: !start.isMainApp) } catch { emit(error) } }
      openOutbox()
      workOnJobs()
      // Last: what was begun is not begun again.
      startReading(agent)
    }
    if start.isMainApp, !life.isSubscribed { try await synchronizeConnections() }
    try await updateAgentNetwork()
    // An extension that only shows notifications gets messages by other means.
    if start.isMainApp || subscribes {
      try await subscribe(onlyNew: life.isSubscribed)
      life.isSubscribed = true
    }
    if start.isMainApp {
      startCleaning()
      receiveWantedFiles()
    }
  }

  /// Tells the agent whether to use the network; no-op where there is no agent.
  func updateAgentNetwork() async throws(ChatError) {
    guard agent != nil else { return }
    let isActive = session.isActivated || life.suspension != nil
    let isOnline = life.isNetworkOnline && life.start != nil && isActive
    try await withAgent { (agent) throws(AgentError) in try await agent.setNetwork(online: isOnline) }
  }

  // MARK: Suspending

  /// Finishes what is in flight, until the timeout at most, then closes the databases and reports `chatSuspended`. With
  /// a timeout of 0 the databases are closed when it returns, and there is no event.
  /// - Parameter timeout: in microseconds.
  func suspend(timeout: Int64) async throws(ChatError) {
    let deadline = ContinuousClock.now + .microseconds(max(0, timeout))
    await endRemoteSessions()
    await withLifecycleLock {
      await cancelSuspension()
      session.isActivated = false
      stopCleaning()
      endLinkDataWaits()
      guard timeout > 0, let agent, receiving != nil else {
        await closeDatabases(parking: true)
        if timeout > 0 { emit(.chatSuspended) }
        return
      }
      life.suspensionCount += 1
      let number = life.suspensionCount
      life.suspension = Lifecycle.Suspension(number: number)
      let waiting = Task { [weak self] () -> Void in await self?.waitForWork(number, until: deadline, agent) }
      life.suspension?.waiting = waiting
      life.suspension?.task = Task { [weak self] in
        await waiting.value
        if !Task.isCancelled { await self?.finishSuspension(number) }
      }
    }
  }

  /// Waits until what was stored is given to the agent, and then until nothing is in flight.
  private func waitForWork(_ number: Int, until deadline: ContinuousClock.Instant, _ agent: Agent) async {
    func isDue() -> Bool { Task.isCancelled || ContinuousClock.now >= deadline }
    while outbox.task != nil, !isDue() { try? await Task.sleep(for: .milliseconds(2)) }
    let left = (deadline - .now) / .milliseconds(1)
    // A failing agent is not waited for.
    guard !isDue(), (try? await agent.suspend(timeout: max(1, Int64(left)))) != nil else { return }
    while await hasWork(number, agent), !isDue() { try? await Task.sleep(for: .milliseconds(2)) }
  }

  /// Handles that the agent has nothing in flight any more.
  func agentIsIdle() { life.suspension?.agentIsIdle = true }

  private func hasWork(_ number: Int, _ agent: Agent) async -> Bool {
    guard let suspension = life.suspension, suspension.number == number else { return false }
    guard suspension.agentIsIdle, life.commandsInFlight == 0 else { return true }
    // What it reported may be the end of an earlier suspension.
    return await !agent.hasSuspended()
  }

  private func finishSuspension(_ number: Int) async {
    await withLifecycleLock {
      guard life.suspension?.number == number else { return }
      life.suspension = nil
      await closeDatabases(parking: true)
      emit(.chatSuspended)
    }
  }

  /// Cancels a suspension or activation that is under way. Nothing of it comes later: an agent that was suspended after
  /// it is activated would stay offline.
  func cancelSuspension() async {
    let waiting = life.suspension?.waiting
    waiting?.cancel()
    life.suspension?.task?.cancel()
    life.suspension = nil
    life.activation?.cancel()
    life.activation = nil
    await waiting?.value
  }

  // MARK: Activating

  /// Opens the databases again and resumes as the chat was started. It fails at once if another process has them, or if
  /// they cannot be used. The chat then resumes by itself as soon as it can, unless it is suspended or closed before.
  /// - Parameter subscribes: whether to receive even where the chat was not started as the main app.
  func activate(subscribes: Bool) async throws(ChatError) {
    try await withLifecycleLock { () async throws(ChatError) in
      await cancelSuspension()
      session.isActivated = true
      try await continueActivated(subscribes)
    }
    _ = try currentUser()
  }

  private func continueActivated(_ subscribes: Bool) async throws(ChatError) {
    do throws(ChatError) {
      try await resume(subscribes)
    } catch {
      if error.mayEnd { keepActivating(subscribes, after: error) }
      throw error
    }
  }

  private func resume(_ subscribes: Bool) async throws(ChatError) {
    try await openDatabases()
    try await withAgent { (agent) throws(AgentError) in try await agent.activate() }
    try await resumeNetwork(subscribes: subscribes)
  }

  /// Retries until it works: the other process may release the databases, or a disk have space again. Waiting for a
  /// lock would block a thread; a retry costs a few microseconds.
  private func keepActivating(_ subscribes: Bool, after error: ChatError) {
    life.activation = Task { [weak self] in
      var (pause, reported) = (Duration.milliseconds(20), error)
      while !Task.isCancelled {
        try? await Task.sleep(for: pause)
        guard !Task.isCancelled, let self, let error = await self.tryAgain(subscribes) else { return }
        guard !error.isDatabaseInUse else {
          pause = .milliseconds(20)
          continue
        }
        // A persistent error is reported once.
        if error != reported { self.emit(error) }
        guard error.mayEnd else { return }
        (pause, reported) = (min(max(pause * 2, .milliseconds(200)), .seconds(10)), error)
      }
    }
  }

  /// - Returns: why it failed; nil where it succeeded, or is not wanted any more.
  private func tryAgain(_ subscribes: Bool) async -> ChatError? {
    await withLifecycleLock {
      // Suspended, closed, activated or replaced meanwhile.
      guard !Task.isCancelled, session.isActivated, !session.isStoreChanged else { return nil }
      do throws(ChatError) {
        try await resume(subscribes)
        return nil
      } catch {
        return error
      }
    }
  }
}
