import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentEngine {
  /// Creates an invitation or an address. The call gives `created`, the event `created`.
  /// - Parameters:
  ///   - linkData: what the short link shows; nil for no short link. Its versions are filled in.
  ///   - clientData: text of the application in the full link.
  public func createConnection(
    _ user: UserID, mode: ConnectionMode, linkData: UserLinkData? = nil, clientData: String? = nil,
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { turn in
      try self.require(user)
      if mode == .contact, options.pqKeysInLink { throw AgentError.prohibited("an address has no keys") }
      if let linkData {
        let isContact = if case .contact = linkData.kind { true } else { false }
        guard isContact == (mode == .contact) else { throw AgentError.prohibited("link data of another kind") }
      }
      _ = try self.storageServer(QueueDemand(user: user, isAddress: mode == .contact), now: now)
      let connection = try self.newConnection(
        user, mode: mode, version: self.configuration.agentVersions.highest, pq: options.pq || options.pqKeysInLink,
        notifications: options.notifications)
      let plan = QueuePlan.connection(
        linkData: linkData, clientData: clientData, pqKeysInLink: options.pqKeysInLink, subscribe: options.subscribe)
      let (call, tag) = self.caller(waiting)
      try self.add(
        .createQueue, in: .connection(connection.number), of: connection.number,
        payload: try QueuePlan.codec.encode(plan), tag: tag, call: call, turn)
      return (connection: connection.id, call: call)
    }
    return Accepted(value, effects)
  }

  func newConnection(
    _ user: UserID, mode: ConnectionMode, version: UInt16, pq: Bool, notifications: Bool
  ) throws -> StoredConnection {
    var random = random
    var connection = StoredConnection(
      id: ConnectionID(using: &random), user: user, mode: mode, agentVersion: version, pqSupport: pq,
      notifications: notifications)
    connection.number = try store.insert(connection)
    return connection
  }

  /// The call or the tag of an operation.
  func caller(_ waiting: Waiting) -> (CallID?, CorrelationTag?) {
    switch waiting {
    case .call: (makeCallID(), nil)
    case .event(let tag): (nil, tag)
    }
  }

  // MARK: Creating the queue

  func prepareCreation(_ task: AgentTask, now: Int64) throws -> PreparedTask {
    let plan = try QueuePlan.codec.decode(task.payload)
    let connection = try storedConnection(of: task)
    var demand = QueueDemand(user: connection.user, refused: refusals[task.id]?.relays ?? [])
    var material: QueueMaterial
    var mode = QueueMode.messaging
    switch plan {
    case .connection(let linkData, let clientData, let pqKeysInLink, _):
      if connection.mode == .contact { mode = .contact }
      demand.isAddress = mode == .contact
      material = QueueMaterial(try storageServer(demand, now: now), plan: plan, random: random)
      let hasKEM = pqKeysInLink || linkData != nil && connection.pqSupport
      if mode == .messaging { material.ratchetKeys = invitationKeys(kem: hasKEM) }
      if let linkData {
        let senderID = EntityID.sender(for: material.correlation)
        let address = QueueAddress(
          server: material.server.server, senderID: senderID, dhKey: material.privateKey.publicKey, mode: mode)
        material.link = try LinkMaterial(
          request(to: address, clientData: clientData, keys: material.ratchetKeys), data: linkData,
          senderID: senderID, versions: configuration.agentVersions, random: random)
      }
    case .request(let target, _, _):
      demand.avoiding = target.queues.map(\.address.server)
      material = QueueMaterial(try storageServer(demand, now: now), plan: plan, random: random)
      material.ratchetKeys = invitationKeys(kem: connection.pqSupport)
    case .reply, .replacement:
      demand.avoiding =
        try store.sendQueues(of: connection.number).map(\.server)
        + store.receiveQueues(of: connection.number).map(\.server)
      material = QueueMaterial(try storageServer(demand, now: now), plan: plan, random: random)
    }
    return PreparedTask(
      work: .creation(task, material), session: session(material.server.server, connection),
      request: RequestPipeline.Request(
        .new(material.request(mode: mode)), key: .ed25519(material.key), correlation: material.correlation))
  }

  private func invitationKeys(kem: Bool) -> E2EPrivateKeys {
    E2EPrivateKeys(version: configuration.e2eVersions.highest, kem: kem ? .propose : nil, keys: &keys)
  }

  /// An invitation or an address that leads to a queue.
  func request(to address: QueueAddress, clientData: String?, keys: E2EPrivateKeys?) -> ConnectionRequest {
    let queue = QueueURI(clientVersions: configuration.clientVersions, address: address)
    let kind: ConnectionRequest.Kind =
      if let keys {
        .invitation(
          E2EOffer(
            keys.parameters(version: configuration.e2eVersions.highest), versions: configuration.e2eVersions))
      } else {
        .contact
      }
    return ConnectionRequest(
      agentVersions: configuration.agentVersions, queues: [queue], clientData: clientData, kind: kind)
  }

  /// The relay answered.
  func finishCreation(
    _ task: AgentTask, _ material: QueueMaterial, _ flight: Flight,
    _ result: Result<BrokerMessage, SMPClientError>, _ turn: Turn
  ) throws {
    let server = material.server.server
    switch result {
    case .success(.ids(let ids)) where task.kind == .createQueue:
      if let link = material.link, ids.linkID != nil, ids.senderID != link.senderID {
        return try giveUp(task, .server(server, .unexpectedResponse("IDS with another queue")), turn)
      }
      // The connection was deleted meanwhile, or replacing its queue was stopped.
      guard let connection = try store.connection(number: task.connection), connection.deletion == .no,
        try store.tasks(of: connection.number).contains(where: { $0.id == task.id })
      else {
        try remove(task, turn)
        return deleteOrphan(try material.queue(ids, connection: 0, clientVersion: 1), flight.session, turn)
      }
      count(.connectionsCreated, flight.session, turn)
      try created(task, material, ids, connection, turn)
    case .success(.nid(let ids)) where task.kind == .setNotifier: try notifierSet(task, material, ids, turn)
    case .success(let message):
      try giveUp(task, .server(server, .unexpectedResponse(message.form.keyword)), turn)
    case .failure(let error): try creationFailed(task, server, error, turn)
    }
  }

  private func creationFailed(
    _ task: AgentTask, _ server: SMPServer, _ error: SMPClientError, _ turn: Turn
  ) throws {
    try note(error, of: .none, at: server, turn)
    var problem = AgentError.server(server, error)
    if task.kind == .createQueue, let connection = try store.connection(number: task.connection) {
      var refusals = refusals[task.id] ?? CreationRefusals()
      refusals.add(server, problem)
      if try creates(task, elsewhereThan: refusals, connection, turn) { return }
      problem = refusals.passing ?? problem
    }
    if case .relay(.BLOCKED(let info)) = error {
      let expiry = info.notice?.ttl.map { Self.time($0, after: turn.now) }
      return try giveUp(task, .notice(server, expiresAt: expiry), turn)
    }
    try failed(task, problem, turn)
  }

  /// Deletes a queue that nobody wants any more when it was created. If that fails, nobody knows of it.
  private func deleteOrphan(_ queue: ReceiveQueue, _ session: SessionKey, _ turn: Turn) {
    let id = makeRequestID()
    turn.change { self.flights[id] = Flight(work: .nothing, session: session, startedAt: turn.now) }
    turn.effect(
      .perform(
        id, session, RequestPipeline.Request(.del, entity: queue.recipientID, key: queue.key), .direct))
  }

  private func created(
    _ task: AgentTask, _ material: QueueMaterial, _ ids: QueueIDs, _ connection: StoredConnection, _ turn: Turn
  ) throws {
    var queue = try material.queue(
      ids, connection: connection.number, clientVersion: configuration.clientVersions.highest)
    if let link = material.link, let linkID = ids.linkID {
      queue.link = link.credentials
      queue.link?.linkID = linkID
    }
    if case .replacement(let replaced) = material.plan { queue.replaces = replaced }
    if let keys = material.ratchetKeys {
      try store.setRatchetKeys(
        keys, parameters: keys.parameters(version: configuration.e2eVersions.highest), of: connection.number)
    }
    if case .reply = material.plan, let target = try store.sendQueues(of: connection.number).first {
      queue.clientVersion = min(queue.clientVersion, target.clientVersion)
    }
    queue.number = try store.insert(queue)
    if material.plan.subscribes { addSubscription(queue, connection, turn) }
    let address = QueueAddress(
      server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: queue.mode)
    switch material.plan {
    case .connection(_, let clientData, let pqKeysInLink, _):
      var full =
        queue.link == nil
        ? request(to: address, clientData: clientData, keys: material.ratchetKeys) : material.link?.request
      if !pqKeysInLink, case .invitation(var offer)? = full?.kind {
        // What is behind the short link has the long keys; the full link stays short.
        offer.kem = nil
        full?.kind = .invitation(offer)
      }
      guard let full else { throw AgentError.internalError("no link") }
      let link = CreatedLink(full: full, short: queue.link?.link(queue.server, connection.mode))
      try finish(task, .created(connection.id, link), event: .created(link), turn)
    case .reply(let info, _): try createdReplyQueue(task, info, address, queue, connection, turn)
    case .request(let target, let info, _):
      let invitation = request(to: address, clientData: nil, keys: material.ratchetKeys)
      try sendRequest(invitation, info: info, to: target, for: task, connection, turn)
    case .replacement: try createdReplacement(task, queue, address, connection, turn)
    }
  }
}
