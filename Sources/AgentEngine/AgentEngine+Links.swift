import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentEngine {
  /// Stores the data of a connection's short link, which is made where there is none yet. The call gives `linkSet`.
  public func setLinkData(
    _ id: ConnectionID, _ data: UserLinkData, clientData: String? = nil, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      var queue = try self.linkQueue(connection)
      let versions = self.configuration.agentVersions
      let update: QueueLinkData
      switch (queue.link, data.kind, connection.mode) {
      case (let link?, .contact, .contact), (let link?, .invitation, .invitation):
        let sealed = try LinkMaterial.sealed(
          data, by: link.signingKey, key: try link.link(queue.server, connection.mode).boxKey, versions: versions,
          random: self.random)
        update = QueueLinkData(fixedData: link.fixedData, userData: sealed)
      case (nil, .contact, .contact):
        let address = QueueAddress(
          server: queue.server, senderID: queue.senderID, dhKey: queue.privateKey.publicKey, mode: .contact)
        let material = try LinkMaterial(
          self.request(to: address, clientData: clientData, keys: nil), data: data, senderID: queue.senderID,
          versions: versions, random: self.random)
        queue.link = material.credentials
        try self.store.update(queue)
        update = material.data
      default: throw AgentError.prohibited("the connection has no short link of this kind")
      }
      guard let link = queue.link?.link(queue.server, connection.mode) else {
        throw AgentError.internalError("no link")
      }
      let (call, tag) = self.caller(waiting)
      try self.add(
        .setLink, in: .receiveQueue(queue.number), of: connection.number,
        payload: try LinkPayload.codec.encode(LinkPayload(link: link, update: update, user: data)), tag: tag,
        call: call, turn)
      return call
    }
    return Accepted(call, effects)
  }

  /// Deletes a connection's short link.
  public func deleteShortLink(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      let queue = try self.linkQueue(connection)
      let (call, tag) = self.caller(waiting)
      try self.add(
        .deleteLink, in: .receiveQueue(queue.number), of: connection.number, tag: tag, call: call, turn)
      return call
    }
    return Accepted(call, effects)
  }

  /// Gets the data of a short link. The call gives `linkData`.
  public func getLinkData(
    _ user: UserID, _ link: ShortLink, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { turn in
      try self.require(user)
      var link = link.restored(presets: self.configuration.presetServers)
      link.scheme = .server
      if case .invitation(let linkID) = link.kind,
        try self.store.linkSenderKey(linkID, linkKey: link.linkKey, at: link.server) == nil
      {
        // Opening the link of an invitation secures its queue, so the key has to be known afterwards.
        var random = self.random
        let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
        try self.store.setLinkSenderKey(key, linkID: linkID, linkKey: link.linkKey, at: link.server)
      }
      let (call, tag) = self.caller(waiting)
      try self.add(
        .getLink, in: nil, of: 0,
        payload: try GetLinkPayload.codec.encode(GetLinkPayload(user: user.rawValue, link: link)), tag: tag,
        call: call, turn)
      return call
    }
    return Accepted(call, effects)
  }

  private func linkQueue(_ connection: StoredConnection) throws -> ReceiveQueue {
    guard let queue = try store.receiveQueues(of: connection.number).first,
      try store.sendQueues(of: connection.number).isEmpty
    else { throw AgentError.prohibited("the connection has no link") }
    return queue
  }

  func prepareGettingLink(_ task: AgentTask) throws -> PreparedTask {
    let payload = try GetLinkPayload.codec.decode(task.payload)
    let link = payload.link
    let user = UserID(rawValue: payload.user)
    var request = RequestPipeline.Request(.lget, entity: try link.linkID)
    if case .invitation(let linkID) = link.kind {
      guard let key = try store.linkSenderKey(linkID, linkKey: link.linkKey, at: link.server) else {
        throw AgentError.connection(.notFound)
      }
      request.command = .lkey(key.publicKey)
      request.key = key
    }
    return PreparedTask(
      work: .task(task), session: SessionKey(server: link.server, user: user), request: request,
      route: try route(to: link.server, user: user))
  }

  /// The relay gave the data of a link.
  func gotLink(_ task: AgentTask, _ response: LinkResponse, _ turn: Turn) throws {
    let link = try GetLinkPayload.codec.decode(task.payload).link
    do {
      let content = try LinkContent(opening: response.data, of: link)
      var request = content.fixed.request
      guard let queue = request.queues.first, queue.address.senderID == response.senderID,
        let host = link.server.hosts.first, queue.address.server.hosts.contains(host)
      else { throw AgentError.peer(.link(.differentAddress)) }
      request.queues[0].address.server = link.server
      if case .invitation(let linkID) = link.kind {
        try store.setLinkSender(response.senderID, linkID: linkID, at: link.server)
      }
      try finish(task, .linkData(request, content), event: .linkData(request, content), turn)
    } catch let error as LinkDataError {
      try giveUp(task, .peer(.link(.data(error))), turn)
    } catch let error as AgentError {
      if case .peer = error { return try giveUp(task, error, turn) }
      throw error
    }
  }

  /// The relay stored the data of a link.
  func linkSet(_ task: AgentTask, _ turn: Turn) throws {
    let payload = try LinkPayload.codec.decode(task.payload)
    try finish(task, .linkSet(payload.link), event: .linkSet(payload.link, payload.user), turn)
  }
}
