import FileAccess
import NIOCore
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization

/// The shared state of all connections of a relay: its store, its state in memory, and the execution of effects. See
/// ``SMPServerCore/QueueShard`` for the decisions.
final class Relay: Sendable {
  typealias Shard = QueueShard<Client>

  /// A reference, because a mutex cannot be in an array.
  private final class LockedShard: Sendable {
    let state: Mutex<Shard>

    init(_ shard: consuming Shard) { state = Mutex(shard) }
  }

  /// A reference, so that reading a setting copies nothing else.
  private final class Settings: Sendable {
    let configuration: SMPServerConfiguration

    init(_ configuration: SMPServerConfiguration) { self.configuration = configuration }
  }

  private let settings: Mutex<Settings>
  let store: any RelayStore
  let statistics = ServerStatistics()
  /// The clock that decides whether content is too old.
  let expiryClock: ExpiryClock
  /// Whether the store works.
  let storeHealth: StoreHealth
  /// Forwards commands to other relays; nil where the configuration forbids it.
  let proxy: Proxy?
  /// SHA-256 of the identity certificate.
  let fingerprint: [UInt8]
  /// Whether queues may currently be created, if the configuration allows it.
  let isAcceptingQueues = Atomic<Bool>(true)
  /// Cached tables that accelerate checking signatures.
  let signatureTables = SignatureTables()
  /// The connections that are subscribed for services. Held while shards are updated; never acquired while a shard is
  /// held.
  let services = Mutex(ServiceSubscriptions<Client>())
  /// The numbers of open connections of services, by the services' identifiers.
  private let connectedServices = Mutex<[EntityID: Int]>([:])
  /// The bytes of commands that wait for the store.
  let waitingBytes = Atomic<Int>(0)
  /// The bytes of commands that wait for other relays.
  let forwardedBytes = Atomic<Int>(0)
  /// The notifications that wait to be sent on all connections.
  let unsentNotifications = Atomic<Int>(0)
  /// The bytes of messages, link data and responses of other relays that wait to be sent on all connections.
  let unsentBodyBytes = Atomic<Int>(0)
  /// The connections that have something to write.
  let flushing = SessionFlushing()
  /// The most memory in bytes for notifications that wait for notifiers that are not subscribed, and of it for each of
  /// many shards at least.
  private static let waitingNotificationBytes = 64 << 20
  private static let leastNotificationBytes = 4 << 20
  private let shards: [LockedShard]
  /// How each event loop is shared.
  private let shares = Mutex<[ObjectIdentifier: EventLoopShares]>([:])
  /// The subscriptions to all queues of a service that are under way, by their connections; the first of each is
  /// executed.
  let serviceSubscribing = Mutex<[Client: [ServiceSubscribing]]>([:])
  private let sessions = Mutex<[ObjectIdentifier: ClientSession]>([:])
  /// The number of sessions that began and ended since the start.
  let sessionChanges = Atomic<Int>(0)

  init(_ configuration: SMPServerConfiguration, store: any RelayStore) throws(SMPServerError) {
    guard let identity = configuration.credential.chain.identity else { throw .noCertificate }
    settings = Mutex(Settings(configuration))
    self.store = store
    let report = configuration.report ?? { _ in }
    expiryClock = ExpiryClock(report: report)
    let health = StoreHealth(quietTime: configuration.storeQuietTime, report: report)
    storeHealth = health
    let statistics = statistics
    proxy = configuration.proxy.map {
      Proxy(configuration: $0, statistics: statistics, pool: RelayPool($0))
    }
    fingerprint = identity.fingerprint
    let count = max(1, configuration.threads * 2)
    shards = (0..<count).map { _ in
      LockedShard(
        Shard(notificationBytesLimit: max(Self.leastNotificationBytes, Self.waitingNotificationBytes / count)))
    }
    store.observeWork { failure, count in
      if let failure { health.failed(failure.sentence, count: count) } else { health.worked() }
    }
    store.observeAnswering { [flushing] in $0 ? flushing.collect() : flushing.flush() }
  }

  /// The current configuration.
  var configuration: SMPServerConfiguration {
    _read {
      let settings = settings.withLock { $0 }
      yield settings.configuration
    }
  }

  /// The time before which messages are too old; nil where they do not expire, or the clock is doubted.
  var messageExpiry: Int64? {
    guard let ttl = configuration.messageTTL else { return nil }
    return expiryClock.now.map { $0 - ttl }
  }

  /// Begins the ``expiryClock`` with the time that the store noted last; called before anything can expire. Where the
  /// store does not answer, the clock is doubted.
  func beginTime() async {
    switch try? await store.perform(.noteTime(nil)) {
    case .noted(let time)?: expiryClock.begin(lastAlive: time)
    default: expiryClock.begin(lastAlive: 0)
    }
  }

  /// Notes in the store that the relay runs, unless the clock is doubted.
  func noteTime() async {
    if let now = expiryClock.now { _ = try? await store.perform(.noteTime(now)) }
  }

  /// Whether connections may only have their share of notifications.
  var hasManyUnsentNotifications: Bool {
    unsentNotifications.load(ordering: .relaxed) >= configuration.unsentNotificationLimit
  }

  /// Whether what waits to be sent exceeds its limit: each connection then keeps a content or two in memory, and reads
  /// further ones again.
  var exceedsUnsentBodyLimit: Bool { unsentBodyBytes.load(ordering: .relaxed) > configuration.unsentBodyLimit }

  /// Replaces the configuration; it applies to everything that begins from now on.
  func update(_ configuration: SMPServerConfiguration) {
    let new = Settings(configuration)
    settings.withLock { $0 = new }
  }

  /// Calls `body` with the shard of a queue.
  func withShard<Value: Sendable>(
    of queue: QueueNumber, _ body: (inout Shard) -> Value
  ) -> Value {
    shards[Int(queue.value.magnitude % UInt64(shards.count))].state.withLock { body(&$0) }
  }

  /// Calls `body` with every shard in turn.
  func withShards<Value: Sendable>(_ body: (inout Shard) -> Value) -> [Value] {
    shards.map { shard in shard.state.withLock { body(&$0) } }
  }

  /// Has the shard of a queue do something, and executes the effects; what they read is read at once.
  func update(_ queue: QueueNumber, _ body: (inout Shard) -> [Shard.Effect]) {
    var reads: [RelayRead] = []
    _ = update(queue, reads: &reads) { body(&$0) }
    read(reads)
  }

  /// Has the shard of a queue do something, and executes the effects; `reads` receives what they read. Returns false
  /// where `body` returned nil, and did nothing.
  ///
  /// The responses that come first among the effects are sent while the shard is held. Otherwise another thread could
  /// come in between, and a client would be told that its subscription ended before it is told that it is subscribed.
  func update(
    _ queue: QueueNumber, reads: inout [RelayRead], _ body: (inout Shard) -> [Shard.Effect]?
  ) -> Bool {
    let effects = withShard(of: queue) { shard -> ArraySlice<Shard.Effect>? in
      body(&shard).map(sendLeadingResponses)
    }
    guard let effects else { return false }
    perform(effects, reads: &reads)
    return true
  }

  /// Sends the leading responses, and counts, while the shard is locked; returns the other effects. Responses to
  /// clients that cannot be subscribed are sent later, and do not delay those to others. Clients must not enter a shard
  /// when they send.
  private func sendLeadingResponses(_ effects: [Shard.Effect]) -> ArraySlice<Shard.Effect> {
    var later: [Shard.Effect] = []
    for (index, effect) in effects.enumerated() {
      switch effect {
      case .send(let client, let response) where client.target.maySubscribe: client.target.send(response)
      case .send: later.append(effect)
      case .count(let event): statistics.count(event)
      default: return later.isEmpty ? effects[index...] : later[...] + effects[index...]
      }
    }
    return later[...]
  }

  /// Executes the effects of a shard, in order; what they read is read at once.
  func perform(_ effects: [Shard.Effect]) {
    var reads: [RelayRead] = []
    perform(effects[...], reads: &reads)
    read(reads)
  }

  private func perform(_ effects: ArraySlice<Shard.Effect>, reads: inout [RelayRead]) {
    for effect in effects {
      switch effect {
      case .send(let client, let response): client.target.send(response)
      case .count(let event): statistics.count(event)
      case .store(let operation, let continuation):
        let client = continuation.client.target
        let size = operation.waitingSize
        client.addWaiting(bytes: size)
        store.submit(operation) { outcome in
          // First: what the client is answered lets its connection look whether it may be read again.
          client.addWaiting(bytes: -size)
          self.update(continuation.queue(after: outcome)) { $0.stored(continuation, outcome) }
          if let client = continuation.subscriber, client.target.isClosed { self.forget(client) }
        }
      case .readFirst(let reading): reads.append(.first(reading))
      case .readLink(let queue, let origin): reads.append(.link(queue, origin))
      case .joinService(let service, let side, let client, let queue, let isNew):
        join(service, side: side, client: client, queue: queue, isNew: isNew)
      case .leaveService(let service, let queue): services.withLock { $0.remove(queue, from: service) }
      }
    }
  }

  /// Records the use of a queue, which nobody waits for; it is counted nevertheless, because a client can cause many
  /// while the disk is slow.
  func submitTouch(of queue: QueueNumber, day: Int64, for client: Client) {
    let operation = StoreOperation.touch(queue, day: day)
    let size = operation.waitingSize
    client.target.addWaiting(bytes: size)
    store.submit(operation) { _ in client.target.addWaiting(bytes: -size) }
  }

  /// How an event loop is shared among connections whose commands take long.
  func shares(on eventLoop: any EventLoop) -> EventLoopShares {
    shares.withLock { shares in
      let key = ObjectIdentifier(eventLoop)
      if let known = shares[key] { return known }
      let new = EventLoopShares(eventLoop, room: configuration.readAnswerLimit / max(1, configuration.threads))
      shares[key] = new
      return new
    }
  }

  // MARK: Sessions

  func add(_ session: ClientSession) {
    sessions.withLock { $0[ObjectIdentifier(session)] = session }
    sessionChanges.add(1, ordering: .relaxed)
  }

  func remove(_ session: ClientSession) {
    sessions.withLock { $0[ObjectIdentifier(session)] = nil }
    sessionChanges.add(1, ordering: .relaxed)
    forget(Client(session))
  }

  /// Ends the subscriptions of a closed connection.
  func forget(_ client: Client) {
    services.withLock { $0.disconnected(client) }
    let batch = 1_000
    guard withShards({ $0.forget(client, atMost: batch) }).contains(true) else { return }
    // A client of very many queues; others use the shards and this event loop in between.
    Task {
      for shard in shards {
        while shard.state.withLock({ $0.forget(client, atMost: batch) }) { await Task.yield() }
      }
    }
  }

  func serviceConnected(_ service: EntityID) { connectedServices.withLock { $0[service, default: 0] += 1 } }

  func serviceDisconnected(_ service: EntityID) {
    connectedServices.withLock { services in
      let rest = services[service, default: 1] - 1
      services[service] = rest > 0 ? rest : nil
    }
  }

  /// The services with an open connection.
  var servicesInUse: [EntityID] { connectedServices.withLock { Array($0.keys) } }

  var openSessions: [ClientSession] { sessions.withLock { Array($0.values) } }
}
