import SMPProtocol
import Synchronization
import XFTPClient
import XFTPProtocol

/// The connections of an agent to file relays. They are shared by the commands of a session, and closed when they were
/// not used for some time.
actor FileConnections {
  private struct Entry {
    var connection: FileRelayConnection?
    var attempt: Task<Result<FileRelayConnection, FileClientError>, Never>?
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
  /// Counts how often all connections were closed.
  private var generation = 0

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
    let configuration = network.configuration(of: key)
    let attempt =
      entries[key]?.attempt
      ?? Task {
        do throws(FileClientError) {
          return .success(try await FileRelayConnection.connect(to: key.server, configuration))
        } catch {
          return .failure(error)
        }
      }
    entries[key]?.attempt = attempt
    let before = generation
    // Others who wait for the same attempt try again later.
    let result = await withTaskCancellationHandler {
      await attempt.value
    } onCancel: {
      attempt.cancel()
    }
    guard before == generation else {
      if case .success(let connection) = result { connection.close() }
      throw .network(.cancelled)
    }
    entries[key]?.attempt = nil
    let connection = try result.get()
    if let known = entries[key]?.connection, known !== connection, known.isOpen { return known }
    entries[key]?.connection = connection
    return connection
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
    generation += 1
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
