import AgentCore
import ChatAPI
import ChatStore
import FoundationTypes
import SimplexAgent

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Starting, stopping, suspending; folders.

extension ChatController {
  func performLifecycle(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .startChat(let mainApp, _):
      _ = try currentUser()
      if isRunning { return .response0(.chatRunning) }
      if session.isStoreChanged { throw .error(errorType: .chatStoreChanged) }
      try await start(mainApp: mainApp)
      return .response0(.chatStarted)
    case .checkChatRunning: return .response0(isRunning ? .chatRunning : .chatStopped)
    case .apiStopChat:
      await stop()
      return .response0(.chatStopped)
    case .apiActivateChat(let restore):
      _ = try runningUser()
      try await withAgent { (agent) throws(AgentError) in try await agent.activate() }
      session.isActivated = true
      if restore {
        try await subscribe(onlyNew: true)
        startCleaning()
      }
      return .done()
    case .apiSuspendChat(let timeout):
      session.isActivated = false
      stopCleaning()
      try await withAgent { (agent) throws(AgentError) in
        try await agent.suspend(timeout: Int64(timeout) / 1_000)
      }
      return .done()
    case .apiSetAppFilePaths(let files, let temporary, let assets, let remoteHosts):
      session.filesFolder = try makeFolder(files)
      session.tempFolder = try makeFolder(temporary)
      session.assetsFolder = try makeFolder(assets)
      if let remoteHosts { session.remoteHostsFolder = try makeFolder(remoteHosts) }
      return .done()
    case .apiSetEncryptLocalFiles(let enable):
      session.encryptsLocalFiles = enable
      return .done()
    case .setContactMergeEnabled(let enable):
      session.mergesContacts = enable
      return .done()
    case .resubscribeAllConnections:
      try await subscribe(onlyNew: false)
      return .done()
    default: return nil
    }
  }

  /// Makes a folder where there is none.
  func makeFolder(_ path: String) throws(ChatError) -> String {
    for index in path.indices where path[index] == "/" && index != path.startIndex {
      mkdir(String(path[..<index]), 0o777)
    }
    mkdir(path, 0o777)
    var found = stat()
    guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else {
      throw .error(errorType: .exception(message: "cannot make the folder \(path)"))
    }
    return path
  }

  // MARK: Running

  private func start(mainApp: Bool) async throws(ChatError) {
    guard let agent else { throw .errorAgent(agentError: .INACTIVE) }
    receiving = Task(executorPreference: agent.taskExecutor) { [weak self, eventQueue, events = agent.events] in
      while !Task.isCancelled {
        // An event that was taken has to be handled; so there is room first.
        await eventQueue.room()
        guard await self?.handleNext(events) == true else { return }
      }
    }
    session.isActivated = true
    do throws(ChatError) {
      // Whoever only shows notifications gets messages by other means.
      if mainApp { try await subscribe(onlyNew: false) }
      try await giveLeftMessages()
    } catch {
      await stop()
      throw error
    }
    if mainApp { startCleaning() }
  }

  /// Handles what was left when the controller was stopped or had no room, or else the next events of the agent.
  /// - Returns: false at the end of events, and where the controller is stopped.
  private func handleNext(_ events: AgentEvents) async -> Bool {
    // Few enough that stopping does not take long.
    if unhandled.isEmpty { unhandled = await events.next(limit: 64) ?? [] }
    return unhandled.isEmpty ? false : await handleTaken()
  }

  /// Takes no more events of the agent. What is being handled is finished first.
  func stop() async {
    stopCleaning()
    guard let receiving else { return }
    self.receiving = nil
    receiving.cancel()
    await receiving.value
  }

  /// Receives the messages of all users.
  private func subscribe(onlyNew: Bool) async throws(ChatError) {
    for user in try store.read({ try $0.users() }) {
      let names = try store.read { try $0.connectionsToSubscribe(of: user, onlyNew: onlyNew) }
      var connections: [ConnectionID] = []
      for name in names { connections.append(try agentConnection(name)) }
      let all = connections
      guard !all.isEmpty else { continue }
      let failed = try await withAgent { (agent) throws(AgentError) in try await agent.subscribe(all) }
      try store.transaction { try $0.setSubscribed(of: user) }
      guard !failed.isEmpty else { continue }
      tell(
        .chatErrors(
          chatErrors: failed.map { .errorAgent(agentError: AgentErrorType($0.value), agentConnId: $0.key.text) }))
    }
  }
}
