import AgentCore
import AgentStore
import ChatAPI
import ChatStore
import SMPProtocol
import FileAccess
import SQLiteKit
import SimplexAgent
import SimplexCrypto

// Opening and closing the databases, and the lease that keeps other processes out.

extension ChatController {
  /// Opens the databases, creating them where there are none. It receives and sends nothing before
  /// `ChatCommand.startChat(mainApp:enableSndFiles:)`.
  ///
  /// Databases of the reference implementation are imported where the options confirm upgrades; those of other programs
  /// are left as they are. A controller of this process that has the databases and whose chat is not started hands them
  /// over, and fails from then on; where its chat is started, opening fails at once. Where another process has them, it
  /// fails after a second.
  /// - Throws: ``ChatOpeningError``: with ``ChatOpeningError/invalidServers`` for addresses in the options that cannot
  ///   be used, before anything is created or changed; otherwise with a result that names the file and the reason, such
  ///   as a wrong passphrase, an upgrade that was not confirmed, a newer schema or a file of another program.
  public static func open(_ options: ChatOptions) async throws(ChatOpeningError) -> ChatController {
    let invalidServers = options.invalidServers
    guard invalidServers.isEmpty else { throw ChatOpeningError(invalidServers: invalidServers) }
    // Threads for connections could not be started later, which nothing could report.
    if let shortage = OpenFileLimit.shortage {
      throw ChatOpeningError(.errorSQL(dbFile: options.chatDatabase, migrationSQLError: shortage))
    }
    let passphrase = options.key.isEmpty ? nil : SecretBytes(Array(options.key.utf8)).guarded
    let lease = DatabaseLease(path: options.lockFile)
    try await lease.take(for: options, passphrase)
    do throws(ChatOpeningError) {
      let controller = try await open(options, passphrase: passphrase, lease: lease)
      DatabaseHolders.add(controller)
      return controller
    } catch {
      lease.release()
      throw error
    }
  }

  private static func open(
    _ options: ChatOptions, passphrase: SecretBytes?, lease: DatabaseLease
  ) async throws(ChatOpeningError) -> ChatController {
    let (store, agentKey) = try openFiles(options, passphrase: passphrase, lease: lease)
    let agent: Agent
    do throws(ChatOpeningError) {
      agent = try await openAgent(options, network: .standard, key: agentKey, handled: handledEvent(store))
    } catch {
      store.close()
      throw error
    }
    let controller = ChatController(options, store: store, agent: agent, passphrase: passphrase, lease: lease)
    do throws(ChatError) {
      try await controller.prepare(agentKey)
    } catch {
      await agent.close()
      store.close()
      throw ChatOpeningError(.errorSQL(dbFile: options.chatDatabase, migrationSQLError: error.text))
    }
    return controller
  }

  /// Opens the database of chats, and derives the key of the agent's. What turns out to be a profile of the reference
  /// is imported first: only then, because looking whose a database is takes its key, and each key 0.1 s.
  private static func openFiles(
    _ options: ChatOptions, passphrase: SecretBytes?, lease: DatabaseLease
  ) throws(ChatOpeningError) -> (ChatDatabase, DatabaseKey?) {
    func open() throws(ChatStoreOpenError) -> (ChatDatabase, DatabaseKey?) {
      let agentKey = try preparedAgentKey(options, passphrase)
      let store = try ChatDatabase(
        path: options.chatDatabase, passphrase: passphrase, confirmation: options.confirmation, commitsWait: false,
        lease: lease, crashPoint: options.crashPoint, times: options.transactionTimes,
        clock: options.clock, elapsed: options.elapsed)
      return (store, agentKey)
    }
    do throws(ChatStoreOpenError) {
      let opened = try open()
      noteImported(options, passphrase)
      return opened
    } catch {
      guard case .foreign(_, .withMigrations) = error, try importReferenceProfile(options, passphrase) else {
        throw ChatOpeningError(error.migrationResult)
      }
    }
    do throws(ChatStoreOpenError) { return try open() } catch { throw ChatOpeningError(error.migrationResult) }
  }

  /// Finishes a replacement of the files that was interrupted, checks whose file the agent's is, and derives its key.
  /// Nothing is changed where a file is not ours.
  private static func preparedAgentKey(
    _ options: ChatOptions, _ passphrase: SecretBytes?
  ) throws(ChatStoreOpenError) -> DatabaseKey? {
    do throws(SQLiteKit.SQLiteError) { try options.replacement.recover() } catch {
      throw ChatStoreOpenError(error, file: options.chatDatabase)
    }
    for file in options.replacement.files { DatabaseFile.remove(exportedCopy(of: file)) }
    do throws(SQLiteKit.SQLiteError) {
      let key = try passphrase.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: options.agentDatabase)
      }
      try AgentDatabase.verify(options.agentDatabase, key: key)
      return key
    } catch {
      throw ChatStoreOpenError(error, file: options.agentDatabase)
    }
  }

  /// The last event of the agent that the chat has handled; nil for none.
  static func handledEvent(_ store: ChatDatabase) -> EventID? {
    guard let last = try? store.read({ try $0.lastHandledEvent() }), last > 0 else { return nil }
    return EventID(rawValue: last)
  }

  /// Opens the agent. It does nothing on the network before ``updateAgentNetwork()``.
  /// - Parameter handled: the last event that the chat has handled; events have later numbers from then on.
  static func openAgent(
    _ options: ChatOptions, network: NetCfg, key: DatabaseKey?, handled: EventID?
  ) async throws(ChatOpeningError) -> Agent {
    var agentOptions = Agent.Options()
    agentOptions.configuration = options.agent
    agentOptions.configuration.presetServers = options.linkServers
    agentOptions.configuration.notificationServers = options.notificationServers.compactMap {
      try? NotificationServer.textCodec.decode(text: $0)
    }
    agentOptions.network = options.network
    agentOptions.isOnline = false
    agentOptions.crashPoint = options.crashPoint
    // A configuration in use was accepted when it was set.
    try? network.apply(to: &agentOptions, stamp: 0)
    let (path, crashPoint, times) = (options.agentDatabase, options.crashPoint, options.transactionTimes)
    do throws(AgentError) {
      return try await Agent.open(agentOptions, confirming: handled) { () throws(SQLiteKit.SQLiteError) in
        try crashPoint?.check()
        let store = try AgentDatabase(path: path, key: key, synchronous: .normal)
        store.crashPoint = crashPoint
        store.times = times
        return store
      }
    } catch {
      throw ChatOpeningError(error.migrationResult(file: path))
    }
  }

  // MARK: Closing and opening again

  /// Closes the databases and releases them for other processes. ``reopen()`` opens them again; the chat then
  /// continues as it was started. It does not fail where they are closed already.
  /// - Throws: an error where another controller of this process took the databases over.
  public func close() async throws(ChatError) {
    try await withLifecycleLock { () async throws(ChatError) in
      guard !life.isHandedOver else { throw Self.handedOver }
      await cancelSuspension()
      await closeDatabases(parking: false)
    }
  }

  /// Opens the databases again after ``close()`` or a suspension; the passphrase must have been kept. The chat
  /// continues as it was started, but for one that is suspended, which continues with `/_app activate`.
  /// - Throws: `errorDatabase` if another process or controller has the databases, or their passphrase was not kept; an
  ///   error of the agent if it cannot resume.
  public func reopen() async throws(ChatError) {
    try await withLifecycleLock { () async throws(ChatError) in
      try await openDatabases()
      try await resumeNetwork()
    }
  }

  /// Closes the databases and ends the sequence of events: readers get what is left, then nil.
  public func finish() async {
    _ = try? await close()
    await life.endingFiles?.value
    life.start = nil
    eventQueue.close()
  }

  /// Ends as if the process were killed, without finishing what is in flight. For simulations.
  package func kill() async {
    await cancelSuspension()
    store.close()
    stopCleaning()
    endLinkDataWaits()
    receiving?.cancel()
    receiving = nil
    outbox.close()
    outbox.task?.cancel()
    working?.cancel()
    await agent?.kill()
    agent = nil
    releaseLease()
    eventQueue.close()
  }

  /// Stops what is running, closes both databases and releases the lease.
  /// - Parameter parking: whether the keys are kept and reads still answer.
  func closeDatabases(parking: Bool) async {
    await endRemoteSessions()
    await stopWorking()
    // Nothing may delay a suspension.
    if parking, let agent {
      let (earlier, ending) = (life.endingFiles, await agent.closeAtOnce())
      life.endingFiles = Task {
        await earlier?.value
        await ending.value
      }
    } else {
      await agent?.close()
    }
    agent = nil
    // Last: commands that the end of the agent interrupted have stored something too.
    try? store.synchronize()
    if parking {
      if life.holdsLease { life.isParked = true }
      store.park()
    } else {
      store.close()
      life.isParked = false
      life.agentKey = nil
      secret = nil
    }
    releaseLease()
  }

  /// Takes the lease and opens both databases; no-op where they are open.
  func openDatabases() async throws(ChatError) {
    guard !life.isHandedOver else { throw Self.handedOver }
    guard agent == nil else { return }
    try takeLease()
    do throws(ChatError) {
      try await open(with: keepsKey ? secret : passphrase)
    } catch {
      releaseLease()
      throw error
    }
  }

  /// Whether the passphrase is still in memory: the databases are parked, or only the agent is missing, because a stop
  /// could not open its database again.
  private var keepsKey: Bool { life.isParked || store.isOpen }

  /// Opens both databases while the lease is held.
  func open(with passphrase: SecretBytes?) async throws(ChatError) {
    guard agent == nil else { return }
    let keepsKey = keepsKey
    do throws(ChatError) {
      try openStore(with: passphrase)
      // Before any command can store another one.
      followUpsThrough = try store.read { try $0.lastFollowUp() }
      // Another process may have changed or deleted the user.
      activeUser = try store.read { try $0.activeUser() }
      agent = try await reopenAgent()
    } catch {
      // Another process may use both files next.
      if keepsKey { store.park() } else { store.close() }
      life.isParked = keepsKey
      throw error
    }
    secret = passphrase
    life.isParked = false
  }

  private func openStore(with passphrase: SecretBytes?) throws(ChatError) {
    do throws(ChatStoreOpenError) {
      if life.agentKey == nil { life.agentKey = try Self.preparedAgentKey(options, passphrase) }
      try store.reopen(passphrase: passphrase)
    } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: error.sqliteError))
    }
  }

  /// Opens the agent as its network is configured now.
  func reopenAgent() async throws(ChatError) -> Agent {
    do throws(ChatOpeningError) {
      return try await Self.openAgent(
        options, network: session.networkConfig, key: life.agentKey, handled: Self.handledEvent(store))
    } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: error.result.text)))
    }
  }

  /// Runs `body` while the files are closed and the lease is held, and opens them again.
  func withClosedDatabases<Value: Sendable>(_ body: () throws(ChatError) -> Value) async throws(ChatError) -> Value {
    guard agent != nil else { throw Self.notOpen }
    await agent?.close()
    agent = nil
    store.close()
    let result: Result<Value, ChatError>
    do throws(ChatError) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
    try await open(with: secret)
    return try result.get()
  }

  /// Closes the databases permanently, because their files are replaced or removed.
  func shutDown() async {
    session.isStoreChanged = true
    // It would make them again.
    life.activation?.cancel()
    life.activation = nil
    await agent?.close()
    agent = nil
    try? store.synchronize()
    store.close()
    life.agentKey = nil
    life.isParked = false
  }

  /// Where a database is copied to while an archive is written.
  static func exportedCopy(of file: String) -> String { file + ".exported" }

  static var notOpen: ChatError { .errorStore(storeError: .dBException(message: "the database is closed")) }

  // MARK: The lease

  func takeLease() throws(ChatError) {
    guard !life.holdsLease else { return }
    do throws(SQLiteKit.SQLiteError) { try lease.take() } catch {
      let error = ChatStoreOpenError(error, file: options.chatDatabase)
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: error.sqliteError))
    }
    life.holdsLease = true
  }

  func releaseLease() {
    guard life.holdsLease else { return }
    life.holdsLease = false
    lease.release()
  }
}

extension ChatOptions {
  /// The lock file of the lease.
  var lockFile: String { databasePrefix + ".lock" }

  /// Replaces both databases at once.
  var replacement: DatabaseReplacement {
    DatabaseReplacement(of: [chatDatabase, agentDatabase], marker: databasePrefix + ".replace")
  }
}

extension ChatError {
  /// Whether another process or controller has the databases.
  var isDatabaseInUse: Bool {
    self == .errorDatabase(databaseError: .errorOpen(sqliteError: .error(dbError: ChatStoreOpenError.inUseText)))
  }

  /// Whether opening the databases may succeed later although it failed: not with a wrong passphrase, or none.
  var mayEnd: Bool { self != .errorDatabase(databaseError: .errorOpen(sqliteError: .errorNotADatabase)) }
}

extension ChatStoreOpenError {
  /// The error as commands show it.
  var sqliteError: ChatAPI.SQLiteError {
    if case .notADatabase = self { return .errorNotADatabase }
    if case .inUse = self { return .error(dbError: Self.inUseText) }
    return .error(dbError: migrationResult.text)
  }
}
