import SMPProtocol
import Synchronization
import XFTPClient
import XFTPProtocol

/// The connections of an agent to file relays. They are shared by the commands of a session, and closed when they were
/// not used for some time.
actor FileConnections {
  private typealias Connected = Result<FileRelayConnection, FileClientError>

  /// An attempt to connect, with those who wait for it: it ends when nobody does any more.
  private struct Attempt {
    let number: Int
    let task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<Connected, Never>] = [:]

    /// Stops it; those who wait try again later.
    func cancel() {
      task.cancel()
      for continuation in waiting.values { continuation.resume(returning: .failure(.network(.cancelled))) }
    }
  }

  private struct Entry {
    var connection: FileRelayConnection?
    var attempt: Attempt?
    /// The number of commands that use it.
    var users = 0
    /// Counts its uses.
    var uses = 0
  }

  private struct Discarded {
    weak var connection: FileRelayConnection?
  }

  /// The sessions in which a chunk is being uploaded.
  private var uploading: Set<FileSessionKey> = []
  /// The uploads that wait for their turn in them.
  private var waiting: [FileSessionKey: [CheckedContinuation<Void, Never>]] = [:]

  /// How long a connection without commands is kept.
  private static let idleTime = Duration.seconds(60)

  private var network: FileNetwork
  private var entries: [FileSessionKey: Entry] = [:]
  /// Connections that get no further commands, while earlier ones may still use them.
  private var discarded: [Discarded] = []
  /// Numbers attempts to connect, and those who wait for them.
  private var lastNumber = 0

  init(_ network: FileNetwork) { self.network = network }

  /// Runs commands over the connection of a session, which is opened if there is none.
  func use<Value: Sendable>(
    _ key: FileSessionKey, _ body: @Sendable (FileRelayConnection) async throws(FileClientError) -> Value
  ) async throws(FileClientError) -> Value {
    entries[key, default: Entry()].users += 1
    entries[key]?.uses += 1
    defer { release(key) }
    let connection = try await connection(key)
    do throws(FileClientError) {
      return try await body(connection)
    } catch {
      // One that does not answer is not used again. What ends because its task was cancelled says nothing.
      if error.isOfConnection, !Task.isCancelled { discard(connection, key) }
      throw error
    }
  }

  /// Waits until no other chunk is being uploaded in a session: the reference's relay stops reading when several come
  /// over one connection. The caller ends the turn, also if its task is cancelled.
  func uploadTurn(_ key: FileSessionKey) async -> UploadTurn {
    if !uploading.insert(key).inserted { await withCheckedContinuation { waiting[key, default: []].append($0) } }
    return UploadTurn { [weak self] in Task { await self?.endUpload(key) } }
  }

  private func endUpload(_ key: FileSessionKey) {
    guard let next = waiting[key]?.first else {
      uploading.remove(key)
      return
    }
    waiting[key]?.removeFirst()
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
    next.resume()
  }

  private func connection(_ key: FileSessionKey) async throws(FileClientError) -> FileRelayConnection {
    if let connection = entries[key]?.connection, connection.isOpen { return connection }
    let number = nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, as: number, for: key) }
    } onCancel: {
      Task { await self.stopWaiting(number, key) }
    }
    return try result.get()
  }

  private func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Waits for a connection, which is attempted unless that is under way.
  private func wait(
    _ continuation: CheckedContinuation<Connected, Never>, as number: Int, for key: FileSessionKey
  ) {
    guard !Task.isCancelled else { return continuation.resume(returning: .failure(.network(.cancelled))) }
    if entries[key]?.attempt == nil { entries[key, default: Entry()].attempt = attempt(key) }
    entries[key]?.attempt?.waiting[number] = continuation
  }

  private func attempt(_ key: FileSessionKey) -> Attempt {
    let (number, configuration) = (nextNumber(), network.configuration(of: key))
    let task = Task {
      do throws(FileClientError) {
        self.ended(number, for: key, .success(try await FileRelayConnection.connect(to: key.server, configuration)))
      } catch {
        self.ended(number, for: key, .failure(error))
      }
    }
    return Attempt(number: number, task: task)
  }

  private func ended(_ number: Int, for key: FileSessionKey, _ result: Connected) {
    guard let attempt = entries[key]?.attempt, attempt.number == number else {
      if case .success(let connection) = result { connection.close() }
      return
    }
    entries[key]?.attempt = nil
    if case .success(let connection) = result { entries[key]?.connection = connection }
    for continuation in attempt.waiting.values { continuation.resume(returning: result) }
  }

  /// Whether a connection is being attempted for so many commands, for tests.
  func isConnecting(_ key: FileSessionKey, for count: Int) -> Bool { entries[key]?.attempt?.waiting.count == count }

  /// Whether there is a connection, for tests.
  func isConnected(_ key: FileSessionKey) -> Bool { entries[key]?.connection != nil }

  /// Ends waiting whose task was cancelled; the attempt goes on while others wait for it.
  private func stopWaiting(_ number: Int, _ key: FileSessionKey) {
    guard let continuation = entries[key]?.attempt?.waiting.removeValue(forKey: number) else { return }
    continuation.resume(returning: .failure(.network(.cancelled)))
    guard entries[key]?.attempt?.waiting.isEmpty == true else { return }
    entries[key]?.attempt?.cancel()
    entries[key]?.attempt = nil
  }

  /// Has the next command connect again. The connection is closed when no command uses it any more: others may not
  /// have failed.
  private func discard(_ connection: FileRelayConnection, _ key: FileSessionKey) {
    if entries[key]?.connection === connection { entries[key]?.connection = nil }
    discarded.removeAll { $0.connection == nil }
    discarded.append(Discarded(connection: connection))
  }

  private func release(_ key: FileSessionKey) {
    guard var entry = entries[key] else { return }
    entry.users -= 1
    entries[key] = entry
    guard entry.users <= 0 else { return }
    let uses = entry.uses
    Task { [weak self] in
      try? await Task.sleep(for: Self.idleTime)
      await self?.closeIdle(key, uses)
    }
  }

  private func closeIdle(_ key: FileSessionKey, _ uses: Int) {
    if let entry = entries[key], entry.users == 0, entry.uses == uses { close(key) }
  }

  /// Closes the connection of a chunk, which is not needed again.
  func finish(_ key: FileSessionKey) {
    if key.entity != nil, entries[key]?.users == 0 { close(key) }
  }

  private func close(_ key: FileSessionKey) { entries.removeValue(forKey: key)?.connection?.close() }

  /// Closes all connections, and reaches relays in this way from now on.
  func closeAll(_ network: FileNetwork) {
    self.network = network
    for entry in entries.values {
      entry.connection?.close()
      entry.attempt?.cancel()
    }
    for entry in discarded { entry.connection?.close() }
    discarded = []
    for key in entries.keys {
      entries[key]?.connection = nil
      entries[key]?.attempt = nil
    }
  }
}

/// The turn of a chunk to be uploaded.
final class UploadTurn: Sendable {
  private let body: Mutex<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

  /// Ends it. No-op when called again.
  func end() { body.withLock { $0.take() }?() }
}
