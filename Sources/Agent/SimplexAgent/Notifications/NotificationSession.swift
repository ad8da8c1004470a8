import AgentCore
import NotificationProtocol
import SMPClient
import SMPClientCore
import SMPProtocol
import Synchronization

/// A session with a notification server: connects when there is something to send, and sends commands in the order in
/// which they are added.
final class NotificationSession: Sendable {
  private typealias Order = (request: NotificationRequest, completion: NotificationConnection.Completion)

  private struct State {
    var waiting: [Order] = []
    var isWorking = false
    var isClosed = false
    var connection: NotificationConnection?
  }

  private let server: NotificationServer
  private let configuration: SMPClientConfiguration
  private let state = Mutex(State())

  /// A session without connection.
  init(_ server: NotificationServer, _ configuration: SMPClientConfiguration) {
    self.server = server
    self.configuration = configuration
  }

  /// Sends a command; `completion` gets the response once.
  func perform(_ request: NotificationRequest, _ completion: @escaping NotificationConnection.Completion) {
    let begins: Bool? = state.withLock { state in
      if state.isClosed { return nil }
      state.waiting.append((request, completion))
      defer { state.isWorking = true }
      return !state.isWorking
    }
    guard let begins else { return completion(.failure(.closed)) }
    if begins { Task { await self.work() } }
  }

  /// Closes the connection; commands without response fail.
  func close() {
    let (waiting, connection) = state.withLock { state in
      defer {
        state.waiting = []
        state.connection = nil
      }
      state.isClosed = true
      return (state.waiting, state.connection)
    }
    for order in waiting { order.completion(.failure(.closed)) }
    if let connection { Task { await connection.close(.closed) } }
  }

  /// Sends what waits, until nothing does. Commands that were added while the connection was made fail with it.
  private func work() async {
    while true {
      let connection: Result<NotificationConnection, SMPClientError>
      do throws(SMPClientError) {
        connection = .success(try await current())
      } catch {
        connection = .failure(error)
      }
      let orders: [Order]? = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isWorking = false }
        return state.waiting.isEmpty ? nil : state.waiting
      }
      guard let orders else { return }
      switch connection {
      case .success(let connection): await connection.start(orders)
      case .failure(let error): for order in orders { order.completion(.failure(error)) }
      }
    }
  }

  private func current() async throws(SMPClientError) -> NotificationConnection {
    let (known, isIdle) = state.withLock { ($0.connection, $0.waiting.isEmpty) }
    if let known, await known.failure == nil { return known }
    // Nothing waits any more: the loop ends without a connection.
    if isIdle { throw .closed }
    let connection = try await NotificationConnection.connect(to: server, configuration)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.connection = connection }
      return state.isClosed
    }
    guard isClosed else { return connection }
    await connection.close(.closed)
    throw .closed
  }
}
