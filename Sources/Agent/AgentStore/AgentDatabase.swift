import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// The agent's database. It is used by one thread at a time, and its file by one store at a time.
///
/// One file per aggregate; what writes is called between ``begin()`` and `commit()`.
public final class AgentDatabase {
  /// For an export too, which reads rows.
  package let database: SQLiteConnection
  private let synchronous: SQLiteConnection.Synchronous
  /// A commit after which the database ends as if the process had been killed; for tests.
  package var crashPoint: CrashPoint?
  /// Measures the transactions; for benchmarks.
  package var times: TransactionTimes?
  private var beganAt: ContinuousClock.Instant?
  /// Whether something may have been committed that is not durable yet and must not be lost; by an earlier process too,
  /// which had no time to synchronize it.
  private var isAhead = true
  private var changesBefore: Int64 = 0
  private var serverNumbers: [SMPServerAddress: Int64] = [:]
  private var servers: [Int64: SMPServerAddress] = [:]
  /// Rows that could not be read, with the reasons, until they are set aside.
  var unreadable: [(row: UnreadableRow, reason: String)] = []
  /// The queues with unreadable rows that were reported already.
  var reportedQueues: Set<Int64> = []
  /// The relays of users, which are looked at for each message that may go through one.
  var userServers: [UserID: [AgentUserServer]] = [:]

  /// Opens a file, or `:memory:`, and brings its schema up to date. A file that is not an agent's database is left as
  /// it is.
  /// - Parameters:
  ///   - passphrase: the key of an encrypted file; nil for one in the clear.
  ///   - synchronous: what a commit waits for. With `normal` a caller has to ``synchronize()`` before it reports
  ///     what was committed, or a key may be used twice after a power failure.
  public convenience init(
    path: String, passphrase: SecretBytes? = nil, synchronous: SQLiteConnection.Synchronous = .full
  ) throws(SQLiteError) {
    let key = try passphrase.map { (secret) throws(SQLiteError) in try DatabaseKey(passphrase: secret, forFile: path) }
    try self.init(path: path, key: key, synchronous: synchronous)
  }

  /// Opens a file whose key is known; see ``init(path:passphrase:synchronous:)``.
  public convenience init(
    path: String, key: DatabaseKey?, synchronous: SQLiteConnection.Synchronous = .full
  ) throws(SQLiteError) {
    try Self.verify(path, key: key)
    let isLogLeft = DatabaseFile.hasLog(path)
    let database: SQLiteConnection =
      if let key {
        try SQLiteConnection(path: path, key: key)
      } else {
        try SQLiteConnection(path: path)
      }
    DatabaseFile.restrict(path)
    // An earlier process may have ended after a flush that failed, or this one opens the database again because of it.
    if isLogLeft, synchronous == .normal { database.doubtLog() }
    try self.init(database, synchronous: synchronous)
  }

  /// SQLite's `application_id` of agents' databases: "SxAg".
  public static let applicationID: Int32 = 0x5378_4167

  /// Throws where the file has content and is not an agent's database that this version can read. Changes nothing.
  public static func verify(_ path: String, key: DatabaseKey?) throws(SQLiteError) {
    try DatabaseIdentity.read(path, key: key)?
      .verify(
        application: applicationID, knownVersion: AgentSchema.migrations.count, schema: AgentSchema.fingerprint)
  }

  /// Takes a connection to a database and brings its schema up to date. A second store on the same connection, after
  /// the first was thrown away, is like a restart.
  public init(_ database: SQLiteConnection, synchronous: SQLiteConnection.Synchronous = .full) throws(SQLiteError) {
    self.database = database
    self.synchronous = synchronous
    if database.isInTransaction { try database.execute("ROLLBACK") }
    // The connection keeps the lock of the file: a second agent on it would use the same keys. It also saves the locks
    // of every transaction. A process that is ending has some time to release it.
    try database.setBusyTimeout(milliseconds: 1_000)
    try database.setPragma("locking_mode", "EXCLUSIVE")
    try database.claim(application: Self.applicationID)
    try database.useWriteAheadLog(synchronous: synchronous)
    try database.setCheckpointInterval(pages: 4_000)
    try database.setPragma("cache_size", "-2000")
    try database.keepTemporaryDataInMemory()
    try database.migrate(AgentSchema.migrations, fingerprint: AgentSchema.fingerprint)
  }

  /// Begins a transaction.
  public func begin() throws(SQLiteError) {
    try crashPoint?.check()
    beganAt = times.map { _ in ContinuousClock.now }
    try database.execute("BEGIN IMMEDIATE")
    changesBefore = database.totalChanges
  }

  /// Declares that the changes of the transaction so far are repeated anyway if a power failure loses them.
  /// If it changes nothing else, ``synchronize()`` need not be called for it.
  public func mayLoseChangesSoFar() { changesBefore = database.totalChanges }

  /// Commits the transaction. When it throws, nothing of it is stored.
  /// - Parameter mayBeLost: whether it is repeated anyway if a power failure loses it, so that
  ///   ``synchronize()`` need not be called for it.
  public func commit(mayBeLost: Bool = false) throws(SQLiteError) {
    do throws(SQLiteError) {
      try database.execute("COMMIT")
    } catch {
      rollback()
      throw error
    }
    if let beganAt { times?.note(since: beganAt, of: .agent) }
    if !mayBeLost, database.totalChanges != changesBefore { isAhead = true }
    try crashPoint?.committed(.agent)
  }

  /// Makes all durable that was committed, where commits did not wait for it; does nothing where nothing was that must
  /// not be lost. When it throws, the store cannot be used any more, and nothing that was committed since may be
  /// reported the last time.
  public func synchronize() throws(SQLiteError) {
    try crashPoint?.checkSynchronizing()
    guard synchronous == .normal, isAhead else { return }
    try database.synchronize()
    isAhead = false
  }

  /// Rolls the transaction back.
  public func rollback() {
    forget()
    if database.isInTransaction { _ = try? database.execute("ROLLBACK") }
  }

  /// Begins a savepoint of the transaction.
  public func beginNested() throws(SQLiteError) { try database.execute("SAVEPOINT part") }

  /// Releases the savepoint.
  public func commitNested() throws(SQLiteError) { try database.execute("RELEASE part") }

  /// Rolls back to the savepoint.
  public func rollbackNested() {
    forget()
    if database.isInTransaction {
      _ = try? database.execute("ROLLBACK TO part")
      _ = try? database.execute("RELEASE part")
    }
  }

  /// Moves what the write-ahead log holds into the file, and empties the log, so that it has no copies of what was
  /// deleted; all that was committed is durable then. When it throws, nothing is lost.
  public func emptyLog() throws(SQLiteError) {
    try crashPoint?.check()
    try database.emptyLog()
    isAhead = false
  }

  /// Releases memory that makes later reading faster.
  public func releaseMemory() { database.releaseMemory() }

  /// Drops caches that were filled in a transaction that is rolled back.
  private func forget() {
    serverNumbers = [:]
    servers = [:]
    userServers = [:]
  }

  /// Runs SQL that a person typed; see `SQLiteConnection.rows(of:limit:)`.
  public func rows(of sql: String, limit: Int) throws(SQLiteError) -> [String] {
    try database.rows(of: sql, limit: limit)
  }

  // MARK: Servers

  /// The number of a relay, which gets one at its first use.
  public func number(of server: SMPServerAddress) throws(SQLiteError) -> Int64 {
    if let number = try knownNumber(of: server) { return number }
    try database.execute(AgentSQL.insertServer, try Self.bytes(of: server))
    let number = database.lastInsertedRow
    remember(server, number)
    return number
  }

  /// The number of a relay that has one.
  func knownNumber(of server: SMPServerAddress) throws(SQLiteError) -> Int64? {
    if let number = serverNumbers[server] { return number }
    let found = try database.first(AgentSQL.serverNumber, try Self.bytes(of: server)) { (row) throws(SQLiteError) in
      try row.integer(0)
    }
    guard let found else { return nil }
    remember(server, found)
    return found
  }

  /// The relay with this number.
  func server(_ number: Int64) throws(SQLiteError) -> SMPServerAddress {
    if let server = servers[number] { return server }
    let bytes = try database.first(AgentSQL.server, number) { (row) throws(SQLiteError) in try row.bytes(0) }
    guard let bytes, let server = try? SMPServerAddress.codec.decode(bytes) else {
      throw SQLiteError(.damaged, "a server is missing")
    }
    remember(server, number)
    return server
  }

  private func remember(_ server: SMPServerAddress, _ number: Int64) {
    serverNumbers[server] = number
    servers[number] = server
  }

  private static func bytes(of server: SMPServerAddress) throws(SQLiteError) -> [UInt8] {
    try stored { () throws(WireError) in try SMPServerAddress.codec.encode(server) }
  }

  // MARK: Settings

  /// A setting.
  public func setting(_ name: String) throws(SQLiteError) -> Int64? {
    try database.first(AgentSQL.setting, name) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// Stores a setting.
  public func setSetting(_ name: String, _ value: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.putSetting, name, value)
  }
}

/// Encodes what is stored. It fails only for values that are too long for their form, which is a mistake of ours.
func stored<Value>(_ encode: () throws(WireError) -> Value) throws(SQLiteError) -> Value {
  do throws(WireError) { return try encode() } catch { throw SQLiteError(.other, "a value cannot be stored: \(error)") }
}

/// Decodes what is stored.
func readStored<Value>(_ decode: () throws(WireError) -> Value) throws(SQLiteError) -> Value {
  do throws(WireError) { return try decode() } catch { throw SQLiteError(.damaged, "a stored value: \(error)") }
}

extension AgentError {
  /// The error of a database.
  public init(_ error: SQLiteError) {
    switch error.kind {
    case .damaged, .unexpectedColumn: self = .store(.damaged)
    case .notADatabase: self = .store(.wrongKey)
    case .newerSchema(let found, let known): self = .store(.newerSchema(found: found, known: known))
    case .earlierBuild: self = .store(.earlierBuild)
    case .diskFull: self = .store(.full)
    case .busy: self = .store(.busy)
    case .readOnly, .inputOutput, .cannotOpen: self = .store(.unavailable(error.description))
    default: self = .store(.other(error.description))
    }
  }
}
