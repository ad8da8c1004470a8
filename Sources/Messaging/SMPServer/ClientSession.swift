import NIOCore
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization
import WireCodec

/// One connection of a client: handshake, commands, responses, and back-pressure.
///
/// Unchecked: everything but `outbox` is used on the connection's event loop alone.
final class ClientSession: BlockHandler, ResponseTarget, TimeSliced, @unchecked Sendable {
  /// The state after the handshake.
  final class Established: Sendable {
    let context: SessionContext
    let gate: CommandGate
    /// The secret with the client's session key, if it sent one; for forwarded commands.
    let secret: SecretBytes?

    init(context: SessionContext, gate: CommandGate, secret: SecretBytes?) {
      self.context = context
      self.gate = gate
      self.secret = secret
    }
  }

  enum Phase {
    case hello(X25519.PrivateKey)
    case registering
    case open(Established)
    case closed
  }

  /// The proof of the relay's identity in the handshake: the credential that the connection's TLS uses.
  struct Credential: Sendable {
    /// The key of the certificate.
    let key: CertificateKey
    /// The certificates in the form of the handshake.
    let certificates: [[UInt8]]

    init(_ credential: TLSCredential) {
      key = credential.key
      certificates = credential.chain.certificates.map(\.der)
    }
  }

  let connection: BlockConnection
  let relay: Relay
  let credential: Credential
  let identifier: SessionID
  let createdAt = steadySeconds()
  /// When the last block was received or sent.
  let activeAt: Atomic<Int64>
  var phase: Phase
  var sealing = BlockSealing()
  let outbox = Mutex(Outbox())
  /// Whether dropped messages are being read again, before anything further is written.
  var isRereading = false
  /// The memory for what is read again.
  var rereadingRoom: EventLoopShares.Room?
  /// The memory for the answers to the read of commands that is under way.
  private var readingRoom: EventLoopShares.Room?
  private var isReadingPaused = false
  /// Received commands that wait for a time slice; empty nearly always.
  var pending: ArraySlice<ReceivedTransmission<Command>> = []
  var pendingCount: Int { pending.count }
  /// Commands that wait for the store to read.
  var commands = CommandQueue()
  private var refusalCost = RefusalCost()
  /// That of commands that it forwards for others.
  private var forwardedRefusalCost = RefusalCost()
  /// Whether cached records may be used. With them signatures are checked before the read, otherwise after it. Where
  /// refused commands wait for their share of the event loop, that wait would tell which queues are in use.
  private(set) var usesCache = true
  /// The number of its last commands that were admitted, as far as it matters: up to ``CommandQueue/limit``.
  var admittedInRow = 0
  let shares: EventLoopShares
  private(set) var paid: VirtualClock.Time
  /// Whether reading is paused, for other threads.
  private let isHeld = Atomic<Bool>(false)
  /// Commands that are forwarded to other relays.
  var forwarding: ForwardingQueue
  var helloTimeout: Scheduled<Void>?
  /// The bytes of commands that wait for the store.
  private let waitingBytes = Atomic<Int>(0)
  /// Reading pauses when more wait of one connection, or of all; each may always have one block.
  private static let waitingLimit = 1 << 20
  private static let waitingLimitOfAll = 64 << 20
  /// The most time that a connection is charged for a read of the store.
  private static let chargedReadLimit = Duration.milliseconds(100)

  init(_ connection: BlockConnection, of relay: Relay, credential: Credential) {
    self.connection = connection
    self.relay = relay
    self.credential = credential
    identifier = SessionID(connection.session.identifier)
    activeAt = Atomic(createdAt)
    forwarding = ForwardingQueue(limit: relay.configuration.proxy?.clientConcurrency ?? 1)
    shares = relay.shares(on: connection.eventLoop)
    paid = shares.usual.arrivalTime
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    phase = .hello(key)
    relay.add(self)
    helloTimeout = connection.eventLoop.scheduleTask(in: .seconds(relay.configuration.handshakeTimeout)) {
      [weak self] in self?.helloTimedOut()
    }
    // Nothing can be written before this call.
    connection.perform { self.sendHello(key.publicKey) }
  }

  // MARK: Blocks

  func blockReceived(_ block: inout MutableRawSpan) {
    activeAt.store(steadySeconds(), ordering: .relaxed)
    guard let range = try? sealing.open(&block) else { return connection.close() }
    let content = block.bytes.extracting(range)
    switch phase {
    case .hello(let key): received(hello: content, key)
    case .registering, .closed: connection.close()
    case .open(let established):
      let transmissions = established.context.transmissions(of: Command.self, in: content)
      let expected = transmissions.count { !$0.correlationID.isNone }
      outbox.withLock { $0.expected += expected }
      relay.statistics.countBatch(transmissions)
      receive(transmissions, established)
      pauseReadingIfBusy()
    }
  }

  /// Executes commands, or has them wait for a time slice or for a read of the store.
  private func receive(_ transmissions: [ReceivedTransmission<Command>], _ established: Established) {
    guard pending.isEmpty, commands.isEmpty else { return pending += transmissions }
    guard !transmissions.isEmpty else { return }
    pending = transmissions[...]
    start(established)
  }

  /// Executes what waits now, or in a time slice.
  private func start(_ established: Established) {
    let now = NIODeadline.now()
    let queue = runQueue(at: now)
    let isNext = queue === shares.usual && queue.executesAtOnce(self)
    if isNext { execute(established) } else { queue.add(self) }
  }

  /// The run queue that it belongs to, by what its commands cost lately.
  private func runQueue(at now: NIODeadline) -> EventLoopShares.RunQueue {
    if refusalCost.isHigh(at: now) { return shares.refused }
    let forwardsTooMuch = forwardedRefusalCost.isHigh(at: now) && shares.forwardedRefusals.isHigh(at: now)
    return forwardsTooMuch ? shares.forwarding : shares.usual
  }

  /// Counts the time of a refused command that it forwarded.
  func addForwardedRefusal(_ time: TimeAmount, at now: NIODeadline) {
    forwardedRefusalCost.add(time, at: now)
    shares.addForwardedRefusal(time, at: now)
  }

  /// Called by the run queue in which the connection waits.
  func runTimeSlice() {
    guard case .open(let established) = phase else { return }
    execute(established)
    resumeReadingIfIdle()
  }

  /// A connection is in a run queue while something waits that needs no further read of the store.
  private func execute(_ established: Established) {
    let start = NIODeadline.now()
    let used = VirtualClock.processorTime
    var now = start
    usesCache = runQueue(at: start) === shares.usual
    while let admission = executeNext(established) {
      let end = NIODeadline.now()
      if case .refused(let reading, let isForwarded) = admission {
        let time = end - now + TimeAmount(reading)
        if isForwarded { addForwardedRefusal(time, at: end) } else { refusalCost.add(time, at: end) }
      }
      now = end
      if usesCache, admittedInRow == CommandQueue.limit, commands.canReadAhead { readAhead(established) }
      if end - start > EventLoopShares.timeSlice { break }
    }
    commands.releaseUsed()
    paid = shares.usual.paid(paid, servedFor: VirtualClock.processorTime - used)
    let queue = runQueue(at: now)
    commands.moveRooms(to: queue)
    startReading(in: queue, ahead: false)
    if pending.isEmpty { pending = [] }
    if commands.hasAnswers || !commands.isReading && !pending.isEmpty { queue.add(self) }
  }

  /// Uses an answer of the store, or executes the next command; nil where there is nothing that needs no further read.
  private func executeNext(_ established: Established) -> Admission? {
    if commands.hasAnswers, let step = commands.nextStep() {
      return use(step)
    }
    guard !commands.isReading, !commands.isFull, let transmission = pending.popFirst() else { return nil }
    return receive(transmission, established)
  }

  /// Has the store read what commands wait for, when there is room for the answers. Of this connection only commands
  /// that were read before are executed meanwhile, if it is `ahead`.
  func startReading(in queue: EventLoopShares.RunQueue, ahead: Bool) {
    guard let batch = commands.startReading(ahead: ahead) else { return }
    addWaiting(bytes: batch.size)
    queue.read(size: batch.answerSize) { room in
      // A connection that was closed meanwhile waits for nothing.
      guard case .open = self.phase else {
        self.addWaiting(bytes: -batch.size)
        return queue.readEnded(after: .zero)
      }
      self.readingRoom = room
      self.relay.store.read(batch.reads) { answers, time in
        self.addWaiting(bytes: -batch.size)
        self.connection.perform { self.read(answers, time, in: queue) }
      }
    }
  }

  private func read(_ answers: [StoreAnswer], _ time: Duration, in queue: EventLoopShares.RunQueue) {
    // A disk that hangs is nobody's work.
    let time = min(time, Self.chargedReadLimit)
    queue.readEnded(after: TimeAmount(time))
    paid = shares.usual.paid(paid, servedFor: VirtualClock.readTime * answers.count)
    let room = readingRoom
    readingRoom = nil
    // It may have been closed meanwhile; until now the answers took memory nevertheless.
    guard case .open(let established) = phase else { return }
    // Otherwise it is in a run queue, and uses them after those that it has.
    let isIdle = !commands.hasAnswers
    commands.finishReading(answers, time: time, room: room)
    guard isIdle else { return }
    self.start(established)
    flush()
  }

  func blocksComplete() { flush() }

  func writabilityChanged(_ isWritable: Bool) { if isWritable { flush() } }

  func connectionClosed(_ error: TransportError?) {
    if case .open(let established) = phase, let service = established.gate.service {
      relay.serviceDisconnected(service.id)
    }
    phase = .closed
    helloTimeout?.cancel()
    helloTimeout = nil
    changeOutbox { $0 = Outbox(isClosed: true) }
    pending = []
    commands = CommandQueue()
    forwarding = ForwardingQueue(limit: 1)
    relay.remove(self)
  }

  func write(_ content: [UInt8]) {
    do {
      let block = try sealing.seal(content)
      try connection.write(block.span.bytes)
    } catch {
      connection.close()
    }
  }

  // MARK: Responses

  func send(_ response: Response) {
    let starts = changeOutbox { outbox -> Bool? in
      if outbox.isSurplus(response), relay.hasManyUnsentNotifications { return nil }
      return outbox.add(response, isTotalExceeded: relay.exceedsUnsentBodyLimit)
    }
    guard let starts else { return relay.statistics.count(.notificationLost) }
    if starts { relay.flushing.add(self) }
  }

  /// Changes the outbox, and counts its notifications and contents among those of all connections.
  func changeOutbox<Value: Sendable>(_ body: (inout Outbox) -> Value) -> Value {
    outbox.withLock { outbox in
      let (notifications, bytes) = (outbox.notifications, outbox.bodyBytes)
      let value = body(&outbox)
      if outbox.notifications != notifications {
        relay.unsentNotifications.add(outbox.notifications - notifications, ordering: .relaxed)
      }
      if outbox.bodyBytes != bytes { relay.unsentBodyBytes.add(outbox.bodyBytes - bytes, ordering: .relaxed) }
      return value
    }
  }

  var isClosed: Bool { outbox.withLock { $0.isClosed } }

  /// Reading pauses while many commands are unanswered.
  private func pauseReadingIfBusy() {
    guard !isReadingPaused, !pending.isEmpty || isForwardingBusy || isStoreBusy || outbox.withLock({ $0.isBusy }) else {
      return
    }
    isReadingPaused = true
    connection.setReading(false)
    isHeld.store(true, ordering: .sequentiallyConsistent)
    // The last of what it waits for may be done since.
    resumeReadingIfIdle()
  }

  func resumeReadingIfIdle() {
    guard isReadingPaused, pending.isEmpty, !isForwardingBusy, isStoreIdle, outbox.withLock({ $0.isIdle }) else {
      return
    }
    isReadingPaused = false
    isHeld.store(false, ordering: .relaxed)
    connection.setReading(true)
  }

  func addWaiting(bytes: Int) {
    waitingBytes.add(bytes, ordering: .sequentiallyConsistent)
    relay.waitingBytes.add(bytes, ordering: .relaxed)
    // Not everything that is stored is answered, which would end the pause.
    guard bytes < 0, isHeld.load(ordering: .sequentiallyConsistent), isStoreIdle else { return }
    connection.perform { self.resumeReadingIfIdle() }
  }

  private var isStoreBusy: Bool {
    let own = waitingBytes.load(ordering: .relaxed)
    return own > Self.waitingLimit || own > 0 && relay.waitingBytes.load(ordering: .relaxed) > Self.waitingLimitOfAll
  }

  private var isStoreIdle: Bool {
    let own = waitingBytes.load(ordering: .sequentiallyConsistent)
    guard own > 0 else { return true }
    return own < Self.waitingLimit / 2 && relay.waitingBytes.load(ordering: .relaxed) <= Self.waitingLimitOfAll
  }

  // MARK: For the operator

  /// Whether the connection has been idle since a time, and has no subscriptions.
  func isInactive(since time: Int64) -> Bool {
    guard activeAt.load(ordering: .relaxed) < time else { return false }
    let client = Client(self)
    return !relay.withShards { $0.hasSubscriptions(client) }.contains(true)
  }

  func close() { connection.close() }
}
