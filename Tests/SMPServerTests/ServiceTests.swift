import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec

@testable import SMPServer

/// Clients with a certificate of their own, over TLS.
@Suite(.timeLimit(.minutes(2))) struct ServiceTests {
  private struct Notifier {
    let id: EntityID
    let key: AuthorizationPrivateKey
    let queue: TestQueue
  }

  private func configuration(_ credential: TLSCredential, _ role: ServiceRole = .notifier) -> SMPClientConfiguration {
    var configuration = SMPClientConfiguration()
    configuration.service = SMPService(role: role, credential: credential)
    return configuration
  }

  private func notifiers(_ count: Int, _ recipient: TestClient) async throws -> [Notifier] {
    var random = SystemRandom()
    var notifiers: [Notifier] = []
    for _ in 0..<count {
      let key = KeyKind.ed25519.random
      let dh = X25519.PrivateKey(using: &random).publicKey
      let queue = try await recipient.newQueue(
        subscription: .onlyCreate, notifier: NotifierKeys(notifierKey: key.publicKey, recipientDHKey: dh))
      notifiers.append(Notifier(id: try #require(queue.ids.notifier).notifierID, key: key, queue: queue))
    }
    return notifiers
  }

  private func next(_ connection: SMPConnection) async -> RequestPipeline.Event? {
    for await event in connection.events { return event }
    return nil
  }

  @Test func aNotifierServiceSubscribesForAllItsQueues() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let notifiers = try await notifiers(3, recipient)
      let first = try await relay.connection(configuration(credential))
      let service = try #require(await first.session?.serviceID)
      let subscribeAll = RequestPipeline.Request(.nsubs, entity: service)
      #expect(try await first.perform(subscribeAll) == .soks(0))
      for notifier in notifiers {
        let subscribe = RequestPipeline.Request(.nsub, entity: notifier.id, key: notifier.key)
        #expect(try await first.perform(subscribe) == .sok(service))
      }
      #expect(try await first.perform(subscribeAll) == .soks(3))
      #expect(try await recipient.sendMessage([1], to: notifiers[0].queue, notify: true) == .ok)
      let event = try #require(await next(first))
      #expect(event.entity == notifiers[0].id)
      guard case .nmsg = event.message else { throw Unexpected(message: event.message) }
      await first.close()
      // Until the relay has noticed, it would tell the connection that is gone.
      while relay.server.relay.openSessions.count > 1 { try await Task.sleep(for: .milliseconds(5)) }

      // What comes while the service is away waits for it.
      for notifier in notifiers {
        #expect(try await recipient.sendMessage([2], to: notifier.queue, notify: true) == .ok)
      }
      let second = try await relay.connection(configuration(credential))
      #expect(await second.session?.serviceID == service)
      #expect(try await second.perform(subscribeAll) == .soks(3))
      var told: Set<EntityID> = []
      for await event in second.events {
        told.insert(event.entity)
        if told.count == 3 { break }
      }
      #expect(told == Set(notifiers.map(\.id)))

      // Another session of the same service takes over.
      let third = try await relay.connection(configuration(credential))
      #expect(try await third.perform(subscribeAll) == .soks(3))
      let end = try #require(await next(second))
      #expect(end.message == .ends(3) && end.entity == service)
    }
  }

  @Test func aQueueLeavesItsService() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let notifier = try await notifiers(1, recipient)[0]
      let subscribe = RequestPipeline.Request(.nsub, entity: notifier.id, key: notifier.key)
      let connection = try await relay.connection(configuration(credential))
      let service = try #require(await connection.session?.serviceID)
      #expect(try await connection.perform(subscribe) == .sok(service))
      let plain = try await relay.connection()
      #expect(try await plain.perform(subscribe) == .sok(nil))
      #expect(try await connection.perform(.init(.nsubs, entity: service)) == .soks(0))
    }
  }

  @Test func servicesMayOnlyDoWhatTheirRoleAllows() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "service")
    try await TestRelay.with { relay in
      let connection = try await relay.connection(configuration(credential, .messaging))
      let service = try #require(await connection.session?.serviceID)
      // Messaging services cannot subscribe for all their queues yet, as at the reference relay.
      for (command, error) in [(Command.nsubs, ProtocolCommandError.PROHIBITED), (.subs, .PROHIBITED)] {
        await #expect(throws: SMPClientError.relay(.CMD(cmdErr: error))) {
          try await connection.perform(.init(command, entity: service))
        }
      }
      var random = SystemRandom()
      let key = KeyKind.ed25519.random
      let request = NewQueueRequest(
        recipientKey: key.publicKey, recipientDHKey: X25519.PrivateKey(using: &random).publicKey,
        purpose: .messaging(nil))
      guard case .ids(let ids) = try await connection.perform(.init(.new(request), key: key)) else {
        Issue.record("no IDS")
        return
      }
      #expect(ids.serviceID == service)
      #expect(try await connection.perform(.init(.sub, entity: ids.recipientID, key: key)) == .sok(nil))
      // The certificate is known as a messaging service's.
      await #expect(throws: SMPClientError.transport(.handshake(handshakeErr: .BAD_SERVICE))) {
        try await relay.connection(configuration(credential, .notifier))
      }
    }
  }

  @Test func clientsWithoutCertificateAreNoServices() async throws {
    try await TestRelay.with { relay in
      let plain = try await relay.connection()
      #expect(await plain.session?.serviceID == nil)
      let client = try await relay.client()
      for command in [Command.subs, .nsubs] {
        let answer = try await client.ask(command, EntityID([1]), key: KeyKind.ed25519.random)
        #expect(answer == .err(.SERVICE))
      }
    }
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    try await TestRelay.with({ $0.acceptsServices = false }) { relay in
      // The relay does not ask for certificates: the client is not told to be a service.
      let connection = try await relay.connection(configuration(credential))
      #expect(await connection.session?.serviceID == nil)
    }
    try await TestRelay.with({ $0.versions = VersionRange(6...15) }) { relay in
      let connection = try await relay.connection(configuration(credential))
      #expect(await connection.session?.serviceID == nil)
      #expect(try await connection.perform(.init(.ping)) == .pong)
    }
  }

  @Test func aStolenServiceIsRefused() async throws {
    let real = try TLSCredential.selfSigned(commonName: "notifier")
    let thief = try TLSCredential.selfSigned(commonName: "thief")
    try await TestRelay.with { relay in
      let connection = try await relay.connection(configuration(real))
      let service = try #require(await connection.session?.serviceID)
      let other = try await relay.connection(configuration(thief))
      #expect(await other.session?.serviceID != service)
      await #expect(throws: SMPClientError.relay(.SERVICE)) {
        try await other.perform(.init(.nsubs, entity: service))
      }
      // Presents its own certificate in TLS, and another one in the handshake.
      let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"], credential: thief))
      let tls = try await AsyncBlockConnection.connect(
        transport, host: "127.0.0.1", port: relay.port, policy: .relay(fingerprint: relay.server.fingerprint))
      var forged = SMPClientConfiguration()
      forged.service = SMPService(role: .notifier, credential: real)
      await #expect(throws: SMPClientError.transport(.handshake(handshakeErr: .BAD_AUTH))) {
        try await SMPConnection.establish(TransportLink(tls), keyHash: relay.server.fingerprint, forged)
      }
    }
  }
}
