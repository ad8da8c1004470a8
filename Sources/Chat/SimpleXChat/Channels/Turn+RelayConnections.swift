import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// Connections of a subscriber with the relays of a channel.

extension Turn {
  /// Handles that a relay lets the user join. Of what it sends, only that it accepts is taken: who the relay is, and
  /// what the channel is, are known from their links, and the user drew its own identifier.
  func acceptedByRelay(
    _ answer: GroupLinkInvitation, confirmation: ConfirmationID, over connection: Connection, relay: GroupMember,
    in chat: GroupChat
  ) throws {
    let membership = chat.group.membership
    guard answer.groupProfile.publicGroup?.publicGroupId == chat.group.groupProfile.publicGroup?.publicGroupId else {
      return reportError("x.grp.link.inv: publicGroupId mismatch", in: chat)
    }
    guard answer.fromMember.memberId.text == relay.memberId, answer.invitedMember.memberId.text == membership.memberId
    else { return reportError("x.grp.link.inv: member ID mismatch", in: chat) }
    if membership.memberStatus == .memUnknown {
      // Only owners give rights.
      let role = answer.invitedMember.memberRole
      let isSubscriber = role < .member && role > .relay
      try rows.setRole(
        isSubscriber ? role : chat.group.topology.unknownMemberRole, ofMember: membership.groupMemberId)
      try rows.setStatus(.memAccepted, ofMember: membership.groupMemberId)
    }
    let chat = try reloaded(chat)
    let shown = chat.group.redacted(chat.group.membership.memberProfile.shared, of: chat.group.membership)
    try command(
      .allow(confirmation, info: try connectionInfo(.info(shown), connection)), for: connection.agentConnId)
    emit(.groupLinkConnecting(user: chat.user, groupInfo: chat.group, hostMember: relay))
  }

  /// Handles that the connection with a relay is established. With the first one the user is a subscriber.
  func joinedChannel(by relay: Int64, in chat: GroupChat) throws {
    let isFirst = try rows.channels.countConnectedRelays(ofGroup: chat.group.groupId) == 1
    if !chat.group.membership.memberGone {
      try rows.setStatus(.memConnected, ofMember: chat.group.membership.groupMemberId)
    }
    let chat = try reloaded(chat)
    let relay = try rows.member(relay, of: chat.user)
    emit(.userJoinedGroup(user: chat.user, groupInfo: chat.group, hostMember: relay))
    if isFirst {
      try addItem(
        .rcvGroupE2EEInfo(e2eeInfo: E2EEInfo(public: true, pqEnabled: false)), to: chat, from: relay)
    }
    try addItem(.rcvGroupEvent(rcvGroupEvent: .memberConnected), to: chat, from: relay)
  }
}
