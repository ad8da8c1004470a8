import NIOCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Synchronization
import WireCodec

/// One connection of a client: handshake, commands, responses, and back-pressure.
///
/// Unchecked: everything but `outbox` is used on the connection's event loop alone.
final class ClientSession: BlockHandler, ResponseTarget, @unchecked Sendable {
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
  let createdAt = currentSeconds()
  /// When the last block was received or sent.
  let activeAt: Atomic<Int64>
  var phase: Phase
  var sealing = BlockSealing()
  private let outbox = Mutex(Outbox())
  private var isReadingPaused = false
  /// Received commands that wait for a time slice; empty nearly always.
  private var pending: ArraySlice<ReceivedTransmission<Command>> = []
  private var refusalCost = RefusalCost()
  private let shares: EventLoopShares
  /// The same for other threads.
  private let isHeld = Atomic<Bool>(false)
  /// Commands that are forwarded to other relays.
  var forwarding: ForwardingQueue
  var helloTimeout: Scheduled<Void>?
  /// The bytes of commands that wait for the store.
  private let waitingBytes = Atomic<Int>(0)
  /// Reading pauses when more wait of one connection, or of all; each may always have one block.
  private static let waitingLimit = 1 << 20
  private static let waitingLimitOfAll = 64 << 20

  init(_ connection: BlockConnection, of relay: Relay, credential: Credential) {
    self.connection = connection
    self.relay = relay
    self.credential = credential
    identifier = SessionID(connection.session.identifier)
    activeAt = Atomic(createdAt)
    forwarding = ForwardingQueue(limit: relay.configuration.proxy?.clientConcurrency ?? 1)
    shares = relay.shares(on: connection.eventLoop)
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
    activeAt.store(currentSeconds(), ordering: .relaxed)
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

  /// Executes commands, or has them wait for a time slice. A connection is in a run queue while some wait.
  private func receive(_ transmissions: [ReceivedTransmission<Command>], _ established: Established) {
    guard pending.isEmpty else { return pending += transmissions }
    guard !transmissions.isEmpty else { return }
    pending = transmissions[...]
    if refusalCost.isHigh(at: .now()) { shares.refused.add(self) } else { execute(established) }
  }

  /// Executes commands that wait, for a short time. Called by the run queue in which the connection waits.
  func runTimeSlice() {
    guard case .open(let established) = phase else { return }
    execute(established)
    resumeReadingIfIdle()
  }

  private func execute(_ established: Established) {
    let start = NIODeadline.now()
    var now = start
    while let transmission = pending.popFirst() {
      let isRefused = receive(transmission, established) == .refused
      let end = NIODeadline.now()
      if isRefused { refusalCost.add(end - now, at: end) }
      now = end
      if end - start > EventLoopShares.timeSlice { break }
    }
    if pending.isEmpty {
      pending = []
    } else {
      (refusalCost.isHigh(at: now) ? shares.refused : shares.usual).add(self)
    }
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
    outbox.withLock { $0 = Outbox(isClosed: true) }
    pending = []
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
    let starts = outbox.withLock { $0.add(response) }
    if starts { relay.flushing.add(self) }
  }

  var isClosed: Bool { outbox.withLock { $0.isClosed } }

  /// Writes waiting responses, as far as the client takes them.
  func flush() {
    guard case .open(let established) = phase else { return }
    var hasWritten = false
    while connection.isWritable {
      let items = outbox.withLock { $0.take() }
      if items.isEmpty { break }
      write(items, established.context)
      hasWritten = true
    }
    if hasWritten {
      activeAt.store(currentSeconds(), ordering: .relaxed)
      connection.flush()
    }
    resumeReadingIfIdle()
  }

  private func write(_ items: [Outbox.Item], _ context: SessionContext) {
    var random = SystemRandom()
    var batch = BlockBatch(context)
    relay.statistics.countEvents(items)
    for item in items {
      guard let response = item.response(from: relay.store) else { continue }
      do throws(WireError) {
        try batch.add { (writer) throws(WireError) in try response.write(in: context, to: &writer, using: &random) }
      } catch {
        try? batch.add { (writer) throws(WireError) in
          try context.write(
            .err(.LARGE_MSG), entity: response.entity, correlation: response.correlation, to: &writer)
        }
      }
    }
    do {
      for block in try batch.takeBlocks(sealing: &sealing) { try connection.write(block.span.bytes) }
    } catch {
      connection.close()
    }
  }

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
