import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

/// The conversation with a contact.
struct DirectConversation: Conversation {
  var user: User
  /// The contact.
  var contact: Contact

  var chat: ChatRef { contact.chat }
  var info: ChatInfo { .direct(contact: contact) }
  var sentDirection: CIDirection { .directSnd }

  func removesItems(_ mode: CIDeleteMode) -> Bool {
    switch mode {
    case .cidmInternal: true
    case .cidmInternalMark: false
    case .cidmBroadcast, .history: contact.isAllowed(.fullDelete, for: .user)
    }
  }

  func origin(of item: ChatItem) -> CIForwardedFrom? {
    .contact(
      chatName: contact.nameForForwarding, msgDir: item.chatDir.sent ? .snd : .rcv, contactId: contact.contactId,
      chatItemId: item.meta.itemId)
  }

  func check(_ contents: [OutgoingContent]) throws {
    try contact.checkAllowed(event: "x.msg.new")
    if contents.contains(where: \.content.isVoice) && !contact.isAllowed(.voice, for: .user) {
      throw ChatError.command("feature not allowed \(ChatFeature.voice.text)")
    }
  }

  func check(event: String) throws { try contact.checkAllowed(event: event) }

  func mayEdit(_ item: ChatItem) -> Bool { item.meta.editable && item.meta.itemSharedMsgId != nil }

  func mayDelete(_ item: ChatItem, now: Date) -> Bool { DeletionRules.mayDelete(item, now: now) }

  func send(_ contents: [OutgoingContent], live: Bool, ttl: Int?, in turn: Turn) throws -> [AChatItem] {
    try requireSynchronized(turn)
    return try turn.sendMessages(contents, to: contact, of: user, live: live, ttl: ttl)
  }

  func deliver(_ events: [ChatMessageEvent], in turn: Turn) throws {
    try requireSynchronized(turn)
    try turn.send(events.map { (id: .random(), event: $0) }, to: contact)
  }

  func checkReactions() throws {
    guard contact.isAllowed(.reactions, for: .user) else {
      throw ChatError.command("feature not allowed \(ChatFeature.reactions.text)")
    }
  }

  /// Throws the agent's error where it would refuse what is sent.
  func requireSynchronized(_ turn: Turn) throws {
    guard let connection = contact.activeConn else { return }
    if try turn.rows.isSendingProhibited(ofConnection: connection.connId) {
      throw ChatError.errorAgent(
        agentError: .CMD(cmdErr: .PROHIBITED, errContext: "sendMessagesB: send prohibited"), agentConnId: "")
    }
  }
}
