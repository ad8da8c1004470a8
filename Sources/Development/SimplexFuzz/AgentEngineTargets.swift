import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The whole engine: whatever relays, peers and strangers send, in any order. Laws: nothing traps and no input is
/// refused; what is not accepted changes nothing but that it was received; and as long as the peer itself sent nothing
/// wrong, its next message arrives.
let agentEngineTargets: [FuzzTarget] = [
  FuzzTarget("agent-engine", seeds: EngineStep.seeds) { input in
    guard let sample = engineSample.value else { preconditionFailure("agent-engine: no sample") }
    sample.run { engine in
      var run = EngineRun(sample, engine)
      run.start()
      for step in EngineStep.steps(of: input) { run.take(step) }
      run.finish()
    }
  }
]

/// Fuzz targets run on one thread.
private struct SampleBox: @unchecked Sendable { let value: EngineSample? }
private let engineSample = SampleBox(value: try? EngineSample())

/// One thing that happens; an input is a sequence of them.
private struct EngineStep {
  enum Kind: UInt8, CaseIterable {
    /// A box of a relay, which cannot be opened.
    case relayBox
    /// What a relay delivers as a message.
    case relayBody
    /// An envelope in the boxes of a queue.
    case envelope
    /// A message of the peer, encrypted by its ratchet.
    case peerMessage
    /// The confirmation of somebody who follows the invitation.
    case confirmation
    /// What a stranger puts into the queue of an address or an invitation, with a key of their own.
    case strangerMessage
    /// The answer of a relay to a command.
    case answer
    /// What a relay says on its own.
    case relayMessage
    /// Something about a session.
    case session
    /// Time passes.
    case time
    /// The application does something.
    case application
    /// The data of a link that was asked for.
    case linkData
  }

  var kind: Kind
  var choice: UInt8
  var content: [UInt8]

  /// Kind, choice, a length of two bytes and the content; 24 steps at most.
  static func steps(of input: [UInt8]) -> [EngineStep] {
    var rest = input[...]
    var steps: [EngineStep] = []
    while rest.count >= 4, steps.count < 24 {
      let head = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let count = min(rest.count, Int(head[2]) << 8 | Int(head[3]))
      let kind = Kind.allCases[Int(head[0]) % Kind.allCases.count]
      steps.append(EngineStep(kind: kind, choice: head[1], content: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return steps
  }

  private static func step(_ kind: Kind, choice: UInt8 = 0, content: [UInt8] = []) -> [UInt8] {
    [kind.rawValue, choice, UInt8(content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
  }

  private static func peer(_ message: ConnectionMessage) -> [UInt8] {
    step(.peerMessage, choice: 0, content: (try? ConnectionMessage.codec.encode(message)) ?? [])
  }

  static let seeds: [[UInt8]] = {
    guard let sample = engineSample.value else { return [] }
    let reference = QueueReference(server: sample.queue.server, senderID: sample.queue.senderID)
    let offered = QueueURI(
      clientVersions: SMPClientVersion.supported,
      address: QueueAddress(
        server: sample.queue.server, senderID: EntityID([9]), dhKey: sample.queue.privateKey.publicKey,
        mode: .messaging))
    var keys = FreshKeys(InsecureSeededRandom(seed: 8))
    let own = E2EPrivateKeys(version: 3, kem: nil, keys: &keys)
    let ratchetKey = AgentEnvelope(
      version: 7, content: .ratchetKey(own.parameters(version: 3), info: [0x52, 0, 0, 0, 0, 0, 0, 0, 1]))
    let request = ConnectionRequest(
      agentVersions: AgentVersion.supported, queues: [offered], clientData: nil, kind: .contact)
    let reply = AgentMessage.connectionInfoReply(
      queues: [QueueInfoAddress(clientVersion: 4, address: offered.address)], info: [1])
    let invitation = AgentEnvelope(version: 7, content: .invitation(request, info: [1]))
    return [
      peer(.message([1, 2, 3])) + step(.application, choice: 0) + step(.answer, choice: 0, content: Array("OK".utf8)),
      peer(.addQueues([QueueAddition(queue: offered, replaces: nil)])) + peer(.testQueues([reference])),
      peer(.continueQueue(reference)) + peer(.received([MessageReceipt(messageID: 1, messageHash: [], info: [])])),
      step(.envelope, choice: 0, content: (try? AgentEnvelope.codec.encode(ratchetKey)) ?? [])
        + step(.answer, choice: 0, content: Array("OK".utf8)),
      step(.confirmation, choice: 0, content: (try? AgentMessage.codec.encode(reply)) ?? [])
        + step(.application, choice: 1),
      step(.strangerMessage, choice: 1, content: (try? AgentEnvelope.codec.encode(invitation)) ?? [])
        + step(.application, choice: 2),
      step(.application, choice: 3) + step(.answer, choice: 0, content: Array("IDS ".utf8)) + step(.session, choice: 1)
        + step(.time, choice: 30),
      step(.relayMessage, choice: 0, content: Array("DELD".utf8)) + step(.relayBody, choice: 0, content: [0, 4, 0x30])
        + step(.application, choice: 4)
        + step(.linkData, choice: 0, content: [1, 2, 3]),
    ]
  }()
}

/// An engine while it is fed.
private struct EngineRun {
  private let sample: EngineSample
  private let engine: AgentMachine
  private var now = EngineSample.now
  private var requests: [(id: RequestID, session: SessionKey, request: RequestPipeline.Request)] = []
  private var events: [AgentEvent] = []
  private var peer: StoredRatchet
  private var messageNumber: UInt8 = 0
  private var random = InsecureSeededRandom(seed: 4)
  /// Whether only strangers and relays have done something.
  private var peerIsHonest = true
  private var link: ShortLink?

  init(_ sample: EngineSample, _ engine: AgentMachine) {
    self.sample = sample
    self.engine = engine
    peer = sample.peerRatchet
  }

  mutating func start() {
    perform(try? engine.start(now: now))
    perform(try? engine.subscribeAll(now: now))
    session(.connected)
    events = []
  }

  /// The peer's next message arrives, if nothing came in between that it would have to know.
  mutating func finish() {
    guard peerIsHonest else { return }
    events = []
    send(.message(Array("goes on".utf8)))
    let arrived = events.contains { event in
      if case .message(let metadata, _, let body) = event.kind {
        metadata.integrity == .ok && body == Array("goes on".utf8)
      } else {
        false
      }
    }
    precondition(arrived, "agent-engine: the peer's next message did not arrive")
  }

  mutating func take(_ step: EngineStep) {
    switch step.kind {
    case .relayBox:
      guarded { run in
        run.deliver(SealedMessage(id: run.nextID(), box: step.content), to: run.queue(step.choice))
      }
    case .relayBody: guarded { run in run.deliver(step.content, to: run.queue(step.choice)) }
    case .envelope:
      // Keys for a new ratchet change what the peer would have to send next.
      if case .ratchetKey? = (try? AgentEnvelope.codec.decode(step.content))?.content { peerIsHonest = false }
      guarded { run in run.deliver(envelope: step.content) }
    case .peerMessage:
      peerIsHonest = false
      if let message = try? ConnectionMessage.codec.decode(step.content) { send(message) } else { send(step.content) }
    case .confirmation: confirm(step.content)
    case .strangerMessage:
      deliver(stranger: step.content, to: step.choice % 2 == 0 ? sample.invitation.queue : sample.address)
    case .answer: answer(step)
    case .relayMessage:
      if let message = try? BrokerMessage.codec.decode(step.content, version: 18) {
        if case .msg = message { peerIsHonest = false }
        session(.message(queue(step.choice).recipientID, message))
      }
    case .session: session(step)
    case .time:
      now += Int64(step.choice) * 60_000
      input(.wake)
    case .application: act(step.choice)
    case .linkData: answerLink(step)
    }
  }

  // MARK: Inputs

  private mutating func input(_ input: AgentInput) {
    do throws(AgentError) {
      perform(try engine.handle(input, now: now))
    } catch {
      preconditionFailure("agent-engine: an input was refused: \(error)")
    }
  }

  private mutating func perform(_ effects: [AgentEffect]?) {
    for effect in effects ?? [] {
      switch effect {
      case .perform(let id, let session, let request, _): requests.append((id, session, request))
      case .event(let event): events.append(event)
      default: break
      }
    }
  }

  private mutating func session(_ event: SessionEvent) {
    input(.session(SessionKey(server: sample.queue.server, user: sample.user), event))
  }

  /// What leads to nothing but an error, or to nothing at all, changes nothing.
  private mutating func guarded(_ body: (inout EngineRun) -> Void) {
    let before = sample.state()
    let count = events.count
    body(&self)
    let isRefused = events.dropFirst(count).allSatisfy { if case .failed = $0.kind { true } else { false } }
    if isRefused { precondition(sample.state() == before, "agent-engine: what was refused changed something") }
  }

  // MARK: Messages

  private func queue(_ choice: UInt8) -> ReceiveQueue {
    switch choice % 4 {
    case 0, 1: sample.queue
    case 2: sample.invitation.queue
    default: sample.address
    }
  }

  private mutating func nextID() -> MessageID {
    messageNumber &+= 1
    return MessageID([UInt8](repeating: messageNumber, count: 24))
  }

  private mutating func deliver(_ message: SealedMessage, to queue: ReceiveQueue) {
    session(.message(queue.recipientID, .msg(message)))
  }

  private mutating func deliver(_ body: [UInt8], to queue: ReceiveQueue) {
    guard let time = UTCTime(seconds: now / 1_000) else { return }
    let content = DeliveredMessage.message(time: time, flags: MessageFlags(), body: body)
    guard let message = try? content.seal(id: nextID(), key: queue.deliveryKey) else { return }
    deliver(message, to: queue)
  }

  private mutating func deliver(envelope: [UInt8]) {
    guard let key = sample.queue.sharedKey else { return }
    let nonce = BoxNonce(using: &random)
    let message = ClientMessage(senderKey: nil, body: envelope)
    guard let box = try? message.seal(key: key, nonce: nonce, paddedTo: ClientMessage.messagePaddedSize),
      let body = try? SentMessage.codec.encode(SentMessage(version: 4, key: nil, nonce: nonce, box: box))
    else { return }
    deliver(body, to: sample.queue)
  }

  private mutating func deliver(stranger envelope: [UInt8], to queue: ReceiveQueue) {
    let own = X25519.PrivateKey(using: &random)
    let nonce = BoxNonce(using: &random)
    let message = ClientMessage(senderKey: nil, body: envelope)
    guard let key = try? own.boxKey(with: queue.privateKey.publicKey),
      let box = try? message.seal(key: key, nonce: nonce, paddedTo: ClientMessage.confirmationPaddedSize),
      let body = try? SentMessage.codec.encode(
        SentMessage(version: 4, key: own.publicKey, nonce: nonce, box: box))
    else { return }
    deliver(body, to: queue)
  }

  private mutating func confirm(_ content: [UInt8]) {
    var ratchet = sample.joiner.ratchet
    let size = PaddedSize.connectionInfo(version: 7, isPostQuantum: false)
    guard let encrypted = try? ratchet.encrypt(content.span.bytes, paddedTo: size),
      let envelope = try? AgentEnvelope.codec.encode(
        AgentEnvelope(
          version: 7, content: .confirmation(keys: sample.joiner.parameters, encryptedInfo: encrypted)))
    else { return }
    deliver(stranger: envelope, to: sample.invitation.queue)
  }

  /// A message of the peer, with the right number and hash.
  private mutating func send(_ message: ConnectionMessage) {
    let header = AgentProtocol.MessageHeader(messageID: peer.lastSent + 1, previousHash: peer.lastSentHash)
    guard let bytes = try? AgentMessage.codec.encode(.message(header, message)) else { return }
    peer.lastSent += 1
    peer.lastSentHash = HashFunction.sha256.digest(of: bytes)
    send(bytes)
  }

  /// Anything, encrypted by the peer.
  private mutating func send(_ bytes: [UInt8]) {
    let size = PaddedSize.message(version: 7, isPostQuantum: false)
    guard let encrypted = try? peer.ratchet.encrypt(bytes.span.bytes, paddedTo: size),
      let envelope = try? AgentEnvelope.codec.encode(
        AgentEnvelope(version: 7, content: .message(encrypted: encrypted)))
    else { return }
    deliver(envelope: envelope)
  }

  // MARK: Relays

  private mutating func answer(_ step: EngineStep) {
    guard !requests.isEmpty else { return }
    let request = requests.remove(at: Int(step.choice) % requests.count)
    let result: Result<BrokerMessage, SMPClientError> =
      switch try? BrokerMessage.codec.decode(step.content, version: 18) {
      case .err(let error)?: .failure(.relay(error))
      case let message?: .success(message)
      case nil: .failure(step.content.count % 2 == 0 ? .timeout : .network(.connectError(connectError: "down")))
      }
    input(.completed(request.id, result))
  }

  private mutating func session(_ step: EngineStep) {
    let id = queue(step.choice / 8).recipientID
    switch step.choice % 8 {
    case 0: session(.connected)
    case 1: session(.disconnected(.closed))
    case 2: session(.subscribed([id]))
    case 3: session(.subscriptionFailed(id, .relay(.AUTH)))
    case 4: session(.message(id, .end))
    case 5: session(.message(id, .deld))
    case 6: session(.subscriptionFailed(EntityID(step.content), .timeout))
    default: session(.subscribed([EntityID(step.content), id, id]))
    }
  }

  /// The content is put into the data of a link as its owner would, or given as it is.
  private mutating func answerLink(_ step: EngineStep) {
    let key = step.content.isEmpty ? [1] : step.content
    let link = ShortLink(scheme: .server, kind: .contact(.contact), server: sample.queue.server, linkKey: key)
    let count = requests.count
    if let accepted = try? engine.getLinkData(sample.user, link, waiting: .event(nil), now: now) {
      perform(accepted.effects)
    }
    guard requests.count > count, let request = requests.popLast() else { return }
    let half = step.content.count / 2
    let data = QueueLinkData(fixedData: Array(step.content[..<half]), userData: Array(step.content[half...]))
    input(.completed(request.id, .success(.lnk(LinkResponse(senderID: EntityID([1]), data: data)))))
  }

  // MARK: The application

  private mutating func act(_ choice: UInt8) {
    let id = sample.connection.id
    // From here on the peer may have to answer before it can send.
    if choice % 8 > 2 { peerIsHonest = false }
    switch choice % 8 {
    case 0:
      for event in events {
        guard let connection = event.connection, case .message(let metadata, _, _) = event.kind else { continue }
        perform(try? engine.ack(connection, metadata.id, receipt: [], now: now))
      }
    case 1:
      for event in events {
        guard let connection = event.connection, case .confirmation(let confirmation, _, _, _) = event.kind else {
          continue
        }
        perform(try? engine.allow(connection, confirmation, info: [1], now: now))
      }
    case 2:
      for event in events {
        guard case .request(let invitation, _, _, _) = event.kind else { continue }
        perform(
          (try? engine.acceptContact(sample.user, invitation, info: [], waiting: .event(nil), now: now))?.effects)
      }
    case 3: perform((try? engine.switchQueue(id, waiting: .event(nil), now: now))?.effects)
    case 4: perform((try? engine.synchronizeRatchet(id, pq: true, force: true, now: now))?.effects)
    case 5: perform((try? engine.send(id, body: [1, 2, 3], now: now))?.effects)
    case 6: perform((try? engine.abortSwitch(id, now: now))?.effects)
    default: perform(try? engine.delete([id], waitForDelivery: choice > 128, now: now))
    }
    _ = try? engine.diagnose(id, now: now)
  }
}
