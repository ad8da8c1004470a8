import Foundation
import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServer
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import SimplexTransport
import Testing
import WireCodec

/// Clients that send through one relay to queues of another, all over TLS.
@Suite(.timeLimit(.minutes(2))) struct ProxyTests {
  /// Runs the test with a proxy and the relay behind it.
  private func with(
    proxy: (inout SMPServerConfiguration) -> Void = { _ in }, relay: (inout SMPServerConfiguration) -> Void = { _ in },
    _ body: (_ proxy: TestRelay, _ relay: TestRelay) async throws -> Void
  ) async throws {
    try await TestRelay.with(store: MemoryQueueStore(), proxy) { proxy in
      try await TestRelay.with(store: MemoryQueueStore(), relay) { relay in try await body(proxy, relay) }
    }
  }

  @Test(arguments: [8, 10, 13, 14, 16, 17, 18, 19, 20] as [UInt16])
  func everyCommandOfASenderGoesThroughAProxy(_ version: UInt16) async throws {
    let versions = try #require(VersionRange(6, version))
    try await with(proxy: { $0.proxy?.ownDomains = ["0.0.1"] }, relay: { $0.versions = versions }) { proxy, relay in
      let recipient = try await relay.client(version)
      let sender = try await proxy.connection()
      let session = try await sender.openSession(with: relay.address)
      #expect(session.version == min(version, SMPVersion.proxied.highest))
      let statistics = proxy.server.statistics

      var queue = try await recipient.newQueue(version >= 9 ? .messaging(nil) : nil)
      if version >= 9 {
        let key = KeyKind.x25519.random
        let secured = try await sender.perform(
          .init(.skey(key.publicKey), entity: queue.ids.senderID, key: key), through: session)
        #expect(secured == .ok)
        queue.sender = key
      }
      let body = [UInt8](repeating: 5, count: SMPVersion.messageLimit(session.version))
      let send = RequestPipeline.Request(.send(SendRequest(body: body)), entity: queue.ids.senderID, key: queue.sender)
      #expect(try await sender.perform(send, through: session) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == body)
      #expect(statistics.value(.proxyRelayRequests) == 1 && statistics.value(.proxyRelaySuccesses) == 1)
      #expect(statistics.value(.proxyOwnRelaySuccesses) == 1)
      let forwards = version >= 9 ? 2 : 1
      #expect(statistics.value(.proxyForwardRequests) == forwards)
      #expect(statistics.value(.proxyForwardSuccesses) == forwards)
      #expect(statistics.value(.proxyOwnForwardSuccesses) == forwards)
      #expect(relay.server.statistics.value(.forwardedReceived) == forwards)

      guard version >= 15 else { return }
      let data = QueueLinkData(fixedData: [UInt8](repeating: 1, count: 2_000), userData: [2])
      let correlation = CorrelationID([UInt8](repeating: 3, count: 24))
      let senderID = EntityID.sender(for: correlation)
      let invitation = try await recipient.newQueue(
        .messaging(MessagingLink(senderID: senderID, data: data)), correlation: correlation)
      let linkID = try #require(invitation.ids.linkID)
      let key = KeyKind.ed25519.random
      let read = try await sender.perform(.init(.lkey(key.publicKey), entity: linkID, key: key), through: session)
      #expect(read == .lnk(LinkResponse(senderID: senderID, data: data)))
      // Only links of contact addresses are read without securing the queue.
      await #expect(throws: SMPClientError.relay(.AUTH)) {
        try await sender.perform(.init(.lget, entity: linkID), through: session)
      }
      let contactLink = EntityID([UInt8](repeating: 9, count: 24))
      let other = CorrelationID([UInt8](repeating: 4, count: 24))
      _ = try await recipient.newQueue(
        .contact(ContactLink(linkID: contactLink, senderID: .sender(for: other), data: data)), correlation: other)
      let contact = try await sender.perform(.init(.lget, entity: contactLink), through: session)
      #expect(contact == .lnk(LinkResponse(senderID: .sender(for: other), data: data)))
    }
  }

  @Test func errorsOfTheOtherRelayReachTheClientOnly() async throws {
    try await with { proxy, relay in
      let client = try await proxy.connection()
      let session = try await client.openSession(with: relay.address)
      let unknown = EntityID([UInt8](repeating: 7, count: 24))
      let send = RequestPipeline.Request(.send(SendRequest(body: [1])), entity: unknown)
      await #expect(throws: SMPClientError.relay(.AUTH)) { try await client.perform(send, through: session) }
      let subscribe = RequestPipeline.Request(.sub, entity: unknown, key: KeyKind.ed25519.random)
      await #expect(throws: SMPClientError.relay(.CMD(cmdErr: .PROHIBITED))) {
        try await client.perform(subscribe, through: session)
      }
      // To the proxy both were successes: it cannot open the boxes.
      #expect(proxy.server.statistics.value(.proxyForwardSuccesses) == 2)

      var random = SystemRandom()
      let key = X25519.PrivateKey(using: &random).publicKey
      let garbage = ForwardRequest(version: 17, key: key, transmission: random.bytes(16_242))
      let forward = RequestPipeline.Request(.pfwd(garbage), entity: EntityID(session.sessionID.bytes))
      await #expect(throws: SMPClientError.relay(.PROXY(proxyErr: .PROTOCOL(protocolErr: .CRYPTO)))) {
        try await client.perform(forward)
      }
      let nowhere = RequestPipeline.Request(.pfwd(garbage), entity: unknown)
      await #expect(throws: SMPClientError.relay(.PROXY(proxyErr: .NO_SESSION))) { try await client.perform(nowhere) }
      #expect(proxy.server.statistics.value(.proxyForwardConnectErrors) == 1)
    }
  }

  @Test func aProxyMayNeedAPassword() async throws {
    let password = try #require(BasicAuth(Array("secret".utf8)))
    try await with(proxy: { $0.basicAuth = password }) { proxy, relay in
      let client = try await proxy.connection()
      let refusal = SMPClientError.proxy(.PROXY(proxyErr: .BASIC_AUTH))
      await #expect(throws: refusal) { try await client.openSession(with: relay.address) }
      let wrong = BasicAuth(Array("wrong".utf8))
      await #expect(throws: refusal) { try await client.openSession(with: relay.address, basicAuth: wrong) }
      #expect(relay.server.connectionCounts.map(\.accepted) == [0])
      _ = try await client.openSession(with: relay.address, basicAuth: password)
    }
    try await with(proxy: { $0.proxy = nil }) { proxy, relay in
      let client = try await proxy.connection()
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: .BASIC_AUTH))) {
        try await client.openSession(with: relay.address)
      }
    }
  }

  @Test func aRelayWithAnotherIdentityIsNotUsed() async throws {
    try await with { proxy, relay in
      let client = try await proxy.connection()
      let impostor = SMPServerAddress(
        relay.address.hosts[0], port: relay.address.port, keyHash: [UInt8](repeating: 1, count: 32))
      let failure = SMPClientError.proxy(.PROXY(proxyErr: .BROKER(brokerErr: .NETWORK(networkError: .failedError))))
      await #expect(throws: failure) { try await client.openSession(with: impostor) }
      let attempts = relay.server.connectionCounts.map(\.accepted)
      // Not retried immediately.
      await #expect(throws: failure) { try await client.openSession(with: impostor) }
      #expect(relay.server.connectionCounts.map(\.accepted) == attempts)
      #expect(proxy.server.statistics.value(.proxyRelayConnectErrors) == 2)
      _ = try await client.openSession(with: relay.address)
    }
  }

  /// Nobody learns from a proxy what is in its network: it does not connect there, and says the same of every address
  /// where no relay with this identity answers.
  @Test func whatOnlyTheProxyCanReachIsNotConnectedTo() async throws {
    let failure = SMPClientError.proxy(.PROXY(proxyErr: .BROKER(brokerErr: .NETWORK(networkError: .failedError))))
    try await with(proxy: {
      $0.proxy?.allowsPrivateAddresses = false
      $0.proxy?.retryInterval = 0
    }) { proxy, relay in
      let client = try await proxy.connection()
      for host in ["127.0.0.1", "localhost", "127.1", "2130706433"] {
        let address = SMPServerAddress(.domain(host), port: UInt16(relay.port), keyHash: relay.server.fingerprint)
        await #expect(throws: failure) { try await client.openSession(with: address) }
      }
      #expect(relay.server.connectionCounts.map(\.accepted) == [0])
    }
    try await with(proxy: {
      $0.proxy?.retryInterval = 0
      $0.proxy?.client.connectTimeout = .seconds(1)
    }) { proxy, relay in
      let client = try await proxy.connection()
      // Nobody listens; somebody says nothing; somebody does not speak TLS; another relay answers.
      let silent = try SilentListener()
      let nobody = SMPServerAddress(.domain("127.0.0.1"), port: 1, keyHash: relay.server.fingerprint)
      let unknown = SMPServerAddress(.domain("relay.invalid"), port: 1, keyHash: relay.server.fingerprint)
      let mute = SMPServerAddress(.domain("127.0.0.1"), port: silent.port, keyHash: relay.server.fingerprint)
      let other = SMPServerAddress(
        .domain("127.0.0.1"), port: UInt16(relay.port), keyHash: [UInt8](repeating: 1, count: 32))
      for address in [nobody, unknown, mute, other] {
        await #expect(throws: failure) { try await client.openSession(with: address) }
      }
      _ = try await client.openSession(with: relay.address)
    }
  }

  @Test func aRelayThatKnowsNoProxiesIsNotUsed() async throws {
    try await with(relay: { $0.versions = VersionRange(6...7) }) { proxy, relay in
      let client = try await proxy.connection()
      let failure = BrokerErrorType.TRANSPORT(transportErr: .version)
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: .BROKER(brokerErr: failure)))) {
        try await client.openSession(with: relay.address)
      }
      #expect(proxy.server.statistics.value(.proxyRelayCompatErrors) == 1)
    }
  }

  @Test func aRelayThatGoesAndComesBack() async throws {
    try await TestRelay.with({ $0.proxy?.retryInterval = 0 }) { proxy in
      let relay = try await TestRelay.start(store: MemoryQueueStore())
      let address = relay.address
      let client = try await proxy.connection()
      let session = try await client.openSession(with: address)
      await relay.server.stop()
      let send = RequestPipeline.Request(.send(SendRequest(body: [1])), entity: EntityID([1]))
      // The loss may be noticed only while the command is in flight.
      let network = ProxyError.BROKER(brokerErr: .NETWORK(networkError: .failedError))
      let first = await #expect(throws: SMPClientError.self) { try await client.perform(send, through: session) }
      #expect([.proxy(.PROXY(proxyErr: network)), .proxy(.PROXY(proxyErr: .NO_SESSION))].contains(first))
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: .NO_SESSION))) {
        try await client.perform(send, through: session)
      }
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: network))) {
        try await client.openSession(with: address)
      }
      let port = Int(address.effectivePort)
      let credential = try relay.credential()
      let again = try await TestRelay.start(store: MemoryQueueStore()) {
        $0.ports = [port]
        $0.credential = credential
      }
      let next = try await client.openSession(with: address)
      #expect(next.sessionID != session.sessionID)
      await #expect(throws: SMPClientError.relay(.AUTH)) { try await client.perform(send, through: next) }
      await again.server.stop()
    }
  }

  @Test(arguments: [1, 3, 32]) func commandsBeyondTheLimitWait(_ limit: Int) async throws {
    try await with(proxy: { $0.proxy?.clientConcurrency = limit }) { proxy, relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue(subscription: .onlyCreate)
      let client = try await proxy.connection()
      let session = try await client.openSession(with: relay.address)
      let send = RequestPipeline.Request(.send(SendRequest(body: [7])), entity: queue.ids.senderID)
      try await withThrowingDiscardingTaskGroup { group in
        for index in 0..<100 {
          group.addTask {
            if index % 10 == 0 {
              let again = try await client.openSession(with: relay.address)
              #expect(again == session)
            } else {
              let answer = try await client.perform(send, through: session)
              #expect(answer == .ok)
            }
          }
        }
      }
      #expect(try await relay.store.counts().messages == 90)
      #expect(relay.server.connectionCounts.map(\.open) == [2])
    }
  }

  @Test func aClientThatLeavesHarmsNobody() async throws {
    try await with(proxy: { $0.proxy?.clientConcurrency = 2 }) { proxy, relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue(subscription: .onlyCreate)
      let send = RequestPipeline.Request(.send(SendRequest(body: [7])), entity: queue.ids.senderID)
      for _ in 0..<5 {
        let client = try await proxy.connection()
        let session = try await client.openSession(with: relay.address)
        let sends = (0..<20).map { _ in Task { try await client.perform(send, through: session) } }
        await Task.yield()
        await client.close()
        for send in sends { _ = await send.result }
      }
      let client = try await proxy.connection()
      let session = try await client.openSession(with: relay.address)
      #expect(try await client.perform(send, through: session) == .ok)
      #expect(try await recipient.ask(.ping) == .pong)
      let stored = try await relay.store.counts().messages
      #expect((1...101).contains(stored))
    }
  }

  @Test func theConnectionThatWasNotUsedIsClosed() async throws {
    try await with(proxy: { $0.proxy?.connectionLimit = 1 }) { proxy, first in
      try await TestRelay.with(store: MemoryQueueStore()) { second in
        let client = try await proxy.connection()
        let old = try await client.openSession(with: first.address)
        let new = try await client.openSession(with: second.address)
        let send = RequestPipeline.Request(.send(SendRequest(body: [1])), entity: EntityID([1]))
        await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: .NO_SESSION))) {
          try await client.perform(send, through: old)
        }
        await #expect(throws: SMPClientError.relay(.AUTH)) { try await client.perform(send, through: new) }
        let again = try await client.openSession(with: first.address)
        await #expect(throws: SMPClientError.relay(.AUTH)) { try await client.perform(send, through: again) }
      }
    }
  }

  @Test func onionHostsAloneGoThroughTheSOCKSProxy() async throws {
    // Nothing listens on this port.
    let dead = SOCKS5Proxy(host: "127.0.0.1", port: 1)
    try await with(proxy: { $0.proxy?.client.socksProxy = dead }) { proxy, relay in
      _ = try await proxy.connection().openSession(with: relay.address)
    }
    let unreachable = ProxyError.BROKER(brokerErr: .NETWORK(networkError: .failedError))
    try await with(proxy: {
      $0.proxy?.client.socksProxy = dead
      $0.proxy?.client.socksMode = .always
    }) { proxy, relay in
      let client = try await proxy.connection()
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: unreachable))) {
        try await client.openSession(with: relay.address)
      }
    }
    let onionOnly = HostPolicy(preference: .onion, isRequired: true)
    try await with(proxy: { $0.proxy?.client.hosts = onionOnly }) { proxy, relay in
      let client = try await proxy.connection()
      await #expect(throws: SMPClientError.proxy(.PROXY(proxyErr: .BROKER(brokerErr: .HOST)))) {
        try await client.openSession(with: relay.address)
      }
      #expect(proxy.server.statistics.value(.proxyRelayOtherErrors) == 1)
    }
  }

  @Test func aProxyMaySendToItself() async throws {
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue()
      let client = try await relay.connection()
      let session = try await client.openSession(with: relay.address)
      let send = RequestPipeline.Request(.send(SendRequest(body: [1])), entity: queue.ids.senderID)
      #expect(try await client.perform(send, through: session) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [1])
    }
  }
}
