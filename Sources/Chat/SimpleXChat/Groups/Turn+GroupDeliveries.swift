import AgentCore
import ChatAPI
import ChatProtocol
import ChatStore

// The status of the user's messages to groups, for each member.

extension Turn {
  /// Stores the status of messages for a member.
  func setStatus(
    _ status: GroupSndStatus, of messages: [MessageReference], _ member: GroupMember, in chat: GroupChat,
    viaProxy: Bool? = nil
  ) throws {
    let items = try messages.compactMap(\.key).flatMap { try rows.items(ofCommand: $0) }
    try setStatus(status, ofItems: items, member, in: chat, viaProxy: viaProxy)
  }

  /// Stores the status of items for a member.
  func setStatus(
    _ status: GroupSndStatus, ofItems items: [Int64], _ member: GroupMember, in chat: GroupChat, viaProxy: Bool? = nil
  ) throws {
    let recipient = Recipient(memberId: member.groupMemberId, userId: chat.user.userId)
    try setStatus(status, ofItems: items, recipient, viaProxy: viaProxy)
  }

  /// Handles that a message was sent to a member, where nothing but its status depends on that. It comes once for each
  /// member of a group, so neither member nor group is loaded.
  /// - Returns: false where more may have to be done.
  func noteSent(_ message: MessageReference, viaProxy: Bool, over connection: ConnectionID) throws -> Bool {
    guard let recipient = try rows.undisturbedRecipient(agentConnId: connection.text) else { return false }
    if let key = message.key {
      try setStatus(.sent, ofItems: try rows.items(ofCommand: key), recipient, viaProxy: viaProxy)
    }
    return true
  }

  /// Stores the status of items for a member. The status of an item follows from those for all its recipients.
  private func setStatus(
    _ status: GroupSndStatus, ofItems items: [Int64], _ recipient: Recipient, viaProxy: Bool?
  ) throws {
    var changes: [(item: Int64, place: ChatRef, status: CIStatus?)] = []
    for id in items {
      guard let place = try rows.chatIfPresent(ofItem: id, ofUser: recipient.userId) else { continue }
      // Otherwise a message that went with an invitation to connect directly.
      guard place.chatType != .direct else {
        changes.append((id, place, nil))
        continue
      }
      guard try rows.setRecipientStatus(status, viaProxy: viaProxy, ofItem: id, member: recipient.memberId) else {
        continue
      }
      let combined = try rows.combinedStatus(ofItem: id)
      if try rows.differs(from: combined, item: id) { changes.append((id, place, combined)) }
    }
    // The user may be being deleted.
    guard !changes.isEmpty, let user = try rows.userIfPresent(recipient.userId) else { return }
    var changed: [AChatItem] = []
    for (id, place, combined) in changes {
      let item =
        if let combined {
          try rows.changeStatus(combined, ofItem: id, in: place, of: user)
        } else {
          try rows.setProgress(status.direct, viaProxy: viaProxy, ofItem: id, in: place, of: user)
        }
      guard let item else { continue }
      changed.append(AChatItem(chatInfo: try rows.chatInfo(place, of: user), chatItem: item))
    }
    if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: user, chatItems: changed)) }
  }

  /// Handles that the agent refused a message to a member.
  func refusedMember(_ command: StoredAgentCommand, _ error: AgentError, to member: GroupMember, in chat: GroupChat)
    throws
  {
    guard case .send = AgentCommand(command) else {
      if AgentCommand.joiningKinds.contains(command.kind), member.memberCategory == .hostMember {
        try returnInvitation(to: chat)
      }
      return
    }
    try setStatus(
      .error(agentError: SndError(error)), ofItems: try rows.items(ofCommand: command.id), member, in: chat)
    for case .success(let element) in MessageBody.parse(command.body) {
      guard case .message(let message) = element.content else { continue }
      switch message.event {
      case .grpDirectInv: try rows.resetInvitationSent(overMember: member.groupMemberId)
      case .msgUpdate(let update):
        // What is shown was not sent to this member.
        let edited = try rows.groupItem(
          sharedMsgId: update.msgId.text, author: chat.group.membership.memberId, inGroup: chat.group.groupId,
          of: chat.user)
        guard let edited else { continue }
        try setStatus(.error(agentError: SndError(error)), ofItems: [edited.item.meta.itemId], member, in: chat)
      default: break
      }
    }
  }
}

extension GroupSndStatus {
  /// The status of an item that only one person gets.
  fileprivate var direct: CIStatus {
    switch self {
    case .forwarded, .inactive, .new: .sndNew
    case .sent: .sndSent(sndProgress: .complete)
    case .rcvd(let receipt): .sndRcvd(msgRcptStatus: receipt, sndProgress: .complete)
    case .error(let error): .sndError(agentError: error)
    case .warning(let error): .sndWarning(agentError: error)
    case .invalid: .sndNew
    }
  }
}
