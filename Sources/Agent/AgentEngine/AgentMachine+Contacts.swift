import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPProtocol
import SimplexCrypto

extension AgentMachine {
  /// Allows a peer to connect, and sends it `info`. Idempotent.
  public func allow(
    _ id: ConnectionID, _ confirmation: ConfirmationID, info: [UInt8], tag: CorrelationTag? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      let connection = try self.connection(id)
      guard let confirmation = try self.store.confirmation(confirmation),
        confirmation.connection == connection.number
      else {
        guard try !self.store.sendQueues(of: connection.number).isEmpty else {
          throw AgentError.connection(.notFound)
        }
        // The peer was allowed before; the application may have missed the result.
        if let tag { try self.emitOnce(.done, connection: id, tag: tag, in: transaction) }
        return
      }
      guard let receiveQueue = try self.store.receiveQueues(of: connection.number).first else {
        throw AgentError.prohibited("allowConnection")
      }
      guard let reply = confirmation.queues.first else { throw AgentError.peer(.prohibited("no reply queue")) }
      guard self.configuration.clientVersions.contains(reply.clientVersion) else { throw AgentError.peer(.version) }
      let queue = try self.replyQueue(reply, of: connection)
      let lane = Lane.sendQueue(queue.number)
      // The peer answers the confirmation with a message to our queue, so that has to be secured first.
      if let senderKey = confirmation.senderKey {
        try self.add(
          .secureReceiveQueue, to: lane, of: connection.number,
          payload: try SecurePayload.codec.encode(SecurePayload(queue: receiveQueue.number, senderKey: senderKey)),
          in: transaction)
      }
      if queue.senderCanSecure, queue.status == .new {
        try self.add(.secureSendQueue, to: lane, of: connection.number, in: transaction)
      }
      var ratchet = try self.ratchet(of: connection)
      try self.enqueueConfirmation(
        .connectionInfo(info), purpose: .confirmation, keys: nil, on: connection, ratchet: &ratchet, to: queue,
        in: transaction
      )
      try self.store.setRatchet(ratchet, of: connection.number)
      try self.store.removeConfirmations(of: connection.number)
      try self.store.removeCreatedLink(of: connection.number)
      if tag != nil { try self.emit(.done, connection: id, tag: tag, in: transaction) }
    }.effects
  }

  /// The queue for the peer that is allowed. An imported profile may have it, with a key that the relay knows already.
  private func replyQueue(_ reply: QueueInfoAddress, of connection: StoredConnection) throws -> SendQueue {
    guard let known = try store.sendQueues(of: connection.number).first else {
      var queue = try newSendQueue(reply.address, version: reply.clientVersion, of: connection)
      queue.number = try store.insert(queue)
      return queue
    }
    guard known.senderID == reply.address.senderID, known.server == reply.address.server,
      known.status == .new || known.status == .secured
    else { throw AgentError.prohibited("allowConnection") }
    return known
  }

  /// Accepts a request to an address: joins by the invitation in it. Idempotent, as joining is; the request is removed.
  public func acceptContact(
    _ user: UserID, connection: ConnectionID? = nil, _ id: InvitationID, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { transaction in
      if let connection,
        let value = try self.resumeJoining(connection, of: user, info: info, waiting: waiting, in: transaction)
      {
        return value
      }
      let invitation = try self.invitation(id)
      let value = try self.join(
        user, id: connection, by: invitation.request, info: info, options: options, waiting: waiting, in: transaction)
      if try self.store.connection(number: invitation.connection) == nil {
        // Its address was deleted, so nothing else would remove it.
        _ = try self.store.removeInvitation(id)
      } else {
        try self.store.setAccepted(id, true)
      }
      return value
    }
    return Accepted(value, effects)
  }

  private func invitation(_ id: InvitationID) throws -> StoredInvitation {
    guard let invitation = try store.invitation(id) else { throw AgentError.connection(.notFound) }
    return invitation
  }

  /// Rejects a request without notifying its sender. A no-op if it does not exist.
  public func rejectContact(_ invitation: InvitationID) throws(AgentError) {
    _ = try run(0) { _ in _ = try self.store.removeInvitation(invitation) }
  }

  /// Moves a connection that is not established yet to another user.
  public func changeUser(
    _ id: ConnectionID, to user: UserID, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      try self.require(user)
      var connection = try self.connection(id)
      guard try self.store.sendQueues(of: connection.number).isEmpty else {
        throw AgentError.prohibited("changeConnectionUser: established connection")
      }
      let queues = try self.store.receiveQueues(of: connection.number)
      for queue in queues where queue.isSubscribed { self.removeSubscription(queue, of: connection, in: transaction) }
      connection.user = user
      try self.store.update(connection)
      for queue in queues where queue.isSubscribed { self.subscribe([queue], of: connection, in: transaction) }
    }.effects
  }
}
