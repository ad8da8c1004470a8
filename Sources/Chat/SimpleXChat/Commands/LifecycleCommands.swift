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
    case .startChat(let mainApp, let sendsFiles):
      if activeUser == nil { try await finishDeletingUsers() }
      _ = try currentUser()
      if session.isStoreChanged { throw .error(errorType: .chatStoreChanged) }
      return try await withLifecycleLock { () async throws(ChatError) in
        if isRunning { return .response0(.chatRunning) }
        try await start(mainApp: mainApp, sendsFiles: sendsFiles)
        return .response0(.chatStarted)
      }
    case .checkChatRunning: return .response0(isRunning ? .chatRunning : .chatStopped)
    case .apiStopChat:
      await withLifecycleLock {
        await cancelSuspension()
        await stop()
      }
      return .response0(.chatStopped)
    case .apiActivateChat(let restores):
      try await activate(subscribes: restores)
      return .done()
    case .apiSuspendChat(let timeout):
      try await suspend(timeout: Int64(timeout))
      return .done()
    case .apiSetAppFilePaths(let files, let temporary, let assets, let remoteHosts):
      let folder = try makeFolder(files)
      session.tempFolder = try makeFolder(temporary)
      session.assetsFolder = try makeFolder(assets)
      if let remoteHosts { session.remoteHostsFolder = try makeFolder(remoteHosts) }
      // Last, because it tells the agent: a start in the meantime must find all folders.
      await setFilesFolder(folder)
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

  /// Makes a folder, with those that it is in, for the owner only (0700); one that exists is left as it is.
  func makeFolder(_ path: String) throws(ChatError) -> String {
    for index in path.indices where path[index] == "/" && index != path.startIndex {
      Self.makeOneFolder(String(path[..<index]))
    }
    Self.makeOneFolder(path)
    var found = stat()
    guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else {
      throw .error(errorType: .exception(message: "cannot make the folder \(path)"))
    }
    return path
  }

  private static func makeOneFolder(_ path: String) {
    // The umask may take rights of the owner too.
    if mkdir(path, 0o700) == 0 { chmod(path, 0o700) }
  }

  // MARK: Receiving

  /// Receives the messages of all users.
  func subscribe(onlyNew: Bool) async throws(ChatError) {
    try await forEachUser { (user) throws(ChatError) in
      let names = try store.read { try $0.connectionsToSubscribe(of: user, onlyNew: onlyNew) }
      var connections: [ConnectionID] = []
      for name in names {
        // The others are received nevertheless.
        do throws(ChatError) { connections.append(try ConnectionID(agentText: name)) } catch { emit(error) }
      }
      let all = connections
      guard !all.isEmpty else { return }
      let failed = try await withAgent { (agent) throws(AgentError) in try await agent.subscribe(all) }
      try store.transaction { try $0.setSubscribed(names, of: user) }
      guard !failed.isEmpty else { return }
      emit(
        .chatErrors(
          chatErrors: failed.map { .errorAgent(agentError: AgentErrorType($0.value), agentConnId: $0.key.text) }))
    }
  }
}
