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

  /// Stores the status of items for a member. The status of an item follows from those for all its recipients.
  func setStatus(
    _ status: GroupSndStatus, ofItems items: [Int64], _ member: GroupMember, in chat: GroupChat, viaProxy: Bool? = nil
  ) throws {
    var changed: [AChatItem] = []
    for id in items {
      guard let place = try rows.chatIfPresent(ofItem: id, of: chat.user) else { continue }
      if place.chatType == .direct {
        // A message that went with an invitation to connect directly.
        guard let item = try rows.setProgress(status.direct, viaProxy: viaProxy, ofItem: id, in: place, of: chat.user)
        else { continue }
        changed.append(AChatItem(chatInfo: try rows.chatInfo(place, of: chat.user), chatItem: item))
        continue
      }
      guard try rows.setRecipientStatus(status, viaProxy: viaProxy, ofItem: id, member: member.groupMemberId) else {
        continue
      }
      let combined = try rows.combinedStatus(ofItem: id)
      guard let item = try rows.setCombinedStatus(combined, ofItem: id, in: place, of: chat.user) else { continue }
      changed.append(AChatItem(chatInfo: try rows.chatInfo(place, of: chat.user), chatItem: item))
    }
    if !changed.isEmpty { emit(.chatItemsStatusesUpdated(user: chat.user, chatItems: changed)) }
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
      guard case .message(let message) = element.content, case .grpDirectInv = message.event else { continue }
      try rows.resetInvitationSent(overMember: member.groupMemberId)
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
