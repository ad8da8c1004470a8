import SMPProtocol
import XFTPProtocol

/// The connections of a client to its relays: one for each, shared by concurrent commands.
public actor FileRelays {
  private let configuration: FileClientConfiguration
  private var connections: [XFTPServer: FileRelayConnection] = [:]
  private var attempts: [XFTPServer: Task<Result<FileRelayConnection, FileClientError>, Never>] = [:]

  /// No connections yet.
  public init(_ configuration: FileClientConfiguration = FileClientConfiguration()) {
    self.configuration = configuration
  }

  /// The connection to a relay; connects if there is none that is open.
  public func connection(to server: XFTPServer) async throws(FileClientError) -> FileRelayConnection {
    if let connection = connections[server], connection.isOpen { return connection }
    let attempt =
      attempts[server]
      ?? Task { [configuration] in
        do throws(FileClientError) {
          return .success(try await FileRelayConnection.connect(to: server, configuration))
        } catch {
          return .failure(error)
        }
      }
    attempts[server] = attempt
    let result = await attempt.value
    attempts[server] = nil
    let connection = try result.get()
    connections[server] = connection
    return connection
  }

  /// Has the next command connect again. The connection is closed when no command uses it any more.
  public func discard(_ connection: FileRelayConnection) {
    if connections[connection.server] === connection { connections[connection.server] = nil }
  }

  /// Closes all connections.
  public func close() {
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  /// Performs commands with a relay, up to `attempts` times while the failures are temporary, each time on a new
  /// connection after a pause that grows.
  public func perform<Value: Sendable>(
    with server: XFTPServer, attempts: Int, pause: Duration = .milliseconds(500),
    _ body: @Sendable (FileRelayConnection) async throws(FileClientError) -> Value
  ) async throws(FileTransferError) -> Value {
    var pause = pause
    for attempt in 1... {
      var connection: FileRelayConnection?
      do throws(FileClientError) {
        let open = try await self.connection(to: server)
        connection = open
        return try await body(open)
      } catch {
        if error.isOfConnection, let connection { discard(connection) }
        guard error.isTemporary, attempt < attempts, !Task.isCancelled else { throw .relay(server, error) }
      }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(20))
    }
    throw .noServer
  }
}
