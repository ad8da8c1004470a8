import NotificationProtocol
import NotificationServerCore
import NotificationStore
import RelayChassis
import SMPClient
import SMPClientCore
import SMPProtocol
import WireCodec

/// Subscribes to queues at their relays as their notifier: a client for each relay, which reconnects and subscribes
/// again by itself. What relays say is stored; that a queue is subscribed is known here only.
actor RelaySubscriber {
  private struct Relay {
    let client: RelayClient
    let reader: Task<Void, Never>
    /// Whether it was connected before, and is now.
    var wasConnected = false
    var isConnected = false
  }

  private let configuration: NotificationServerConfiguration
  private let store: any NotificationStore
  private let pusher: Pusher
  private let counts: EventCounts<NotificationEvent>
  private let ownCounts: EventCounts<NotificationEvent>
  private let health: StoreHealth
  private let connecting: AsyncSlots
  private var relays: [SMPServerAddress: Relay] = [:]
  private var starting: Task<Void, Never>?
  private var isStopped = false

  /// The number of subscriptions that are read at once at the start.
  private static let page = 2_000
  /// The longest text of an error that is stored, in characters: answers have to fit a block.
  private static let errorLimit = 200

  init(
    _ configuration: NotificationServerConfiguration, store: any NotificationStore, pusher: Pusher,
    counts: EventCounts<NotificationEvent>, ownCounts: EventCounts<NotificationEvent>, health: StoreHealth
  ) {
    self.configuration = configuration
    self.store = store
    self.pusher = pusher
    self.counts = counts
    self.ownCounts = ownCounts
    self.health = health
    connecting = AsyncSlots(configuration.connectingLimit)
  }

  /// Begins to subscribe to everything that is stored.
  func start() {
    starting = Task { await self.subscribeStored() }
  }

  private func subscribeStored() async {
    var position: Int64 = 0
    while !Task.isCancelled {
      do throws(NotificationStoreError) {
        let (subscriptions, next) = try await store.wantedSubscriptions(after: position, limit: Self.page)
        await subscribe(subscriptions)
        guard let next else { return }
        position = next
      } catch {
        if error == .closed { return }
        health.failed("\(error)")
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Closes all connections.
  func stop() async {
    isStopped = true
    starting?.cancel()
    await starting?.value
    let all = relays.values
    relays = [:]
    for relay in all { await relay.client.close() }
    for relay in all { await relay.reader.value }
  }

  /// The numbers of relays, and of those that are connected.
  var relayCounts: (known: Int, connected: Int) { (relays.count, relays.values.count(where: \.isConnected)) }

  // MARK: Subscriptions

  /// Subscribes to queues.
  func subscribe(_ wanted: [WantedSubscription]) async {
    guard !isStopped else { return }
    for (address, wanted) in Dictionary(grouping: wanted, by: \.queue.relay) {
      await client(of: address).startSubscribing(wanted.map { (queue: $0.queue.notifier, key: $0.key) })
    }
  }

  /// Ends subscriptions, and connections that have none any more.
  func unsubscribe(_ queues: [NotifierQueue]) async {
    for (address, queues) in Dictionary(grouping: queues, by: \.relay) {
      guard let relay = relays[address] else { continue }
      for queue in queues { await relay.client.unsubscribe(queue.notifier) }
      guard await relay.client.subscriptionCount == 0, relays[address]?.client === relay.client else { continue }
      relays[address] = nil
      await relay.client.close()
    }
  }

  /// The status of a subscription that is to be subscribed.
  func status(of queue: NotifierQueue) async -> NotifierStatus {
    guard let relay = relays[queue.relay] else { return .new }
    switch await relay.client.subscriptionState(of: queue.notifier) {
    case nil: return .new
    case .active: return .active
    case .requested: return .pending
    case .waiting: return relay.wasConnected && !relay.isConnected ? .inactive : .pending
    }
  }

  private func client(of address: SMPServerAddress) -> RelayClient {
    if let relay = relays[address] { return relay.client }
    let connecting = connecting
    let client = RelayClient(address, configuration.subscriber) {
      (server, configuration) async throws(SMPClientError) -> SMPConnection in
      await connecting.take()
      defer { connecting.give() }
      return try await SMPConnection.connect(to: server, configuration)
    }
    relays[address] = Relay(client: client, reader: Task { await self.read(client, of: address) })
    return client
  }

  // MARK: Events

  /// Handles the events of a relay. Those that wait for the store are limited, so that the relay has to wait.
  private nonisolated func read(_ client: RelayClient, of address: SMPServerAddress) async {
    let slots = AsyncSlots(configuration.storingLimit)
    let isOwn = isOwn(address)
    for await event in client.events {
      switch event {
      case .connected: await setConnected(true, client, of: address)
      case .disconnected: await setConnected(false, client, of: address)
      case .subscribed: break
      case .subscriptionFailed(let notifier, let error):
        await slots.take()
        setStatus(Self.status(after: error), of: NotifierQueue(relay: address, notifier: notifier), slots)
      case .message(let notifier, let message):
        let queue = NotifierQueue(relay: address, notifier: notifier)
        switch message {
        case .nmsg(let notification):
          await slots.take()
          received(notification, of: queue, isOwn: isOwn, slots)
        case .end:
          await slots.take()
          setStatus(.end, of: queue, slots)
        case .deld:
          await slots.take()
          setStatus(.deleted, of: queue, slots)
        default: break
        }
      }
    }
  }

  private func setConnected(_ isConnected: Bool, _ client: RelayClient, of address: SMPServerAddress) {
    guard relays[address]?.client === client else { return }
    relays[address]?.isConnected = isConnected
    relays[address]?.wasConnected = true
  }

  /// Stores a notification, and then has it pushed.
  private nonisolated func received(
    _ notification: NotificationMessage, of queue: NotifierQueue, isOwn: Bool, _ slots: AsyncSlots
  ) {
    guard let time = UTCTime(seconds: currentSeconds()) else { return slots.give() }
    let message = PushedMessage(queue: queue, time: time, notification: notification)
    count(.received, isOwn: isOwn)
    store.submit { (records) throws(NotificationStoreError) in
      try records.addNotification(message, keeping: PushText.entryLimit)
    } completion: { result in
      slots.give()
      switch result {
      case .success(let token?):
        self.health.worked()
        let (number, service) = (token.number, token.record.device.service)
        Task { await self.pusher.push(.messages, of: number, service) }
      case .success(nil): self.count(.receivedAuth, isOwn: isOwn)
      case .failure(let error): self.health.failed("\(error)")
      }
    }
  }

  private nonisolated func setStatus(_ status: NotifierStatus, of queue: NotifierQueue, _ slots: AsyncSlots) {
    store.submit { (records) throws(NotificationStoreError) in
      try records.setStatus(status, of: queue)
    } completion: { result in
      slots.give()
      if case .failure(let error) = result { self.health.failed("\(error)") }
    }
  }

  private nonisolated func count(_ event: NotificationEvent, isOwn: Bool) {
    counts.count(event)
    if isOwn { ownCounts.count(event) }
  }

  private nonisolated func isOwn(_ address: SMPServerAddress) -> Bool {
    address.hosts.contains { host in
      configuration.ownDomains.contains { host.description == $0 || host.description.hasSuffix(".\($0)") }
    }
  }

  private static func text(_ error: String) -> String { String(error.prefix(errorLimit)) }

  /// The status after a relay has refused a subscription for good.
  private static func status(after error: SMPClientError) -> NotifierStatus {
    switch error {
    case .relay(.AUTH): .auth
    case .relay(.SERVICE): .service
    case .relay(let error): .error(text("SMP \((try? ProtocolErrorType.textCodec.text(error)) ?? "")"))
    default: .error(text("\(error)"))
    }
  }
}
