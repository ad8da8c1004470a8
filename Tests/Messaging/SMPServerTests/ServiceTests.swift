import Dispatch
import QueueStore
import RelayChassis
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization
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
      let subscribeAll = RequestPipeline.Request(.nsubs(ServiceQueues()), entity: service)
      #expect(try await first.perform(subscribeAll) == .soks(ServiceQueues()))
      for notifier in notifiers {
        let subscribe = RequestPipeline.Request(.nsub, entity: notifier.id, key: notifier.key)
        #expect(try await first.perform(subscribe) == .sok(service))
      }
      var all = ServiceQueues()
      for notifier in notifiers { all.add(notifier.id) }
      #expect(try await first.perform(subscribeAll) == .soks(all))
      #expect(try await recipient.sendMessage([1], to: notifiers[0].queue, notify: true) == .ok)
      let event = try #require(await next(first))
      #expect(event.entity == notifiers[0].id)
      guard case .nmsg = event.message else { throw Unexpected(message: event.message) }
      await first.close()
      // Until the relay has noticed, it would notify the closed connection.
      while relay.server.relay.openSessions.count > 1 { try await Task.sleep(for: .milliseconds(5)) }

      // What comes while the service is away waits for it.
      for notifier in notifiers {
        #expect(try await recipient.sendMessage([2], to: notifier.queue, notify: true) == .ok)
      }
      let second = try await relay.connection(configuration(credential))
      #expect(await second.session?.serviceID == service)
      #expect(try await second.perform(subscribeAll) == .soks(all))
      var told: Set<EntityID> = []
      for await event in second.events {
        told.insert(event.entity)
        if told.count == 3 { break }
      }
      #expect(told == Set(notifiers.map(\.id)))

      // Another session of the same service takes over.
      let third = try await relay.connection(configuration(credential))
      #expect(try await third.perform(subscribeAll) == .soks(all))
      let end = try #require(await next(second))
      #expect(end.message == .ends(all) && end.entity == service)
    }
  }

  /// Subscriptions to all queues are counted while their pages are read.
  @Test func subscriptionsThatWaitPauseTheirConnection() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    let store = HeldPagesStore()
    try await TestRelay.with(store: store) { relay in
      let connection = try await relay.connection(configuration(credential))
      let service = try #require(await connection.session?.serviceID)
      let subscribeAll = RequestPipeline.Request(.nsubs(ServiceQueues()), entity: service)
      let answers = (0..<2_000).map { _ in Task { try await connection.perform(subscribeAll) } }
      var waiting = 0
      repeat {
        waiting = relay.server.relay.waitingBytes.load(ordering: .relaxed)
        try await Task.sleep(for: .milliseconds(500))
      } while waiting == 0 || waiting != relay.server.relay.waitingBytes.load(ordering: .relaxed)
      // A megabyte, and what was read together: commands have more than 128 bytes.
      #expect(waiting <= 1 << 20 + (128 << 10) / 128 * Relay.serviceSubscriptionSize)
      store.release()
      for answer in answers { #expect(try await answer.value == .soks(ServiceQueues())) }
      #expect(relay.server.relay.waitingBytes.load(ordering: .relaxed) == 0)
    }
  }

  @Test func servicesThatNobodyUsesAreForgotten() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    try await TestRelay.with { relay in
      let connection = try await relay.connection(configuration(credential))
      let service = try #require(await connection.session?.serviceID)
      let upkeep = Upkeep(relay: relay.server.relay)
      await upkeep.removeServices(before: .max)
      #expect(try await relay.store.counts().notifierServices.services == 1)
      await connection.close()
      while relay.server.relay.openSessions.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
      await upkeep.removeServices(before: currentDay())
      #expect(try await relay.store.counts().notifierServices.services == 1)
      await upkeep.removeServices(before: .max)
      #expect(try await relay.store.counts().notifierServices.services == 0)
      // It is a new one to the relay.
      let again = try await relay.connection(configuration(credential))
      #expect(try #require(await again.session?.serviceID) != service)
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
      #expect(try await connection.perform(.init(.nsubs(ServiceQueues()), entity: service)) == .soks(ServiceQueues()))
    }
  }

  @Test func whatServicesDoIsCounted() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "notifier")
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let notifiers = try await notifiers(3, recipient)
      let connection = try await relay.connection(configuration(credential))
      let service = try #require(await connection.session?.serviceID)
      var all = ServiceQueues()
      for notifier in notifiers + notifiers[...0] {
        let subscribe = RequestPipeline.Request(.nsub, entity: notifier.id, key: notifier.key)
        #expect(try await connection.perform(subscribe) == .sok(service))
        if all.count < 3 { all.add(notifier.id) }
      }
      let next = try await relay.connection(configuration(credential))
      let ask = RequestPipeline.Request(.nsubs(ServiceQueues(count: 1, hash: SIMD16())), entity: service)
      #expect(try await next.perform(ask) == .soks(all))
      let plain = try await relay.connection()
      let take = RequestPipeline.Request(.nsub, entity: notifiers[0].id, key: notifiers[0].key)
      #expect(try await plain.perform(take) == .sok(nil))

      let statistics = relay.server.statistics
      let events = ServiceEvents.of(.notifiers)
      let counts: [(ServerEvent, Int)] = [
        (events.joined, 3), (events.again, 1), (events.moved, 0), (events.left, 1), (events.subscribed, 1),
        (events.queues, 3), (events.ended, 1), (events.same, 0), (events.more, 1), (events.moreQueues, 2),
        (events.fewer, 0), (events.others, 0), (ServiceEvents.of(.recipients).joined, 0),
      ]
      for (event, count) in counts { #expect(statistics.value(event) == count, "\(event)") }
    }
  }

  private func newQueue(_ connection: SMPConnection) async throws -> TestQueue {
    var random = SystemRandom()
    let key = KeyKind.ed25519.random
    let dh = X25519.PrivateKey(using: &random)
    let request = NewQueueRequest(
      recipientKey: key.publicKey, recipientDHKey: dh.publicKey, purpose: .messaging(nil))
    let response = try await connection.perform(.init(.new(request), key: key))
    guard case .ids(let ids) = response else { throw Unexpected(message: response) }
    return TestQueue(ids: ids, key: key, box: try dh.boxKey(with: ids.serverDHKey))
  }

  @Test func aMessagingServiceReceivesFromAllItsQueues() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "bot")
    try await TestRelay.with { relay in
      let sender = try await relay.client()
      let first = try await relay.connection(configuration(credential, .messaging))
      let service = try #require(await first.session?.serviceID)
      var all = ServiceQueues()
      var queues: [TestQueue] = []
      for _ in 0..<3 {
        let queue = try await newQueue(first)
        #expect(queue.ids.serviceID == service)
        all.add(queue.recipient)
        queues.append(queue)
      }
      await first.close()
      while relay.server.relay.openSessions.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
      for (index, queue) in queues.enumerated().dropLast() {
        #expect(try await sender.sendMessage([UInt8(index)], to: queue) == .ok)
      }

      let second = try await relay.connection(configuration(credential, .messaging))
      let subscribeAll = RequestPipeline.Request(.subs(all), entity: service)
      #expect(try await second.perform(subscribeAll) == .soks(all))
      var bodies: [EntityID: [UInt8]] = [:]
      events: for await event in second.events {
        switch event.message {
        case .alls: break events
        default:
          let queue = try #require(queues.first { $0.recipient == event.entity })
          bodies[event.entity] = try queue.body(event.message).body
        }
      }
      #expect(bodies == [queues[0].recipient: [0], queues[1].recipient: [1]])
      // Nothing is delivered again to the same connection.
      #expect(try await second.perform(subscribeAll) == .soks(all))
      #expect(try await sender.sendMessage([9], to: queues[2]) == .ok)
      let message = try #require(await next(second))
      #expect(try queues[2].body(message.message).body == [9] && message.entity == queues[2].recipient)
      // Subscribing to one queue takes all of them to another connection.
      let third = try await relay.connection(configuration(credential, .messaging))
      let subscribe = RequestPipeline.Request(.sub, entity: queues[2].recipient, key: queues[2].key)
      #expect(try await third.perform(subscribe) == .sok(service))
      let end = try #require(await next(second))
      #expect(end.message == .ends(all) && end.entity == service)
    }
  }

  @Test func messagingServicesAreForVersion19() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "bot")
    try await TestRelay.with({ $0.versions = VersionRange(6...18) }) { relay in
      let messaging = try await relay.connection(configuration(credential, .messaging))
      #expect(await messaging.session?.serviceID == nil)
      let notifier = try await relay.connection(configuration(credential, .notifier))
      let service = try #require(await notifier.session?.serviceID)
      // The wire form of this version says neither what is expected nor the hash.
      #expect(try await notifier.perform(.init(.nsubs(ServiceQueues()), entity: service)) == .soks(ServiceQueues()))
    }
  }

  @Test func servicesMayOnlyDoWhatTheirRoleAllows() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "service")
    try await TestRelay.with { relay in
      let connection = try await relay.connection(configuration(credential, .messaging))
      let service = try #require(await connection.session?.serviceID)
      await #expect(throws: SMPClientError.relay(.CMD(cmdErr: .PROHIBITED))) {
        try await connection.perform(.init(.nsubs(ServiceQueues()), entity: service))
      }
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
      for command in [Command.subs(ServiceQueues()), .nsubs(ServiceQueues())] {
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
        try await other.perform(.init(.nsubs(ServiceQueues()), entity: service))
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

extension ServiceTests {
  /// A connection that asks for all queues of its service again, while they are read for it, reads them once.
  @Test func allQueuesAreReadOnce() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "bot")
    let store = HeldPagesStore()
    try await TestRelay.with(store: store) { relay in
      let connection = try await relay.connection(configuration(credential, .messaging))
      let service = try #require(await connection.session?.serviceID)
      let subscribeAll = RequestPipeline.Request(.subs(ServiceQueues()), entity: service)
      let answers = (0..<20).map { _ in Task { try await connection.perform(subscribeAll) } }
      let size = Relay.serviceSubscriptionSize
      while relay.server.relay.waitingBytes.load(ordering: .relaxed) < 20 * size {
        try await Task.sleep(for: .milliseconds(5))
      }
      store.release()
      for answer in answers { #expect(try await answer.value == .soks(ServiceQueues())) }
      // To count them, and to look for messages.
      #expect(store.readCount.load(ordering: .relaxed) == 2)
      while relay.server.relay.waitingBytes.load(ordering: .relaxed) > 0 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(relay.server.relay.serviceSubscribing.withLock { $0.isEmpty })
    }
  }

  /// The queues of a service with many of them are not read any more when the connection is closed.
  @Test func allQueuesAreNotReadForAClosedConnection() async throws {
    let credential = try TLSCredential.selfSigned(commonName: "bot")
    let store = HeldPagesStore(endless: true)
    try await TestRelay.with(store: store) { relay in
      let connection = try await relay.connection(configuration(credential, .messaging))
      let service = try #require(await connection.session?.serviceID)
      let answer = Task { try await connection.perform(.init(.subs(ServiceQueues()), entity: service)) }
      while store.readCount.load(ordering: .relaxed) == 0 { try await Task.sleep(for: .milliseconds(5)) }
      await connection.close()
      while relay.server.relay.openSessions.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
      store.release()
      while relay.server.relay.waitingBytes.load(ordering: .relaxed) > 0 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(store.readCount.load(ordering: .relaxed) == 1)
      await #expect(throws: (any Error).self) { try await answer.value }
    }
  }
}

/// A store in memory that does not return the queues of services for a while.
private final class HeldPagesStore: ForwardingStore {
  let store: any RelayStore = MemoryQueueStore()
  /// How often queues of services were read.
  let readCount = Atomic<Int>(0)
  private let gate = DispatchSemaphore(value: 0)
  private let isEndless: Bool

  /// A store whose services have, if `endless`, as many queues as anybody reads.
  init(endless: Bool = false) { isEndless = endless }

  func release() { gate.signal() }

  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    guard case .queues(_, _, let after, let limit)? = reads.first else {
      return store.read(reads, completion: completion)
    }
    readCount.add(1, ordering: .relaxed)
    DispatchQueue.global().async { [self] in
      gate.wait()
      gate.signal()
      guard isEndless else { return store.read(reads, completion: completion) }
      let page = (1...Int64(limit)).map {
        ServiceQueue(number: QueueNumber(after.value + $0), id: [1], secret: [])
      }
      completion([.queues(page)], .zero)
    }
  }
}
