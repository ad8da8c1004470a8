import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import WireCodec

// The delivery of the user's own messages, and peers that cannot be reached.

extension Turn {
  /// Handles that the agent refused a command: the items of the command show the error.
  func refused(_ command: StoredAgentCommand, _ error: AgentError) throws {
    if case .file(let refused) = AgentCommand(command) { return try self.refused(refused, error) }
    if case .setLinkData = AgentCommand(command) { endLinkDataWait(command.agentConnId) }
    guard let context = try? context(ConnectionID(Base64URL.decode(command.agentConnId) ?? [])) else {
      // The connection was deleted, and with it the items of the command.
      if rows.hadOutage { throw ChatError.errorAgent(agentError: AgentErrorType(error)) }
      if case .connection(.notFound) = error { return }
      return emit(.errorAgent(agentError: AgentErrorType(error), agentConnId: command.agentConnId))
    }
    if AgentCommand.joiningKinds.contains(command.kind) {
      try rows.setStatus(.failed(connError: AgentErrorType(error).text), ofConnection: context.connection.connId)
    }
    if case .rcvGroupMsgConnection(_, let group, let member) = context.entity {
      try refusedMember(command, error, to: member, in: GroupChat(user: context.user, group: group))
      // A message shows it for this member; for one to many members there would be as many events.
      if case .send = AgentCommand(command), try !rows.items(ofCommand: command.id).isEmpty { return }
    }
    if let contact = context.contact, case .send = AgentCommand(command) {
      let (user, status) = (context.user, CIStatus.sndError(agentError: SndError(error)))
      var items = try rows.items(ofCommand: command.id).compactMap {
        try rows.setProgress(status, viaProxy: nil, ofItem: $0, in: contact.chat, of: user)
      }
      var changed: [Int64] = []
      for case .success(let element) in MessageBody.parse(command.body) {
        guard case .message(let message) = element.content else { continue }
        try takeBack(message.event, to: contact, of: user, marking: &changed)
      }
      // Also where the earlier text was received: what is shown was not.
      items += try changed.compactMap { try rows.changeStatus(status, ofItem: $0, in: contact.chat, of: user) }
      tellStatuses(of: items, to: contact, of: user)
      try noteDescriptionsFailed([command.id], error, of: context.user)
    }
    emit(failure(error, context))
  }

  private func refused(_ command: FileCommand, _ error: AgentError) throws {
    switch command {
    case .send(let id, _, _, _, _), .sendDescription(let id, _, _): try uploadFailed(id, error)
    case .receive(let id, _, _, _, _): try downloadFailed(id, error)
    case .deleteReceived, .deleteSent, .deleteAtRelays: emit(.errorAgent(agentError: AgentErrorType(error)))
    }
  }

  /// Undoes the local effect of an event that will not be sent, or adds the items that show its error to `items`.
  private func takeBack(
    _ event: ChatMessageEvent, to contact: Contact, of user: User, marking items: inout [Int64]
  ) throws {
    switch event {
    case .msgUpdate(let update):
      if let item = try item(update.msgId.text, with: contact, of: user) { items.append(item.meta.itemId) }
    case .msgDel(let id, _, _, _):
      if let item = try item(id.text, with: contact, of: user) { items.append(item.meta.itemId) }
    case .msgReact(let id, _, _, let reaction, let add):
      try rows.setReaction(reaction, add: !add, to: id.text, in: contact.chat, sent: true, at: rows.now, of: user)
      guard let item = try item(id.text, with: contact, of: user) else { return }
      emit(
        .chatItemReaction(
          user: user, added: !add,
          reaction: ACIReaction(
            chatInfo: .direct(contact: contact),
            chatReaction: CIReaction(chatDir: .directSnd, chatItem: item, sentAt: rows.now, reaction: reaction))))
    default: break
    }
  }

  /// Handles that a message was sent.
  func sent(_ context: ConnectionContext, _ message: MessageReference, viaProxy: Bool) throws {
    try continueSending(context)
    try setStatus(.sndSent(sndProgress: .complete), of: [message], context, viaProxy: viaProxy)
    try noteDescriptionSent(message, of: context.user)
  }

  /// Handles receipts of peers.
  func handleReceipts(_ metadata: MessageMetadata, _ receipts: [DeliveryReceipt], of id: ConnectionID) throws {
    acknowledge(MessageAcknowledgement(id, metadata.id))
    undoesOnStoreErrors = true
    defer { undoesOnStoreErrors = false }
    try reportingErrors {
      guard let context = try contextIfPresent(id) else { return }
      guard
        try rows.receiveMessage(connectionId: context.connection.connId, agentMessageId: metadata.id.rawValue)
      else { return }
      if case .rcvGroupMsgConnection(_, let group, let member) = context.entity {
        let chat = GroupChat(user: context.user, group: group)
        for receipt in receipts {
          let status = GroupSndStatus.rcvd(msgRcptStatus: receipt.isIntact ? .ok : .badMsgHash)
          try setStatus(status, of: [receipt.message], member, in: chat)
        }
        return
      }
      for receipt in receipts {
        let status = CIStatus.sndRcvd(msgRcptStatus: receipt.isIntact ? .ok : .badMsgHash, sndProgress: .complete)
        try setStatus(status, of: [receipt.message], context)
      }
    }
  }

  /// Stores the status of messages, unless a receipt came before.
  func setStatus(
    _ status: CIStatus, of messages: [MessageReference], _ context: ConnectionContext, viaProxy: Bool? = nil
  ) throws {
    guard let contact = context.contact else { return }
    let items = try messages.compactMap(\.key).flatMap { try rows.items(ofCommand: $0) }
    try setStatus(status, ofItems: items, to: contact, of: context.user, viaProxy: viaProxy)
  }

  private func setStatus(
    _ status: CIStatus, ofItems ids: [Int64], to contact: Contact, of user: User, viaProxy: Bool? = nil
  ) throws {
    let items = try ids.compactMap {
      try rows.setProgress(status, viaProxy: viaProxy, ofItem: $0, in: contact.chat, of: user)
    }
    tellStatuses(of: items, to: contact, of: user)
  }

  private func tellStatuses(of items: [ChatItem], to contact: Contact, of user: User) {
    guard !items.isEmpty else { return }
    let info = ChatInfo.direct(contact: contact)
    emit(.chatItemsStatusesUpdated(user: user, chatItems: items.map { AChatItem(chatInfo: info, chatItem: $0) }))
  }

  // MARK: Peers that cannot be reached

  /// Counts a message that could not be sent. In groups there is no event, as there could be one for each member: the
  /// status of the message shows it.
  func noteFailure(_ context: ConnectionContext, _ error: AgentError) throws {
    let isMember = if case .rcvGroupMsgConnection = context.entity { true } else { false }
    guard case .server(_, .relay(.AUTH)) = error else {
      try noteQuota(context, error, isGivenUp: true)
      if !isMember { emit(failure(error, context)) }
      return
    }
    if !isMember { emit(failure(error, context)) }
    var connection = context.connection
    connection.authErrCounter = try rows.countAuthorizationError(ofConnection: connection.connId)
    guard connection.connDisabled else { return }
    if var contact = context.contact {
      contact.activeConn = connection
      emit(.contactDisabled(user: context.user, contact: contact))
    } else {
      emit(.connectionDisabled(connectionEntity: context.entity))
    }
  }

  /// Counts that the peer's queue is full.
  func noteQuota(_ context: ConnectionContext, _ error: AgentError, isGivenUp: Bool) throws {
    guard case .server(_, .relay(.QUOTA)) = error, !context.connection.connInactive else { return }
    var connection = context.connection
    // An expired message is a stronger sign than many that wait.
    let givenUp = 999
    if isGivenUp {
      try rows.setQuotaErrors(givenUp, ofConnection: connection.connId)
      connection.quotaErrCounter = givenUp
    } else {
      connection.quotaErrCounter = try rows.countQuotaError(ofConnection: connection.connId)
    }
    if connection.connInactive { emit(.connectionInactive(connectionEntity: context.entity, inactive: true)) }
  }

  /// The peer's queue has room again.
  func continueSending(_ context: ConnectionContext) throws {
    guard context.connection.connInactive else { return }
    try rows.setQuotaErrors(0, ofConnection: context.connection.connId)
    emit(.connectionInactive(connectionEntity: context.entity, inactive: false))
  }
}
