import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentMachine {
  /// Creates an invitation or an address. The call returns `created`, the event `created`.
  /// - Parameters:
  ///   - id: the identifier of the connection, which makes the operation idempotent: if the connection exists, its link
  ///     is returned, or the caller waits for the creation in progress. Nil draws a new one.
  ///   - linkData: what the short link shows; nil for no short link. Its versions are filled in.
  ///   - clientData: text of the application in the full link.
  public func createConnection(
    _ user: UserID, connection id: ConnectionID? = nil, mode: ConnectionMode, linkData: UserLinkData? = nil,
    clientData: String? = nil,
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { transaction in
      try self.require(user)
      if let id, let known = try self.store.connection(id) {
        return try self.resumeCreating(known, mode: mode, caller: self.caller(waiting), in: transaction)
      }
      if mode == .contact, options.pqKeysInLink { throw AgentError.prohibited("newRcvConnSrv") }
      if let linkData {
        let isContact = if case .contact = linkData.kind { true } else { false }
        guard isContact == (mode == .contact) else {
          throw AgentError.prohibited("newRcvConnSrv: link data of another kind")
        }
      }
      _ = try self.storageServer(QueueDemand(user: user, isAddress: mode == .contact), now: now)
      let connection = try self.newConnection(
        user, id: id, mode: mode, version: self.configuration.agentVersions.highest,
        pq: options.pq || options.pqKeysInLink,
        notifications: options.notifications)
      let plan = QueuePlan.connection(
        linkData: linkData, clientData: clientData, pqKeysInLink: options.pqKeysInLink, subscribe: options.subscribe)
      let caller = self.caller(waiting)
      try self.add(
        .createQueue, to: .connection(connection.number), of: connection.number,
        payload: try QueuePlan.codec.encode(plan), for: caller, in: transaction)
      return (connection: connection.id, call: caller.call)
    }
    return Accepted(value, effects)
  }

  /// Handles a repeated creation: returns the link, or waits until it is created.
  func resumeCreating(
    _ connection: StoredConnection, mode: ConnectionMode, caller: TaskCaller, in transaction: AgentTransaction
  ) throws -> (connection: ConnectionID, call: CallID?) {
    guard connection.deletion == .no else { throw AgentError.connection(.notFound) }
    guard connection.mode == mode else { throw AgentError.connection(.duplicate) }
    if let link = try store.createdLink(of: connection.number) {
      if let call = caller.call {
        transaction.effect(.complete(call, .success(.created(connection.id, link))))
      } else {
        try emitOnce(.created(link), connection: connection.id, tag: caller.tag, in: transaction)
      }
      return (connection.id, caller.call)
    }
    let creation = try store.tasks(of: connection.number).filter { task in
      try task.kind == .createQueue && QueuePlan.codec.decode(task.payload).makesLink
    }
    guard !creation.isEmpty else { throw AgentError.connection(.duplicate) }
    try attach(caller, to: creation, in: transaction)
    return (connection.id, caller.call)
  }

  func newConnection(
    _ user: UserID, id: ConnectionID? = nil, mode: ConnectionMode, version: UInt16, pq: Bool, notifications: Bool
  ) throws -> StoredConnection {
    var random = random
    var connection = StoredConnection(
      id: id ?? ConnectionID(using: &random), user: user, mode: mode, agentVersion: version, pqSupport: pq,
      notifications: notifications)
    connection.number = try store.insert(connection)
    return connection
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
    case .prepared(let link, let linkData, _):
      mode = .contact
      material = QueueMaterial(link, plan: plan, random: random)
      material.link = try LinkMaterial(
        link, data: linkData, versions: configuration.agentVersions, random: random)
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
    if scope == .onDemand { material.subscribes = false }
    if try pushesMessages(of: connection) { material.notifier = NotifierMaterial(random: random) }
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

  /// Handles the answer of the relay to NEW.
  func finishCreation(
    _ task: AgentTask, material: QueueMaterial, flight: Flight,
    result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    let server = material.server.server
    switch result {
    case .success(.ids(let ids)) where task.kind == .createQueue:
      if let link = material.link, ids.linkID != nil, ids.senderID != link.senderID {
        return try giveUp(task, error: .server(server, .unexpectedResponse("IDS with another queue")), in: transaction)
      }
      // The connection was deleted meanwhile, or replacing its queue was stopped.
      guard let connection = try store.connection(number: task.connection), connection.deletion == .no,
        try store.tasks(of: connection.number).contains(where: { $0.id == task.id })
      else {
        try remove(task, in: transaction)
        return deleteOrphan(
          try material.queue(ids, connection: 0, clientVersion: 1), at: flight.session, in: transaction)
      }
      count(.connectionsCreated, at: flight.session, in: transaction)
      try created(task, material: material, ids: ids, connection: connection, in: transaction)
    case .success(let message):
      try giveUp(task, error: .server(server, .unexpectedResponse(message.form.keyword)), in: transaction)
    case .failure(let error): try creationFailed(task, at: server, error: error, in: transaction)
    }
  }

  private func creationFailed(
    _ task: AgentTask, at server: SMPServerAddress, error: SMPClientError, in transaction: AgentTransaction
  ) throws {
    try note(error, of: .none, at: server, in: transaction)
    var problem = AgentError.server(server, error)
    if task.kind == .createQueue, let connection = try store.connection(number: task.connection),
      try !hasPreparedLink(task)
    {
      var refusals = refusals[task.id] ?? CreationRefusals()
      refusals.add(server, problem)
      if try creates(task, elsewhereThan: refusals, connection: connection, in: transaction) { return }
      problem = refusals.passing ?? problem
    }
    if case .relay(.BLOCKED(let info)) = error {
      let expiry = info.notice?.ttl.map { Self.time($0, after: transaction.now) }
      return try giveUp(task, error: .notice(server, expiresAt: expiry), in: transaction)
    }
    try failed(task, with: problem, in: transaction)
  }

  /// Whether a task is for a link that names its relay already, so that no other relay can have the queue.
  private func hasPreparedLink(_ task: AgentTask) throws -> Bool {
    if case .prepared = try QueuePlan.codec.decode(task.payload) { true } else { false }
  }

  /// Deletes a queue that is no longer needed once it is created. Best effort.
  private func deleteOrphan(_ queue: ReceiveQueue, at session: SessionKey, in transaction: AgentTransaction) {
    let id = makeRequestID()
    transaction.change { self.flights[id] = Flight(work: .nothing, session: session, startedAt: transaction.now) }
    transaction.effect(
      .perform(
        id, session, RequestPipeline.Request(.del, entity: queue.recipientID, key: queue.key), .direct))
  }

  private func finish(
    _ task: AgentTask, created link: CreatedLink, _ connection: StoredConnection, in transaction: AgentTransaction
  ) throws {
    try store.setCreatedLink(link, of: connection.number)
    try finish(task, with: .created(connection.id, link), event: .created(link), in: transaction)
  }

  private func created(
    _ task: AgentTask, material: QueueMaterial, ids: QueueIDs, connection: StoredConnection,
    in transaction: AgentTransaction
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
    if let notifier = material.notifier, let ids = ids.notifier { queue.notifier = try notifier.credentials(ids) }
    queue.number = try store.insert(queue)
    if try pushesMessages(of: connection) { try wantNotifications(of: queue, in: transaction) }
    if material.subscribes { addSubscription(queue, of: connection, in: transaction) }
    let address = QueueAddress(
      server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: queue.mode)
    switch material.plan {
    case .connection(_, let clientData, let pqKeysInLink, _):
      var full =
        queue.link == nil
        ? request(to: address, clientData: clientData, keys: material.ratchetKeys) : material.link?.request
      if !pqKeysInLink, case .invitation(var offer)? = full?.kind {
        // The data of the short link contains the long post-quantum keys, so that the full link stays short.
        offer.kem = nil
        full?.kind = .invitation(offer)
      }
      guard let full else { throw AgentError.internalError("no link") }
      let link = CreatedLink(full: full, short: queue.link?.link(queue.server, connection.mode))
      try finish(task, created: link, connection, in: transaction)
    case .prepared(let prepared, _, _): try finish(task, created: prepared.link, connection, in: transaction)
    case .reply:
      // A repeated join may have renewed it while the relay made the queue.
      guard case .reply(let info, _) = try QueuePlan.codec.decode(task.payload) else {
        throw AgentError.internalError("a task has another plan")
      }
      try createdReplyQueue(task, info: info, address: address, queue: queue, of: connection, in: transaction)
    case .request(let target, let info, _):
      let invitation = request(to: address, clientData: nil, keys: material.ratchetKeys)
      try sendRequest(invitation, info: info, to: target, for: task, on: connection, in: transaction)
    case .replacement: try createdReplacement(task, queue: queue, address: address, of: connection, in: transaction)
    }
  }
}
