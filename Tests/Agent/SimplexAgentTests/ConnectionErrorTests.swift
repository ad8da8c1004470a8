import AgentCore
import SMPClientCore
import SMPProtocol
import SimplexAgent
import Testing

/// The error of an application when a relay cannot be connected to.
@Suite struct ConnectionErrorTests {
  /// Why an invitation cannot be created at a relay.
  private func problem(at server: SMPServerAddress) async throws -> SMPClientError? {
    let alice = try await TestAgent()
    try await alice.agent.setServers([AgentUserServer(ServerWithAuth(server: server, basicAuth: nil))], for: alice.user)
    do {
      _ = try await alice.agent.createConnection(alice.user, mode: .invitation)
    } catch {
      if case .server(_, let problem) = error { return problem }
    }
    return nil
  }

  @Test func aRelayWithAnotherIdentityIsUnknown() async throws {
    let relay = try await LoopbackRelay.start()
    let other = try await LoopbackRelay.start()
    let host = try #require(relay.address.hosts.first)
    let server = SMPServerAddress(host, port: relay.address.port, keyHash: other.address.keyHash)
    #expect(try await problem(at: server) == .network(.unknownCAError))
    await relay.stop()
    await other.stop()
  }

  @Test func aRelayThatIsNotThere() async throws {
    let relay = try await LoopbackRelay.start()
    await relay.stop()
    guard case .network(.connectError(let text))? = try await problem(at: relay.address) else {
      Issue.record("another error")
      return
    }
    #expect(text.hasPrefix("127.0.0.1:") && text.hasSuffix(": Connection refused"), "\(text)")
  }
}
