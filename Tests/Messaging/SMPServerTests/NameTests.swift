import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServer
import Testing
import WireCodec

/// The answers of a relay without a resolver to clients that resolve names, over TLS.
@Suite(.timeLimit(.minutes(1))) struct NameTests {
  private let noResolver = SMPClientError.relay(.NAME(nameErr: .NO_RESOLVER))

  @Test func aRelayWithoutResolverSaysSo() async throws {
    let name = try #require(DomainName("alice.simplex"))
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let plain = try await relay.client(20)
      #expect(try await plain.ask(.rslv(name)) == .err(.NAME(nameErr: .NO_RESOLVER)))
      #expect(try await plain.ask(.rslv(name), EntityID([1])) == .err(.CMD(cmdErr: .HAS_AUTH)))
      let client = RelayClient(relay.address)
      await #expect(throws: noResolver) { try await client.resolve(name) }
      await client.close()
      #expect(relay.server.statistics.value(.nameRequested) == 2)
      #expect(relay.server.statistics.value(.nameWithoutResolver) == 2)
    }
  }

  @Test func namesAreAskedForThroughAProxy() async throws {
    let name = try #require(DomainName("alice.simplex"))
    try await TestRelay.with(store: MemoryQueueStore()) { proxy in
      try await TestRelay.with(store: MemoryQueueStore()) { relay in
        let client = RelayClient(proxy.address)
        await #expect(throws: noResolver) { try await client.resolve(name, through: relay.address) }
        await client.close()
        #expect(relay.server.statistics.value(.nameRequested) == 1)
        #expect(proxy.server.statistics.value(.nameRequested) == 0)
        #expect(proxy.server.statistics.value(.proxyForwardSuccesses) == 1)
      }
    }
  }

  @Test func olderRelaysAreNotAsked() async throws {
    let name = try #require(DomainName("alice.simplex"))
    let versions = try #require(VersionRange(6, 19))
    try await TestRelay.with(store: MemoryQueueStore()) { proxy in
      try await TestRelay.with(store: MemoryQueueStore(), { $0.versions = versions }) { relay in
        let forwarded = RelayClient(proxy.address)
        await #expect(throws: SMPClientError.transport(.version)) {
          try await forwarded.resolve(name, through: relay.address)
        }
        await forwarded.close()
        let direct = RelayClient(relay.address)
        await #expect(throws: SMPClientError.transport(.version)) { try await direct.resolve(name) }
        await direct.close()
        #expect(relay.server.statistics.value(.forwardedReceived) == 0)
        #expect(relay.server.statistics.value(.nameRequested) == 0)
      }
    }
  }
}
