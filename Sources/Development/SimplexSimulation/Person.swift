import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol

/// A person with a device, and the application in between: uses the agent as applications should, and notes what
/// happens. What it notes survives crashes, as a database of the application would.
public final class Person {
  /// The device's agent.
  public let agent: SimulatedAgent
  /// What they call themselves.
  public let name: String
  /// All connections they know of.
  public private(set) var conversations: [ConnectionID: Conversation] = [:]
  /// Whether they acknowledge with receipts.
  public var sendsReceipts = true
  /// Errors of connections that the agent reported.
  public private(set) var errors: [AgentError] = []

  unowned let world: World
  /// Who they are for their agent.
  public private(set) var user = UserID(rawValue: 0)
  /// What is to be done with events of a connection, or of an operation, that is being established.
  var onHandshake: [ConnectionID: (AgentEvent) -> Bool] = [:]
  var onTag: [CorrelationTag: (AgentEvent) -> Bool] = [:]

  /// A person who stores messages at these relays.
  public init(_ name: String, relays: [SimulatedRelay], _ configuration: AgentConfiguration = .init(), world: World)
    throws
  {
    self.name = name
    self.world = world
    var configuration = configuration
    if world.random.happens(percent: world.weather.proxyPercent) { configuration.proxyMode = .always }
    agent = try SimulatedAgent(name, configuration, world: world)
    agent.mayCrash = false
    agent.start()
    let servers = relays.map { AgentUserServer(ServerWithAuth(server: $0.address, basicAuth: nil)) }
    let outcome = agent.run { (engine) throws(AgentError) in try engine.createUser(servers: servers, now: world.now) }
    guard case .done(let user) = outcome else { throw SimulationError.setup("\(outcome)") }
    self.user = user
    agent.mayCrash = true
    agent.onEvent = { [unowned self] in handle($0) }
    agent.onStart = { [unowned self] in subscribe() }
    world.people.append(self)
    subscribe()
  }

  func add(_ conversation: Conversation) { conversations[conversation.connection] = conversation }

  private func subscribe() {
    // What cannot be subscribed now, because a crash comes in between, is subscribed after the next start.
    _ = agent.run { (engine) throws(AgentError) in try engine.subscribeAll(now: world.now) }
  }

  // MARK: Messages

  /// Sends a message in a conversation.
  public func send(in conversation: Conversation) {
    guard agent.isRunning, !conversation.isDeleted else { return }
    guard repeatUnknown(in: conversation) else { return }
    note(attempt(conversation.attempts.count, in: conversation), in: conversation)
  }

  private func attempt(_ index: Int, in conversation: Conversation) -> SimulatedAgent.Outcome<AcceptedMessage> {
    agent.run { (engine) throws(AgentError) in
      try engine.send(
        conversation.connection, key: Int64(index), body: Array("\(conversation.name) \(index)".utf8), now: world.now)
    }
  }

  /// Repeats what the agent may or may not have taken when its process died. False if that is still not known.
  private func repeatUnknown(in conversation: Conversation) -> Bool {
    for (index, known) in conversation.attempts.enumerated() where known == .unknown {
      guard agent.isRunning, case .done(let message) = attempt(index, in: conversation) else { return false }
      conversation.attempts[index] = .accepted(message.id)
    }
    return true
  }

  /// Sends several messages in one transaction.
  public func send(_ count: Int, in conversation: Conversation) {
    guard agent.isRunning, !conversation.isDeleted else { return }
    guard repeatUnknown(in: conversation) else { return }
    let start = conversation.attempts.count
    let bodies = (0..<count).map { Array("\(conversation.name) \(start + $0)".utf8) }
    let messages = (0..<count).map {
      OutgoingMessage(to: conversation.connection, key: Int64(start + $0), bodyIndex: $0)
    }
    let outcome = agent.run { (engine) throws(AgentError) in
      try engine.send(messages, bodies: bodies, now: world.now)
    }
    switch outcome {
    case .done(let results):
      for result in results {
        switch result {
        case .success(let message): note(.done(message), in: conversation)
        case .failure(let error): note(.failed(error), in: conversation)
        }
      }
    case .failed(let error): note(.failed(error), in: conversation)
    case .crashed: for _ in 0..<count { note(.crashed, in: conversation) }
    }
  }

  private func note(_ outcome: SimulatedAgent.Outcome<AcceptedMessage>, in conversation: Conversation) {
    switch outcome {
    case .done(let message):
      world.log("\(name) sends \(conversation.name) \(conversation.attempts.count) as \(message.id.rawValue)")
      // Also after a power failure: a number that was reported is never used again.
      if conversation.attempts.contains(.accepted(message.id))
        || conversation.received.contains(where: { $0.id == message.id })
      {
        world.violate("\(name) in \(conversation.name): the number \(message.id.rawValue) is used for two messages")
      }
      conversation.attempts.append(.accepted(message.id))
    case .crashed: conversation.attempts.append(.unknown)
    // Refused while the ratchet is being agreed; the number is used for the next attempt.
    case .failed(let error): world.log("\(name) cannot send: \(error)")
    }
  }

  // MARK: Events

  private func handle(_ event: AgentEvent) {
    world.log("\(name) hears \(event.brief)")
    var isHandled = true
    if let tag = event.tag, let handler = onTag[tag] {
      isHandled = handler(event)
    } else if let connection = event.connection, let handler = onHandshake[connection], event.isHandshake {
      isHandled = handler(event)
    } else if let connection = event.connection, let conversation = conversations[connection] {
      handle(event, in: conversation)
    }
    guard isHandled, let id = event.id, agent.isRunning else { return }
    _ = agent.run(waits: false) { (engine) throws(AgentError) in try engine.confirmEvents(through: id, now: world.now) }
  }

  private func handle(_ event: AgentEvent, in conversation: Conversation) {
    switch event.kind {
    case .connected: conversation.isConnected = true
    case .message(let metadata, _, let body): received(metadata, body: body, in: conversation)
    case .received(let metadata, let receipts):
      for receipt in receipts {
        if !receipt.isIntact { world.violate("\(name): receipt \(receipt.message) says that the content differs") }
        conversation.receipts.insert(receipt.message.id)
      }
      // Whether it was acknowledged before is not noted.
      acknowledge(metadata.id, in: conversation, receipt: nil, isKnown: true)
    case .messageFailed(let message, let error): failed([message.id], with: error, in: conversation)
    case .messagesFailed(let messages, let error): failed(messages.map(\.id), with: error, in: conversation)
    case .failed(let error): errors.append(error)
    default: break
    }
  }

  private func failed(_ messages: [AgentMessageID], with error: AgentError, in conversation: Conversation) {
    conversation.failed.formUnion(messages)
    if !conversation.isDeleted, conversation.peer?.isDeleted != true {
      world.violate("\(name): messages \(messages) were given up: \(error)")
    }
  }

  private func received(_ metadata: MessageMetadata, body: [UInt8], in conversation: Conversation) {
    let words = String(decoding: body, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let attempt = Int(words[1]), let peer = conversation.peer, words[0] == peer.name else {
      return world.violate("\(name): a message of another conversation: \(words)")
    }
    let isKnown = conversation.received.contains { $0.id == metadata.id }
    if let problem = conversation.receive(metadata.id, attempt: attempt) {
      return world.violate("\(name) in \(conversation.name): \(problem)")
    }
    let mayMiss = conversation.hasGaps || conversation.mayReorder || conversation.mayExpire
    if metadata.integrity != .ok, peer.failed.isEmpty, !mayMiss {
      world.violate("\(name) in \(conversation.name): message \(attempt) has integrity \(metadata.integrity)")
    }
    acknowledge(metadata.id, in: conversation, receipt: sendsReceipts ? [] : nil, isKnown: isKnown)
  }

  private func acknowledge(_ message: AgentMessageID, in conversation: Conversation, receipt: [UInt8]?, isKnown: Bool) {
    let outcome = agent.run(waits: false) { (engine) throws(AgentError) in
      try engine.ack(conversation.connection, message, receipt: receipt, now: world.now)
    }
    // An event that came twice may be acknowledged already.
    if case .failed(let error) = outcome, !conversation.isDeleted, !isKnown {
      world.violate("\(name): message \(message.rawValue) cannot be acknowledged: \(error)")
    }
  }
}

/// Why a simulation cannot begin.
enum SimulationError: Error {
  case setup(String)
}

extension AgentEvent {
  /// Whether it belongs to establishing a connection.
  fileprivate var isHandshake: Bool {
    switch kind {
    case .created, .confirmation, .request, .joined, .linkSet: true
    case .failed: tag != nil
    default: false
    }
  }

  /// For the trace.
  fileprivate var brief: String {
    let text = "\(kind)"
    return "\(connection.map { "\($0)".prefix(6) } ?? "-") \(text.prefix(120))"
  }
}
