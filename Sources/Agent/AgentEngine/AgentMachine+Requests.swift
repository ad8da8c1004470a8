import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A task as a command.
struct PreparedTask {
  var work: Flight.Work
  var session: SessionKey
  var request: RequestPipeline.Request
  var route = SendRoute.direct
}

extension AgentMachine {
  /// The command of a task; the same one for each attempt, except for new queues.
  func prepare(_ task: AgentTask, now: Int64) throws -> PreparedTask {
    switch task.kind {
    case .createQueue: return try prepareCreation(task, now: now)
    case .sendMessage, .sendEnvelope, .secureSendQueue: return try prepareSending(task)
    case .sendRequest:
      let payload = try RequestPayload.codec.decode(task.payload)
      let connection = try storedConnection(of: task)
      return PreparedTask(
        work: .task(task), session: session(payload.server, connection),
        request: RequestPipeline.Request(
          .send(SendRequest(flags: MessageFlags(notification: true), body: payload.body)), entity: payload.senderID),
        route: try route(to: payload.server, user: connection.user))
    case .secureReceiveQueue:
      let payload = try SecurePayload.codec.decode(task.payload)
      return try prepareReceiving(task, queue: payload.queue, .key(payload.senderKey))
    case .setLink:
      let payload = try LinkPayload.codec.decode(task.payload)
      guard let queue = try store.receiveQueue(number: task.lane.number), let link = queue.link else {
        throw AgentError.connection(.notFound)
      }
      return try prepareReceiving(
        task, queue: queue.number, .lset(LinkUpdate(linkID: link.linkID, data: payload.update)))
    case .deleteLink: return try prepareReceiving(task, queue: task.lane.number, .ldel)
    case .suspendQueue: return try prepareReceiving(task, queue: task.lane.number, .off)
    case .deleteQueue: return try prepareReceiving(task, queue: task.lane.number, .del)
    case .queueInfo, .drainQueue: return try prepareReceiving(task, queue: task.lane.number, .que)
    case .getLink: return try prepareGettingLink(task)
    case .testServer: return try prepareServerTest(task)
    }
  }

  func storedConnection(of task: AgentTask) throws -> StoredConnection {
    guard let connection = try store.connection(number: task.connection) else {
      throw AgentError.connection(.notFound)
    }
    return connection
  }

  /// A command of a queue's recipient.
  private func prepareReceiving(_ task: AgentTask, queue number: Int64, _ command: Command) throws -> PreparedTask {
    guard let queue = try store.receiveQueue(number: number) else { throw AgentError.connection(.notFound) }
    return PreparedTask(
      work: .task(task), session: session(queue.server, try storedConnection(of: task)),
      request: RequestPipeline.Request(command, entity: queue.recipientID, key: queue.key))
  }

  // MARK: Sending

  private func prepareSending(_ task: AgentTask) throws -> PreparedTask {
    guard let queue = try store.sendQueue(number: task.lane.number) else { throw AgentError.connection(.notFound) }
    let connection = try storedConnection(of: task)
    var prepared = PreparedTask(
      work: .task(task), session: session(queue.server, connection),
      request: RequestPipeline.Request(.skey(queue.key.publicKey), entity: queue.senderID, key: queue.key),
      route: try route(to: queue.server, user: connection.user))
    switch task.kind {
    case .sendEnvelope:
      let payload = try EnvelopePayload.codec.decode(task.payload)
      let isConfirmation = payload.purpose == .confirmation || payload.purpose == .confirmationReply
      let body =
        try isConfirmation
        ? confirmation(payload, to: queue) : boxed(payload.envelope, nonce: payload.nonce, for: queue)
      prepared.request.command = .send(SendRequest(flags: MessageFlags(notification: true), body: body))
      if isConfirmation, !queue.senderCanSecure { prepared.request.key = nil }
    case .sendMessage:
      let payload = try SealedPayload.codec.decode(task.payload)
      let body = try boxed(try envelope(payload, bodyOf: task), nonce: payload.nonce, for: queue)
      prepared.request.command = .send(
        SendRequest(flags: MessageFlags(notification: payload.notification), body: body))
    default: break
    }
    return prepared
  }

  /// Encrypts a message with the message key that was reserved for it.
  private func envelope(_ payload: SealedPayload, bodyOf task: AgentTask) throws -> [UInt8] {
    var writer = Writer(capacity: Int(payload.paddedCount))
    writer.append(literal: "M")
    try MessageHeader.codec.encode(payload.header, &writer)
    if let number = task.body {
      guard let body = try store.body(number) else { throw AgentError.store(.damaged) }
      writer.append(literal: "M")
      writer.append(body)
    } else {
      writer.append(payload.content)
    }
    let message = (consume writer).finish()
    let sealer = try MessageSealer(decoding: payload.sealer.span.bytes)
    var envelope = Writer(capacity: sealer.encryptedCount(paddedTo: Int(payload.paddedCount)) + 3)
    envelope.append(integer: configuration.agentVersions.highest)
    envelope.append(literal: "M")
    var output = (consume envelope).finish()
    try sealer.seal(message.span.bytes, paddedTo: Int(payload.paddedCount), appendingTo: &output)
    return output
  }

  /// The body of a SEND to a queue whose recipient knows the key of its boxes.
  private func boxed(_ envelope: [UInt8], nonce: BoxNonce, for queue: SendQueue) throws -> [UInt8] {
    let box = try ClientMessage(senderKey: nil, body: envelope)
      .seal(key: queue.sharedKey, nonce: nonce, paddedTo: ClientMessage.messagePaddedSize)
    return try SentMessage.codec.encode(
      SentMessage(version: queue.clientVersion, key: nil, nonce: nonce, box: box), capacity: box.count + 32)
  }

  /// The body of the first SEND to a queue, with the key of its boxes.
  private func confirmation(_ payload: EnvelopePayload, to queue: SendQueue) throws -> [UInt8] {
    let message = ClientMessage(
      senderKey: queue.senderCanSecure ? nil : queue.key.publicKey, body: payload.envelope)
    let box = try message.seal(
      key: queue.sharedKey, nonce: payload.nonce, paddedTo: ClientMessage.confirmationPaddedSize)
    return try SentMessage.codec.encode(
      SentMessage(version: queue.clientVersion, key: queue.publicKey, nonce: payload.nonce, box: box))
  }

  // MARK: Routes

  /// How a sender's command gets to a relay.
  func route(to server: SMPServerAddress, user: UserID) throws -> SendRoute {
    if configuration.proxyMode == .never { return .direct }
    let servers = try store.servers(of: user)
    let isOwn = servers.contains { $0.address.server.hosts.contains { server.hosts.contains($0) } }
    switch configuration.proxyMode {
    case .never: return .direct
    case .always: break
    case .unknown: if isOwn { return .direct }
    case .unprotected: if isOwn || configuration.isAddressHidden { return .direct }
    }
    // If there is no other relay, the destination is its own proxy.
    let proxies = servers.filter(\.forwardsMessages)
    guard let proxy = pick(proxies, avoiding: [server]) else {
      if configuration.proxyFallback { return .direct }
      throw AgentError.noServers
    }
    return .proxied(through: proxy.address.server, allowsDirect: configuration.proxyFallback)
  }

  /// One of the relays at random, if possible none that shares a host with those to avoid.
  func pick(_ servers: [AgentUserServer], avoiding: [SMPServerAddress]) -> AgentUserServer? {
    var generator = EngineGenerator(random: random)
    let others = servers.filter { server in
      !avoiding.contains { avoided in server.address.server.hosts.contains { avoided.hosts.contains($0) } }
    }
    return (others.isEmpty ? servers : others).randomElement(using: &generator)
  }
}
