import SMPClientCore
import SMPProtocol

/// The sessions that a relay has with others for a client, as long as the connection lasts.
actor ForwardingSessions {
  private var connection: ObjectIdentifier?
  private var sessions: [SMPServer: Task<Result<ProxiedRelay, SMPClientError>, Never>] = [:]

  /// The session with a relay; it is opened when it is first needed. Callers that need it meanwhile wait for the same.
  func session(
    with relay: SMPServer, over connection: SMPConnection, basicAuth: BasicAuth?
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

  /// Forgets a session that is of no use any more.
  func forget(_ relay: SMPServer) { sessions[relay] = nil }
}
