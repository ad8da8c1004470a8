import SMPClientCore
import SMPProtocol

/// The sessions that a proxy has with other relays for a client, for the life of the connection.
actor ForwardingSessions {
  private var connection: ObjectIdentifier?
  private var sessions: [SMPServerAddress: Task<Result<ProxiedRelay, SMPClientError>, Never>] = [:]

  /// The session with a relay, which is opened on first use. Concurrent callers wait for the same session.
  func session(
    with relay: SMPServerAddress, over connection: SMPConnection, basicAuth: BasicAuth?
  ) async throws(SMPClientError) -> ProxiedRelay {
    if self.connection != ObjectIdentifier(connection) {
      self.connection = ObjectIdentifier(connection)
      sessions = [:]
    }
    let opening: Task<Result<ProxiedRelay, SMPClientError>, Never>
    if let known = sessions[relay] {
      opening = known
    } else {
      opening = Task {
        do throws(SMPClientError) {
          return .success(try await connection.openSession(with: relay, basicAuth: basicAuth))
        } catch {
          return .failure(error)
        }
      }
      sessions[relay] = opening
    }
    let result = await opening.value
    if case .failure = result { sessions[relay] = nil }
    return try result.get()
  }

  /// Forgets an unusable session.
  func forget(_ relay: SMPServerAddress) { sessions[relay] = nil }
}
