import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexCrypto
import Synchronization

/// The chat database of one installation: users, contacts, connections, chats and their items.
///
/// All work happens in ``transaction(_:)`` and ``read(_:)``, synchronously and one at a time. What a closure does in
/// ``transaction(_:)`` is stored whole or not at all. Closures must not call the store again.
///
/// The file belongs to one process at a time: a second one fails with ``ChatStoreOpenError/inUse(file:)``.
public final class ChatStore: @unchecked Sendable {
  // Unchecked: the connection is used only while `lock` is held.
  private let lock = Mutex(())
  private var connection: SQLiteConnection?
  private let outageCount = Atomic(0)
  /// Whether something may have been committed that is not durable yet; by an earlier process too, which had no time to
  /// synchronize it.
  private var isAhead: Bool
  private let commitsWait: Bool
  private let clock: @Sendable () -> Date

  /// The path of the database file.
  public let path: String

  /// Opens the file, which is created where it does not exist, and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - path: the file, or `:memory:`.
  ///   - passphrase: what the file is encrypted with; nil for a file in the clear.
  ///   - confirmation: what to do where the schema of an existing file is older.
  ///   - commitsWait: whether a transaction is durable when it returns. Where it is not, ``synchronize()`` has to be called
  ///     before anybody is told of what was stored; one call serves all transactions before it.
  ///   - clock: the time, which every row that is written takes.
  public init(
    path: String, passphrase: SecretBytes? = nil, confirmation: MigrationConfirmation = .yesUp,
    commitsWait: Bool = true, clock: @escaping @Sendable () -> Date = { Date() }
  ) throws(ChatStoreOpenError) {
    self.path = path
    self.commitsWait = commitsWait
    self.clock = clock
    isAhead = !commitsWait
    connection = try Self.open(path, passphrase, confirmation, commitsWait: commitsWait)
  }

  /// Runs `body`, and commits what it stored if it returns. The error is a ``StoreError`` or ``ChatError`` of `body`,
  /// or says what the database did not do.
  /// - Parameter mayBeLost: whether the next start finds out by itself, should it be lost by a power failure, so that
  ///   ``synchronize()`` need not be called for it.
  public func transaction<Value: Sendable>(
    mayBeLost: Bool = false, _ body: (ChatTransaction) throws -> Value
  ) throws(ChatError) -> Value {
    try perform(mayBeLost ? .lossy : .durable, body)
  }

  /// Makes all transactions durable that were committed, but for those that may be lost; does nothing where there are
  /// none. When it throws, nobody may be told of them.
  public func synchronize() throws(ChatError) {
    try lock.withLock { (_) throws(ChatError) in
      guard isAhead, let connection else { return }
      do throws(SQLFailure) {
        try connection.synchronize()
      } catch {
        if error.isOutage { outageCount.add(1, ordering: .releasing) }
        throw ChatError(storing: error)
      }
      isAhead = false
    }
  }

  /// Runs `body`, which must not store anything.
  public func read<Value: Sendable>(_ body: (ChatTransaction) throws -> Value) throws(ChatError) -> Value {
    try perform(.nothing, body)
  }

  /// Closes the file. Everything fails until ``reopen(passphrase:)``.
  public func close() {
    lock.withLock { _ in connection = nil }
  }

  /// Opens the file again after ``close()``; does nothing where it is open.
  public func reopen(passphrase: SecretBytes? = nil) throws(ChatStoreOpenError) {
    try lock.withLock { (_) throws(ChatStoreOpenError) in
      if connection == nil { connection = try Self.open(path, passphrase, .error, commitsWait: commitsWait) }
    }
  }

  /// How often something outside of the database kept it from reading or storing: no space, a failing or read-only disk,
  /// another process. The same may succeed later, so whoever was given an error meanwhile should try again.
  public var outages: Int { outageCount.load(ordering: .acquiring) }

  /// Whether the file is open.
  public var isOpen: Bool { lock.withLock { _ in connection != nil } }

  /// Runs SQL that a person typed; at most `limit` rows as text, with `|` between the columns.
  public func rows(of sql: String, limit: Int = 10_000) throws(ChatError) -> [String] {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { throw Self.closed }
      do throws(SQLFailure) { return try connection.rows(of: sql, limit: limit) } catch {
        throw ChatError(storing: error)
      }
    }
  }

  /// Writes a copy to a new file, encrypted with `passphrase`, or in the clear where that is nil.
  public func export(to copy: String, passphrase: SecretBytes?) throws(ChatError) {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { throw Self.closed }
      do throws(SQLFailure) {
        let key = try passphrase.map { (secret) throws(SQLFailure) in try DatabaseKey(passphrase: secret, forFile: copy)
        }
        try connection.export(to: copy, key: key)
      } catch {
        throw .errorDatabase(databaseError: .errorExport(sqliteError: .error(dbError: error.message)))
      }
    }
  }

  private static var closed: ChatError {
    .errorStore(storeError: .dBException(message: "the database is closed"))
  }

  /// What a transaction stores.
  private enum Writes {
    case nothing
    case lossy
    case durable
  }

  private func perform<Value: Sendable>(
    _ writes: Writes, _ body: (ChatTransaction) throws -> Value
  ) throws(ChatError) -> Value {
    try lock.withLock { (_) throws(ChatError) in
      guard let connection else { throw Self.closed }
      let transaction = ChatTransaction(connection, now: clock())
      defer { if transaction.hadOutage { outageCount.add(1, ordering: .releasing) } }
      do {
        guard writes != .nothing else { return try body(transaction) }
        try connection.execute("BEGIN IMMEDIATE")
        do {
          let value = try body(transaction)
          try connection.execute("COMMIT")
          if !commitsWait, writes == .durable { isAhead = true }
          return value
        } catch {
          // Some failures (disk full, I/O) have rolled back already.
          if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
          throw error
        }
      } catch {
        if let error = error as? SQLFailure { throw ChatError(storing: transaction.failure(error)) }
        throw ChatError(storing: error)
      }
    }
  }
}

extension ChatError {
  /// The error of a transaction as the API shows it.
  init(storing error: any Error) {
    self =
      switch error {
      case let error as ChatError: error
      case let error as StoreError: .errorStore(storeError: error)
      case let error as ChatErrorType: .error(errorType: error)
      case let error as SQLFailure: .errorStore(storeError: StoreError(error))
      default: .errorStore(storeError: .internalError(message: "\(error)"))
      }
  }
}
