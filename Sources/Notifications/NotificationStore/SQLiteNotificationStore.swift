import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SQLiteKit
import Synchronization

/// A store in one SQLite file.
///
/// One thread writes: its transactions wait for the disk, so each contains everything that was submitted during the one
/// before. Another thread reads what is durable, without waiting for the disk.
public final class SQLiteNotificationStore: NotificationStore {
  /// A transaction, which returns what answers it when it is durable, or has failed.
  private struct Request: Sendable {
    let run: @Sendable (NotificationDatabase) -> @Sendable (NotificationStoreError?) -> Void
    let fail: @Sendable (NotificationStoreError) -> Void
  }

  private typealias Reading = @Sendable (NotificationDatabase?) -> Void

  /// A connection, until the store is closed. A reference that threads and the store share.
  private final class SharedDatabase: Sendable {
    let state: Mutex<NotificationDatabase?>
    init(_ database: consuming sending NotificationDatabase) { state = Mutex(database) }
  }

  private let writing: SharedDatabase
  private let reading: SharedDatabase
  private let commits: GroupCommit<Request>
  private let reads: GroupCommit<Reading>

  /// Opens or creates the store.
  public init(databaseFile: String) throws(NotificationStoreError) {
    do throws(SQLiteError) {
      let writing = SharedDatabase(try NotificationDatabase(path: databaseFile))
      let reading = SharedDatabase(try NotificationDatabase(reading: databaseFile))
      self.writing = writing
      self.reading = reading
      commits = GroupCommit(label: "NotificationStore") { Self.commit($0, to: writing) }
      reads = GroupCommit(label: "NotificationStore.read") { requests in
        for request in requests { reading.state.withLock { request($0) } }
      }
    } catch {
      throw NotificationStoreError(error)
    }
  }

  /// Executes a transaction with those that were submitted during the one before.
  public func submit<Value: Sendable>(
    _ transaction: @escaping @Sendable (any NotificationRecords) throws(NotificationStoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, NotificationStoreError>) -> Void
  ) {
    let request = Request { database in
      let result: Result<Value, NotificationStoreError>
      do throws(NotificationStoreError) {
        result = .success(
          try database.step { () throws(NotificationStoreError) in try transaction(database) })
      } catch {
        result = .failure(error)
      }
      return { failure in
        if let failure, case .success = result { return completion(.failure(failure)) }
        completion(result)
      }
    } fail: {
      completion(.failure($0))
    }
    if !commits.submit(request) { request.fail(.closed) }
  }

  /// Runs transactions as one. Where that fails, each is run alone: one that failed, for example on a full disk, must
  /// not fail the others.
  private static func commit(_ requests: [Request], to shared: SharedDatabase) {
    let answers = shared.state.withLock { database -> [@Sendable () -> Void] in
      guard let database else { return requests.map { request in { request.fail(.closed) } } }
      let (answers, failure) = commit(requests, to: database)
      guard failure != nil, requests.count > 1 else { return answers }
      return requests.flatMap { commit([$0], to: database).answers }
    }
    for answer in answers { answer() }
  }

  private static func commit(
    _ requests: [Request], to database: NotificationDatabase
  ) -> (answers: [@Sendable () -> Void], failure: NotificationStoreError?) {
    var answers: [@Sendable (NotificationStoreError?) -> Void] = []
    var failure: NotificationStoreError?
    do throws(SQLiteError) {
      try database.commit { answers = requests.map { $0.run(database) } }
    } catch {
      failure = NotificationStoreError(error)
    }
    // The transaction may not even have begun.
    guard !answers.isEmpty else {
      return (requests.map { request in { [failure] in request.fail(failure ?? .closed) } }, failure)
    }
    return (answers.map { answer in { [failure] in answer(failure) } }, failure)
  }

  /// The keys that authorize commands, on the thread that reads.
  public func keys(of commands: [CommandKey]) async throws(NotificationStoreError) -> [AuthorizationKey?] {
    try await read { (database) throws(SQLiteError) in
      var keys: [AuthorizationKey?] = []
      for command in commands { keys.append(try database.key(of: command)) }
      return keys
    }
  }

  /// A page of the subscriptions, on the thread that reads.
  public func wantedSubscriptions(
    after position: Int64, limit: Int
  ) async throws(NotificationStoreError) -> (subscriptions: [WantedSubscription], next: Int64?) {
    let rows = try await read { (database) throws(SQLiteError) in
      try database.wanted(after: position, limit: limit)
    }
    return (rows.map(\.subscription), rows.count < limit ? nil : rows.last?.position)
  }

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (NotificationDatabase) throws(SQLiteError) -> Value
  ) async throws(NotificationStoreError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, NotificationStoreError>, Never>) in
      let isAccepted = reads.submit { database in
        guard let database else { return continuation.resume(returning: .failure(.closed)) }
        let result: Result<Value, NotificationStoreError>
        do throws(SQLiteError) { result = .success(try body(database)) } catch {
          result = .failure(NotificationStoreError(error))
        }
        continuation.resume(returning: result)
      }
      if !isAccepted { continuation.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// Executes what was submitted, and closes both connections.
  public func close() async {
    await reads.close { [reading] in reading.state.withLock { $0 = nil } }
    await commits.close { [writing] in writing.state.withLock { $0 = nil } }
  }
}
