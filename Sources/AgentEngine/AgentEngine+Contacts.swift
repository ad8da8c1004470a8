import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto

extension AgentEngine {
  /// Allows a peer to connect, who gets `info`.
  public func allow(
    _ id: ConnectionID, _ confirmation: ConfirmationID, info: [UInt8], tag: CorrelationTag? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      let connection = try self.connection(id)
      guard let confirmation = try self.store.confirmation(confirmation),
        confirmation.connection == connection.number
      else { throw AgentError.connection(.notFound) }
      guard let receiveQueue = try self.store.receiveQueues(of: connection.number).first,
        try self.store.sendQueues(of: connection.number).isEmpty
      else { throw AgentError.prohibited("the connection is allowed already") }
      guard let reply = confirmation.queues.first else { throw AgentError.peer(.prohibited("no reply queue")) }
      guard self.configuration.clientVersions.contains(reply.clientVersion) else { throw AgentError.peer(.version) }
      var queue = try self.newSendQueue(reply.address, reply.clientVersion, connection)
      queue.number = try self.store.insert(queue)
      let lane = Lane.sendQueue(queue.number)
      // The peer answers the confirmation with a message to our queue, so that has to be secured first.
      if let senderKey = confirmation.senderKey {
        try self.add(
          .secureReceiveQueue, in: lane, of: connection.number,
          payload: try SecurePayload.codec.encode(SecurePayload(queue: receiveQueue.number, senderKey: senderKey)),
          turn)
      }
      if queue.senderCanSecure { try self.add(.secureSendQueue, in: lane, of: connection.number, turn) }
      var ratchet = try self.ratchet(of: connection)
      try self.enqueueConfirmation(
        .connectionInfo(info), .confirmation, keys: nil, connection, &ratchet, to: queue, turn)
      try self.store.setRatchet(ratchet, of: connection.number)
      try self.store.removeConfirmations(of: connection.number)
      if tag != nil { try self.emit(.done, id, tag: tag, turn) }
    }.effects
  }

  /// Prepares a connection to accept a request with.
  public func prepareToAccept(
    _ user: UserID, _ invitation: InvitationID, pq: Bool, notifications: Bool = true, now: Int64
  ) throws(AgentError) -> ConnectionID {
    let request = try read { try self.invitation(invitation).request }
    return try prepareToJoin(user, request, pq: pq, notifications: notifications, now: now)
  }

  /// Accepts a request to an address: joins by the invitation in it.
  public func acceptContact(
    _ user: UserID, connection: ConnectionID? = nil, _ id: InvitationID, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { turn in
      let invitation = try self.invitation(id)
      let value = try self.join(user, connection, invitation.request, info: info, options, waiting, turn)
      try self.store.setAccepted(id, true)
      return value
    }
    return Accepted(value, effects)
  }

  private func invitation(_ id: InvitationID) throws -> StoredInvitation {
    guard let invitation = try store.invitation(id) else { throw AgentError.connection(.notFound) }
    return invitation
  }

  /// Rejects a request; its sender is not told.
  public func rejectContact(_ invitation: InvitationID) throws(AgentError) {
    _ = try run(0) { _ in
      guard try self.store.removeInvitation(invitation) else { throw AgentError.connection(.notFound) }
    }
  }

  /// Moves a connection that is not established yet to another user.
  public func changeUser(
    _ id: ConnectionID, to user: UserID, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      try self.require(user)
      var connection = try self.connection(id)
      guard try self.store.sendQueues(of: connection.number).isEmpty else {
        throw AgentError.prohibited("the connection is established")
      }
      let queues = try self.store.receiveQueues(of: connection.number)
      for queue in queues where queue.isSubscribed { self.removeSubscription(queue, connection, turn) }
      connection.user = user
      try self.store.update(connection)
      for queue in queues where queue.isSubscribed { self.subscribe([queue], connection, turn) }
    }.effects
  }
}
