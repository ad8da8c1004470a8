import QueueStore
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto

/// A relay: the real queues (``SMPServerCore/QueueShard``) with a store in memory that takes its time to make changes
/// durable. Who may do what is decided by comparing keys, since nothing is signed here.
public final class SimulatedRelay {
  typealias Shard = QueueShard<Int>

  /// Where it is.
  public let address: SMPServerAddress
  /// Whether packets get there. What is sent meanwhile waits, as TCP would send it again.
  public internal(set) var isReachable = true {
    didSet { if isReachable && !oldValue { flushDelayed() } }
  }
  /// Whether it takes new queues.
  var acceptsQueues = true
  /// Whether it runs.
  public private(set) var isRunning = true
  /// How many messages a queue takes.
  public let quota: Int

  private unowned let world: World
  private var random: SimulationRandom
  /// What survives a restart.
  private var store = MemoryQueues()
  // What does not:
  private var shard = Shard()
  private var submitted: [(operation: StoreOperation, continuation: Continuation<Int>)] = []
  private var isCommitting = false
  private var connections: [Int: SimulatedConnection] = [:]
  /// Commands that other relays passed on, by the number that stands for a connection.
  private var forwarded: [Int: (BrokerMessage) -> Void] = [:]
  private var nextConnection = 0
  private var delayed: [() -> Void] = []

  init(_ address: SMPServerAddress, quota: Int, world: World) {
    self.address = address
    self.quota = quota
    self.world = world
    random = world.random.fork()
  }

  /// For the trace.
  public var name: String { address.hosts.first?.description ?? "relay" }

  // MARK: What can be seen from outside

  /// How many queues there are.
  public var queueCount: Int { store.queues.count }
  /// How many messages wait, in all queues.
  public var messageCount: Int { store.queues.values.reduce(0) { $0 + $1.messages.count } }
  /// The longest queue.
  public var longestQueue: Int { store.queues.values.reduce(0) { max($0, $1.messages.count) } }

  // MARK: Life

  /// Stops it: connections break, and of the changes that were not answered only some took effect.
  func crash() {
    guard isRunning else { return }
    world.log("relay \(name) stops, \(submitted.count) changes not answered")
    isRunning = false
    let survived = submitted.isEmpty ? 0 : Int.random(in: 0...submitted.count, using: &random)
    for change in submitted.prefix(survived) { _ = store.apply(change.operation) }
    submitted = []
    isCommitting = false
    shard = Shard()
    delayed = []
    forwarded = [:]
    let broken = connections.sorted { $0.key < $1.key }.map(\.value)
    connections = [:]
    for connection in broken { connection.breakDown(.closed) }
  }

  func start() {
    guard !isRunning else { return }
    world.log("relay \(name) starts")
    isRunning = true
  }

  /// Runs, and can be reached.
  func recover() {
    start()
    isReachable = true
    acceptsQueues = true
  }

  /// Deletes the messages that are older than a time, in milliseconds since 1970.
  func expireMessages(before time: Int64) {
    guard isRunning else { return }
    let before = messageCount
    for queue in store.queues.keys.sorted() { _ = store.apply(.expireMessagesOfQueue(queue, before: time / 1_000)) }
    if messageCount < before { world.log("relay \(name) deletes \(before - messageCount) old messages") }
  }

  /// Calls `body` once packets get here.
  func whenReachable(_ body: @escaping () -> Void) {
    if isReachable { body() } else { delayed.append(body) }
  }

  private func flushDelayed() {
    let bodies = delayed
    delayed = []
    for body in bodies { world.after(world.latency(), body) }
  }

  // MARK: Connections

  /// Accepts a connection; nil if it does not run.
  func accept(_ connection: SimulatedConnection) -> Int? {
    guard isRunning else { return nil }
    nextConnection += 1
    connections[nextConnection] = connection
    return nextConnection
  }

  /// The connection is over, as far as the relay can tell.
  func disconnected(_ number: Int) {
    guard connections.removeValue(forKey: number) != nil else { return }
    shard.disconnected(number)
  }

  /// Forgets what one of the connections has subscribed to. This takes effect without an event.
  func forgetSubscriptions() {
    guard let number = connections.keys.sorted().randomElement(using: &random) else { return }
    world.log("relay \(name) forgets the subscriptions of connection \(number)")
    shard.disconnected(number)
  }

  /// Passes a command on to another relay for a client. If this relay stops, there is no response.
  func forward(
    _ request: RequestPipeline.Request, to relay: SimulatedRelay, from number: Int,
    _ completion: @escaping (Result<BrokerMessage, SMPClientError>) -> Void
  ) {
    guard isRunning, connections[number] != nil else { return }
    var isDone = false
    let finish = { [self] (result: Result<BrokerMessage, SMPClientError>) in
      guard !isDone, connections[number] != nil else { return }
      isDone = true
      completion(result)
    }
    world.after(10_000) { finish(.failure(.proxy(.PROXY(proxyErr: .BROKER(brokerErr: .TIMEOUT))))) }
    world.after(world.latency()) { [world] in
      relay.whenReachable {
        guard relay.isRunning else {
          return finish(.failure(.proxy(.PROXY(proxyErr: .BROKER(brokerErr: .NETWORK(networkError: .failedError))))))
        }
        relay.receiveForwarded(request) { message in
          world.after(world.latency()) {
            if case .err(let error) = message { finish(.failure(.relay(error))) } else { finish(.success(message)) }
          }
        }
      }
    }
  }

  private func receiveForwarded(_ request: RequestPipeline.Request, _ completion: @escaping (BrokerMessage) -> Void) {
    nextConnection += 1
    forwarded[nextConnection] = completion
    receive(request, correlation: CorrelationID(using: &random), from: nextConnection)
  }

  /// Handles a command that arrived.
  func receive(_ request: RequestPipeline.Request, correlation: CorrelationID, from number: Int) {
    guard isRunning, connections[number] != nil || forwarded[number] != nil else { return }
    let origin = Origin(session: number, correlation: correlation, entity: request.entity)
    world.wiretap.observe(request, at: self)
    let queue = queue(of: request)
    if let refusal = refusal(of: request, queue) { return perform([reply(origin, .err(refusal))]) }
    switch (request.command, queue) {
    case (.ping, _): perform([reply(origin, .pong)])
    case (.rslv, _): perform([reply(origin, .err(.NAME(nameErr: .NO_RESOLVER)))])
    case (.new(let new), _):
      do throws(ProtocolErrorType) {
        let queue = try NewQueue(
          new, correlation: correlation, service: nil, day: world.now / 86_400_000, using: &random)
        perform([Shard.create(queue, from: origin)])
      } catch {
        perform([reply(origin, .err(error))])
      }
    case (.lget, let queue?): answerLink(of: queue, origin)
    case (.que, let queue?):
      let info = QueueInfo(
        qiSnd: queue.senderKey != nil, qiNtf: queue.notifier != nil,
        qiSub: shard.subscriptionInfo(of: queue.number, for: number),
        qiSize: store.queues[queue.number]?.messages.count ?? 0, qiMsg: nil)
      perform([reply(origin, .info(info))])
    case (let command, let queue?):
      let context = CommandContext(
        version: SMPVersion.supported.highest, service: nil, now: world.now / 1_000, quota: quota)
      perform(shard.handle(command, from: origin, about: queue, context, using: &random))
    case (_, nil): perform([reply(origin, .err(.CMD(cmdErr: .PROHIBITED)))])
    }
  }

  private func queue(of request: RequestPipeline.Request) -> QueueRecord? {
    let id = request.entity.bytes
    let number: QueueNumber? =
      switch request.command.party {
      case .recipient: store.recipients[id]
      case .sender: store.senders[id]
      case .notifier: store.notifiers[id]
      case .linkClient: store.links[id]
      case .creator, .recipientService, .idleClient, .notifierService, .proxiedClient, .proxyService, .resolverClient:
        nil
      }
    return number.flatMap { store.queues[$0]?.record }
  }

  /// Why a command is refused, as ``SMPServerCore/CommandGate`` decides it.
  private func refusal(of request: RequestPipeline.Request, _ queue: QueueRecord?) -> ProtocolErrorType? {
    let rule = request.command.form.credentials
    if let violation = rule.violation(isAuthorized: request.key != nil, hasEntity: !request.entity.isNone) {
      return .CMD(cmdErr: violation)
    }
    let key = request.key?.publicKey.publicKey.der
    switch request.command {
    case .ping, .rslv: return nil
    case .new where !acceptsQueues: return .AUTH
    case .new(let new): return key == new.recipientKey.publicKey.der ? nil : .AUTH
    case .skey(let new), .lkey(let new):
      guard let queue, queue.mode == .messaging, key == new.publicKey.der else { return .AUTH }
      return queue.senderKey == nil || queue.senderKey == key ? nil : .AUTH
    case .send: return queue != nil && queue?.senderKey == key ? nil : .AUTH
    case .lget: return queue?.isContact == true ? nil : .AUTH
    case .nsub: return queue?.notifier?.key == key ? nil : .AUTH
    default:
      guard let queue, let key else { return .AUTH }
      return queue.recipientKeys.contains(key) ? nil : .AUTH
    }
  }

  // MARK: Effects

  private func reply(_ origin: Origin<Int>, _ message: BrokerMessage) -> Shard.Effect {
    .send(origin.session, Response(origin.correlation, about: origin.entity, .plain(message)))
  }

  private func answerLink(of queue: QueueRecord, _ origin: Origin<Int>) {
    guard let link = store.queues[queue.number]?.link else { return perform([reply(origin, .err(.AUTH))]) }
    let response = LinkResponse(senderID: EntityID(queue.senderID), data: QueueLinkData(link))
    perform([reply(origin, .lnk(response))])
  }

  private func perform(_ effects: [Shard.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let number, let response):
        let message = response.message(using: &random)
        if let completion = forwarded.removeValue(forKey: number) {
          completion(message)
        } else {
          connections[number]?.sendDown(response, message: message)
        }
      // Simulated clients are no services.
      case .count, .joinService, .leaveService: break
      case .store(let operation, let continuation):
        submitted.append((operation, continuation))
        planCommit()
      case .readFirst(let reading):
        perform(shard.firstRead(.success(store.queues[reading.queue]?.messages.first), reading))
      case .readLink(let queue, let origin): answerLink(of: queue, origin)
      }
    }
  }

  /// Makes what was submitted durable after a while, all together.
  private func planCommit() {
    guard !isCommitting else { return }
    isCommitting = true
    let life = nextConnection
    _ = life
    world.after(Int64.random(in: world.weather.storeDelay, using: &random)) { [self] in
      guard isRunning, isCommitting else { return }
      isCommitting = false
      let changes = submitted
      submitted = []
      let outcomes = changes.map { store.apply($0.operation) }
      for (change, outcome) in zip(changes, outcomes) { perform(shard.stored(change.continuation, .success(outcome))) }
    }
  }
}
