import NotificationProtocol
import NotificationServerCore
import NotificationStore
import RelayChassis
import SMPProtocol
import SimplexCrypto
import WireCodec

extension NotificationEvent: CountedEvent {}

/// What all connections of a notification server share: the store, the subscriptions, the pushes and the counters.
final class ServerHub: Sendable {
  let configuration: NotificationServerConfiguration
  let store: any NotificationStore
  /// SHA-256 of the identity certificate.
  let fingerprint: [UInt8]
  let counts = EventCounts<NotificationEvent>()
  /// The same for relays under ``NotificationServerConfiguration/ownDomains``.
  let ownCounts = EventCounts<NotificationEvent>()
  let storeHealth: StoreHealth
  let expiryClock: ExpiryClock
  let pusher: Pusher
  let subscriber: RelaySubscriber
  private let execution: CommandExecution
  /// What follows from commands, in the order in which they are durable.
  private let effects: AsyncStream<[CommandEffect]>.Continuation
  private let effectTask: Task<Void, Never>

  init(_ configuration: NotificationServerConfiguration, store: any NotificationStore) throws(RelayError) {
    guard let identity = configuration.credential.chain.identity else { throw .noCertificate }
    self.configuration = configuration
    self.store = store
    fingerprint = identity.fingerprint
    let report = configuration.report ?? { _ in }
    let health = StoreHealth(report: report)
    storeHealth = health
    expiryClock = ExpiryClock(report: report)
    execution = CommandExecution(limits: configuration.limits)
    let pusher = Pusher(configuration, store: store, counts: counts, health: health)
    let subscriber = RelaySubscriber(
      configuration, store: store, pusher: pusher, counts: counts, ownCounts: ownCounts, health: health)
    self.pusher = pusher
    self.subscriber = subscriber
    let (stream, continuation) = AsyncStream.makeStream(of: [CommandEffect].self)
    effects = continuation
    effectTask = Task {
      for await effects in stream {
        for effect in effects { await Self.perform(effect, pusher, subscriber: subscriber) }
      }
    }
  }

  /// Subscribes to what is stored, and has the pushes sent that were not accepted.
  func start() async throws(NotificationStoreError) {
    let alive = try await store.perform { (records) throws(NotificationStoreError) in try records.noteTime(nil) }
    expiryClock.begin(lastAlive: alive)
    try await pusher.start()
    await subscriber.start()
  }

  /// Executes an authorized command; `completion` is called once, on any thread.
  func execute(
    _ command: NotificationCommand, entity: EntityID, completion: @escaping @Sendable (NotificationResponse) -> Void
  ) {
    let execution = execution
    store.submit { (records) throws(NotificationStoreError) in
      var random = SystemRandom()
      return try execution.execute(command, entity: entity, at: currentSeconds(), records, random: &random)
    } completion: { result in
      switch result {
      case .failure(let error):
        self.storeHealth.failed("\(error)")
        completion(.err(.INTERNAL))
      case .success(let outcome):
        self.storeHealth.worked()
        for case .count(let event) in outcome.effects { self.counts.count(event) }
        if !outcome.effects.isEmpty { self.effects.yield(outcome.effects) }
        guard let queue = outcome.liveQueue else { return completion(outcome.response) }
        Task { completion(.sub(await self.subscriber.status(of: queue))) }
      }
    }
  }

  private static func perform(_ effect: CommandEffect, _ pusher: Pusher, subscriber: RelaySubscriber) async {
    switch effect {
    case .verify(let token, let device): await pusher.verify(token, device)
    case .pushStored(let token, let service): await pusher.push(.messages, of: token, service)
    case .forget(let token): await pusher.forget(token)
    case .subscribe(let wanted): await subscriber.subscribe([wanted])
    case .unsubscribe(let queues): await subscriber.unsubscribe(queues)
    case .count: break
    }
  }

  /// Ends everything and closes the store.
  func stop() async {
    effects.finish()
    await effectTask.value
    await subscriber.stop()
    await pusher.stop()
    await store.close()
  }
}
