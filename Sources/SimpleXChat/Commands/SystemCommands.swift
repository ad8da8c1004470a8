import AgentCore
import ChatAPI
import ChatStore
import FoundationTypes
import SQLiteKit
import SimplexCrypto

// The version, the databases' passphrase, statistics.

extension ChatController {
  /// The version of the reference whose API this is.
  public static let version = "7.0.0.6"

  func performSystem(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .showVersion:
      return .response2(
        .versionInfo(
          versionInfo: CoreVersionInfo(version: Self.version, simplexmqVersion: "7.0.0.3", simplexmqCommit: ""),
          chatMigrations: [], agentMigrations: []))
    case .apiStorageEncryption(let config):
      try await encrypt(config)
      return .done()
    case .testStorageEncryption(let key):
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      for file in [options.chatDatabase, options.agentDatabase] {
        try await closed { () throws(ChatError) in _ = try Self.database(file, key: key) }
      }
      return .done()
    case .getAgentSubsTotal(let id):
      let user = try runningUser(id)
      let statistics = try await withAgent { (agent) throws(AgentError) in try await agent.statistics() }
      let visible = try visibleUsers(to: user)
      let servers = statistics.servers.filter { visible.contains($0.user) }
      return .response2(
        .agentSubsTotal(
          user: user,
          subsTotal: SMPServerSubs(
            ssActive: servers.reduce(0) { $0 + $1.activeSubscriptions },
            ssPending: servers.reduce(0) { $0 + $1.pendingSubscriptions }),
          hasSession: servers.contains { $0.connectedSessions > 0 }))
    case .getAgentServersSummary(let id):
      let user = try runningUser(id)
      let statistics = try await withAgent { (agent) throws(AgentError) in try await agent.statistics() }
      let known = agentServers(try groupedServers(of: user)).map(\.address.server)
      return .response2(
        .agentServersSummary(
          user: user,
          serversSummary: PresentedServersSummary(
            statistics, user: try agentUserID(user), visible: try visibleUsers(to: user), known: Set(known))))
    case .resetAgentServersStats:
      try await withAgent { (agent) throws(AgentError) in try await agent.resetStatistics() }
      return .done()
    default: return nil
    }
  }

  /// The agent's numbers of a user and of all that are not hidden.
  private func visibleUsers(to user: User) throws(ChatError) -> Set<UserID> {
    var visible: Set<UserID> = [try agentUserID(user)]
    for other in try store.read({ try $0.users() }) where other.viewPwdHash == nil {
      visible.insert(try agentUserID(other))
    }
    return visible
  }

  // MARK: Encryption

  /// Runs `body` while the databases are closed.
  func closed<Value: Sendable>(_ body: () throws(ChatError) -> Value) async throws(ChatError) -> Value {
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

  /// A database file with a key; it is read, so that a wrong key is found out.
  private static func database(_ file: String, key: String) throws(ChatError) -> SQLiteConnection {
    guard DatabaseFile.exists(file) else {
      throw .errorDatabase(databaseError: .errorNoFile(dbFile: file))
    }
    do throws(SQLiteKit.SQLiteError) {
      let connection: SQLiteConnection =
        if key.isEmpty {
          try SQLiteConnection(path: file)
        } else {
          try SQLiteConnection(path: file, passphrase: SecretBytes(Array(key.utf8)))
        }
      _ = try connection.integerPragma("user_version")
      return connection
    } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }

  /// Gives both databases another key. Nothing changes unless both could be written with it.
  private func encrypt(_ config: DBEncryptionConfig) async throws(ChatError) {
    guard !isRunning else { throw .error(errorType: .chatNotStopped) }
    guard config.currentKey != config.newKey else { return }
    if secret != nil && config.currentKey.isEmpty { throw .errorDatabase(databaseError: .errorEncrypted) }
    if secret == nil && !config.currentKey.isEmpty { throw .errorDatabase(databaseError: .errorPlaintext) }
    let files = [options.chatDatabase, options.agentDatabase]
    await agent?.close()
    agent = nil
    store.close()
    do throws(ChatError) {
      for file in files { try export(file, config) }
    } catch {
      try await open(with: secret)
      throw error
    }
    do {
      for file in files { try DatabaseFile.replace(file, by: file + ".exported", keeping: file + ".bak") }
    } catch {
      throw .error(errorType: .exception(message: "cannot replace the databases"))
    }
    secret = config.newKey.isEmpty ? nil : SecretBytes(Array(config.newKey.utf8))
    passphrase = config.keepKey == true ? secret : nil
    session.isStoreChanged = true
  }

  private func export(_ file: String, _ config: DBEncryptionConfig) throws(ChatError) {
    let connection = try Self.database(file, key: config.currentKey)
    let copy = file + ".exported"
    DatabaseFile.remove(copy)
    do throws(SQLiteKit.SQLiteError) {
      let key =
        try config.newKey.isEmpty
        ? nil : DatabaseKey(passphrase: SecretBytes(Array(config.newKey.utf8)), forFile: copy)
      try connection.export(to: copy, key: key)
    } catch {
      throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }
}

extension ChatAPI.SQLiteError {
  init(_ error: SQLiteKit.SQLiteError) {
    self = error.kind == .notADatabase ? .errorNotADatabase : .error(dbError: error.message)
  }
}
