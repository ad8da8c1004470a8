import SimplexTransport
import Synchronization
import Testing

@Suite("Shares of connections", .timeLimit(.minutes(1))) struct ConnectionShareTests {
  /// Connections above the share of an address are closed, and there is room again when others end. This machine is
  /// exempt.
  @Test func anAddressHasAShare() async throws {
    let reported = Mutex<[Int]>([])
    let server = try await EchoServer(configure: { configuration in
      configuration.share = ConnectionShare(limit: 2)
      configuration.share.exempt = []
      configuration.refusedAboveShare = { count in reported.withLock { $0.append(count) } }
    })
    let first = try await server.connect()
    let second = try await server.connect()
    await #expect(throws: TransportError.self) { try await server.connect() }
    #expect(reported.withLock { $0 } == [1])
    #expect(server.server.counts.aboveShare == 1 && server.server.counts.open == 2)
    first.close()
    try await eventually("a connection has ended") { server.server.counts.open == 1 }
    let third = try await server.connect()
    second.close()
    third.close()
    await server.server.close()

    let exempt = try await EchoServer(configure: { $0.share = ConnectionShare(limit: 1) })
    let connections = [try await exempt.connect(), try await exempt.connect(), try await exempt.connect()]
    #expect(exempt.server.counts.aboveShare == 0)
    for connection in connections { connection.close() }
    await exempt.server.close()
  }
}
