import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SMPProtocol

// What messages of contacts do, apart from their batches.

extension Turn {
  /// Handles an event of the chat protocol that a contact sent. Exhaustive, so that a new event is not forgotten.
  func handle(
    _ event: ChatMessageEvent, from contact: Contact, context: ConnectionContext, message received: ReceivedMessage
  ) throws {
    let user = context.user
    switch event {
    case .msgNew, .file: break
    case .fileAcptInv(let id, _, _):
      try refuseInline(item: try rows.itemID(sharedMsgId: id.text, in: contact.chat, sent: true, of: user))
    case .msgUpdate(let update): try updated(update, by: contact, of: user, message: received)
    case .msgDel(let id, _, _, _): try deleted(id.text, by: contact, of: user, message: received)
    case .msgReact(let id, _, _, let reaction, let add):
      try reacted(to: id.text, with: reaction, add: add, from: contact, of: user, message: received)
    case .info(let profile): _ = try changeProfile(of: contact, to: profile, addsItems: true, user)
    case .msgFileDescr(let id, let part):
      try self.received(
        part, of: id.text, in: contact.chat,
        item: try rows.itemID(sharedMsgId: id.text, in: contact.chat, sent: false, of: user), reportsRefusal: true,
        user: user)
    case .fileCancel(let id):
      guard let item = try rows.itemID(sharedMsgId: id.text, in: contact.chat, sent: false, of: user),
        let file = try rows.file(ofItem: item)
      else { throw StoreError.fileIdNotFoundBySharedMsgId(sharedMsgId: id.text) }
      try cancelledBySender(file, of: user)
    case .directDel: try deletedByContact(contact, context, at: received)
    case .grpInv(let invitation):
      try invited(invitation, by: contact, over: context.connection, of: user, message: received)
    case .infoProbe, .infoProbeCheck, .infoProbeOk: try handleProbe(event, from: .contact(contact), of: user)
    case .callInv(let callId, let invitation):
      try CallWithContact(turn: self, user: user, contact: contact).invited(callId, invitation, message: received)
    case .callOffer, .callAnswer, .callExtra, .callEnd:
      try CallWithContact(turn: self, user: user, contact: contact).received(event)
    case .ok: break
    // What has no meaning in a conversation of two, and what this version has no use for.
    case .msgDeleted, .fileAcpt, .contact, .member, .unknown, .grpAcpt, .grpLinkInv, .grpLinkReject, .grpLinkMem,
      .grpLinkAcpt, .grpRelayInv, .grpRelayAcpt, .grpRelayReject, .grpRelayCap, .grpRelayNew, .grpRelayTest,
      .grpMemNew, .grpMemIntro, .grpMemInv, .grpMemFwd, .grpMemInfo, .grpMemRole, .grpMemRestrict, .grpMemCon,
      .grpMemConAll, .grpMemDel, .grpDirectInv, .grpLeave, .grpDel, .grpInfo, .grpPrefs, .grpRoster, .grpRosterAck,
      .grpRosterRequest, .grpMsgForward:
      // A later version may understand it.
      try keep(
        event, received, versions: context.connection.peerChatVRange,
        from: KeptOrigin(contact, connectionId: context.connection.connId, of: user, at: rows.now))
      emit(.messageError(user: user, severity: "error", errorMessage: "unsupported message: \(event.tag)"))
    }
  }

  // MARK: New messages

  /// Adds the item of a received message; nil if it was received before.
  func addNew(
    _ container: MsgContainer, from contact: Contact, of user: User, message: ReceivedMessage
  ) throws -> ChatItem? {
    var new = newItem(container, from: contact, message: message)
    if let id = new.sharedMsgId,
      try rows.itemID(sharedMsgId: id, in: new.chat, sent: false, of: user) != nil
    {
      return nil
    }
    if let file = container.file, case .rcvMsgContent = new.content {
      new.fileId = try addReceivedFile(file, with: container.content, of: user)
    }
    return try rows.createItem(new, of: user)
  }

  /// The item of a new message.
  private func newItem(_ container: MsgContainer, from contact: Contact, message: ReceivedMessage) -> NewItem {
    var new = NewItem(
      chat: contact.chat, content: .rcvMsgContent(msgContent: container.content.withoutSignature),
      sharedMsgId: message.sharedMsgId, itemTs: message.time)
    if container.content.isVoice && !contact.isAllowed(.voice, for: .contact) {
      new.content = .rcvChatFeatureRejected(feature: .voice)
    } else {
      new.timed = contact.timedForReceived(ttl: container.ttl)
      new.live = container.live == true
      new.quotedItem = container.quote.map { CIQuote($0) }
      if container.forward == true { new.forwardedFrom = .unknown }
    }
    return new
  }

  // MARK: Edits

  private func updated(_ update: MsgUpdate, by contact: Contact, of user: User, message: ReceivedMessage) throws {
    let info = ChatInfo.direct(contact: contact)
    guard let item = try item(update.msgId.text, with: contact, of: user) else {
      return try addUpdated(update, from: contact, of: user, message: message)
    }
    guard case .rcvMsgContent(let old) = item.content, item.meta.itemForwarded == nil else {
      return reportError("x.msg.update: contact attempted invalid message update", user)
    }
    let isChanged = old != update.content
    guard isChanged || item.meta.itemLive == true else {
      return emit(.chatItemNotChanged(user: user, chatItem: AChatItem(chatInfo: info, chatItem: item)))
    }
    if isChanged {
      try rows.addVersions(
        ofItem: item.meta.itemId, initial: (time: item.meta.itemTs, content: old),
        new: (time: message.time, content: update.content))
    }
    let changed = try rows.updateItem(
      item.meta.itemId, in: contact.chat, to: .rcvMsgContent(msgContent: update.content),
      edited: item.meta.itemLive != true, live: update.live == true, of: user)
    emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
  }

  /// Adds the item of an edited message that the user deleted, with its original identifier, so that it can be referred
  /// to.
  private func addUpdated(_ update: MsgUpdate, from contact: Contact, of user: User, message: ReceivedMessage) throws {
    let isRejected = update.content.isVoice && !contact.isAllowed(.voice, for: .contact)
    var new = NewItem(
      chat: contact.chat,
      content: isRejected ? .rcvChatFeatureRejected(feature: .voice) : .rcvMsgContent(msgContent: update.content),
      sharedMsgId: update.msgId.text, itemTs: message.time)
    if !isRejected {
      new.timed = contact.timedForReceived(ttl: update.ttl)
      new.live = update.live == true
    }
    var item = try rows.createItem(new, of: user)
    if !isRejected {
      try rows.addVersion(ofItem: item.meta.itemId, time: message.time, content: update.content)
      item = try rows.updateItem(
        item.meta.itemId, in: contact.chat, to: new.content, edited: true, live: new.live, of: user)
    }
    emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: .direct(contact: contact), chatItem: item)))
  }

  // MARK: Deletions and reactions

  private func deleted(_ id: String, by contact: Contact, of user: User, message: ReceivedMessage) throws {
    guard let item = try item(id, with: contact, of: user) else {
      try rows.deleteKept(sharedMsgId: id, in: contact.chat, of: user)
      return emit(.chatItemDeletedNotFound(user: user, contact: contact, sharedMsgId: id))
    }
    guard !item.chatDir.sent, DeletionRules.mayDelete(received: item, at: message.time) else {
      return reportError("x.msg.del: contact attempted invalid message delete", user)
    }
    let info = ChatInfo.direct(contact: contact)
    let deletions =
      contact.isAllowed(.fullDelete, for: .contact)
      ? try delete([item], in: contact.chat, info: info, of: user)
      : try markDeleted([item], at: message.time, in: contact.chat, info: info, of: user)
    emit(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: false))
  }

  private func reacted(
    to id: String, with reaction: MsgReaction, add: Bool, from contact: Contact, of user: User, message: ReceivedMessage
  ) throws {
    guard contact.isAllowed(.reactions, for: .contact) else { return }
    let item = try item(id, with: contact, of: user)
    let present = try rows.reactions(to: id, in: contact.chat, sent: false, of: user)
    guard ReactionRules.allows(reaction, add: add, to: present), item?.allowsReactions != false,
      try !add || item != nil || isWithinBudget(of: reaction, to: id, of: user)
    else { return }
    try rows.setReaction(
      reaction, add: add, to: id, in: contact.chat, sent: false, isEarly: item == nil, at: message.time, of: user)
    guard let item else { return }
    let changed = try rows.item(item.meta.itemId, in: contact.chat, of: user)
    emit(
      .chatItemReaction(
        user: user, added: add,
        reaction: ACIReaction(
          chatInfo: .direct(contact: contact),
          chatReaction: CIReaction(
            chatDir: .directRcv, chatItem: changed, sentAt: message.time, reaction: reaction))))
  }

  private func reportError(_ reason: String, _ user: User) {
    emit(.messageError(user: user, severity: "error", errorMessage: reason))
  }
}

extension ChatMessageEvent {
  /// The new message that it is; old clients send files without one.
  var newMessage: MsgContainer? {
    switch self {
    case .msgNew(let container): container
    case .file(let file): Turn.message(with: file)
    default: nil
    }
  }

  /// Whether a push notification is to be sent for it.
  var notifies: Bool {
    switch self {
    case .msgNew, .file, .contact, .grpInv, .grpMemFwd, .grpDel, .callInv: true
    default: false
    }
  }

  /// Whether the receipts that are owed to its recipient are sent before it, who may delete the connection then.
  var sendsReceiptsFirst: Bool {
    switch self {
    case .directDel, .grpLeave, .grpDel, .grpMemDel: true
    case .grpMsgForward(_, let message): message.event.sendsReceiptsFirst
    default: false
    }
  }

  /// Whether it shows nothing by itself.
  var isSilent: Bool { if case .msgNew = self { false } else { true } }

  /// Whether it concerns nothing but messages: what a group is, and who its members are, stays the same.
  var isAboutMessages: Bool {
    switch self {
    case .msgNew, .msgUpdate, .msgDel, .msgReact, .msgFileDescr, .fileCancel: true
    default: false
    }
  }

  /// Whether a newcomer tells its host how far it is with another member, which changes nothing that is shown.
  var isAboutIntroductions: Bool {
    switch self {
    case .grpMemInv, .grpMemCon: true
    default: false
    }
  }

  /// Whether a receipt is sent for it.
  var hasReceipt: Bool {
    switch self {
    case .msgNew, .grpInv, .callInv: true
    default: false
    }
  }
}

extension CIQuote {
  /// The quote of a received message; what its sender sent is what this side received.
  init(_ quote: QuotedMsg) {
    self.init(
      chatDir: quote.msgRef.sent ? .directRcv : .directSnd, sharedMsgId: quote.msgRef.msgId?.text,
      sentAt: Date(quote.msgRef.sentAt), content: quote.content, formattedText: Markdown.parse(quote.content.text))
  }
}

extension MsgContent {
  /// The content without the signature of a shared chat, which says nothing outside of the conversation it was made
  /// for.
  fileprivate var withoutSignature: MsgContent {
    guard case .chat(let text, let link, _) = self else { return self }
    return .chat(text: text, chatLink: link)
  }
}
