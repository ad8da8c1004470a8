import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentMachine {
  /// Stores the data of a connection's short link, which is created if there is none. The call returns `linkSet`.
  public func setLinkData(
    _ id: ConnectionID, _ data: UserLinkData, clientData: String? = nil, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      var queue = try self.linkQueue(connection, or: "setConnShortLink: invalid connection or mode")
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
      case (nil, _, .invitation):
        throw AgentError.prohibited("setConnShortLink: no ShortLinkCreds in invitation")
      default: throw AgentError.prohibited("setConnShortLink: invalid connection or mode")
      }
      guard let link = queue.link?.link(queue.server, connection.mode) else {
        throw AgentError.internalError("no link")
      }
      let caller = self.caller(waiting)
      try self.add(
        .setLink, to: .receiveQueue(queue.number), of: connection.number,
        payload: try LinkPayload.codec.encode(LinkPayload(link: link, update: update, user: data)), for: caller,
        in: transaction)
      return caller.call
    }
    return Accepted(call, effects)
  }

  /// Deletes a connection's short link.
  public func deleteShortLink(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      let queue = try self.linkQueue(connection, or: "deleteConnShortLink: not contact address")
      let caller = self.caller(waiting)
      try self.add(.deleteLink, to: .receiveQueue(queue.number), of: connection.number, for: caller, in: transaction)
      return caller.call
    }
    return Accepted(call, effects)
  }

  /// Gets the data of a short link. The call returns `linkData`.
  public func getLinkData(
    _ user: UserID, _ link: ShortLink, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { transaction in
      try self.require(user)
      var link = link.restored(presets: self.configuration.presetServers)
      link.scheme = .server
      if case .invitation(let linkID) = link.kind,
        try self.store.linkSenderKey(linkID, linkKey: link.linkKey, at: link.server) == nil
      {
        // Getting the data of an invitation (LKEY) secures its queue, so the key is stored before.
        var random = self.random
        let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
        try self.store.setLinkSenderKey(key, linkID: linkID, linkKey: link.linkKey, at: link.server)
      }
      let caller = self.caller(waiting)
      try self.add(
        .getLink, to: nil, of: 0,
        payload: try GetLinkPayload.codec.encode(GetLinkPayload(user: user.rawValue, link: link)), for: caller,
        in: transaction
      )
      return caller.call
    }
    return Accepted(call, effects)
  }

  private func linkQueue(_ connection: StoredConnection, or context: String) throws -> ReceiveQueue {
    guard let queue = try store.receiveQueues(of: connection.number).first,
      try store.sendQueues(of: connection.number).isEmpty
    else { throw AgentError.prohibited(context) }
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

  /// Handles the data of a link from its relay.
  func gotLink(_ task: AgentTask, from response: LinkResponse, in transaction: AgentTransaction) throws {
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
      try finish(task, with: .linkData(request, content), event: .linkData(request, content), in: transaction)
    } catch let error as LinkDataError {
      try giveUp(task, error: .peer(.link(.data(error))), in: transaction)
    } catch let error as AgentError {
      if case .peer = error { return try giveUp(task, error: error, in: transaction) }
      throw error
    }
  }

  /// Handles the confirmation of a relay that it stored the data of a link.
  func linkSet(_ task: AgentTask, in transaction: AgentTransaction) throws {
    let payload = try LinkPayload.codec.decode(task.payload)
    try finish(task, with: .linkSet(payload.link), event: .linkSet(payload.link, payload.user), in: transaction)
  }
}
