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
      let agentUser = try agentUserID(user)
      let servers = statistics.servers.filter { $0.user == agentUser }
      let active = servers.reduce(0) { $0 + $1.activeSubscriptions }
      return .response2(
        .agentSubsTotal(
          user: user,
          subsTotal: SMPServerSubs(
            ssActive: active, ssPending: servers.reduce(0) { $0 + $1.pendingSubscriptions }), hasSession: active > 0))
    case .resetAgentServersStats:
      try await withAgent { (agent) throws(AgentError) in try await agent.resetStatistics() }
      return .done()
    default: return nil
    }
  }

  // MARK: Encryption

  /// Runs `body` while the databases are closed.
  private func closed(_ body: () throws(ChatError) -> Void) async throws(ChatError) {
    let wasKept = passphrase
    await agent?.close()
    agent = nil
    store.close()
    let result: Result<Void, ChatError>
    do throws(ChatError) {
      try body()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    passphrase = wasKept
    try await reopen()
    try result.get()
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
    let files = [options.chatDatabase, options.agentDatabase]
    await agent?.close()
    agent = nil
    store.close()
    for file in files { try export(file, config) }
    do {
      for file in files { try DatabaseFile.replace(file, by: file + ".exported", keeping: file + ".bak") }
    } catch {
      throw .error(errorType: .exception(message: "cannot replace the databases"))
    }
    passphrase = config.newKey.isEmpty ? nil : SecretBytes(Array(config.newKey.utf8))
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
