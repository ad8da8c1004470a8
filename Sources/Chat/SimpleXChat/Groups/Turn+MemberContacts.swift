import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Direct conversations of members: the invitation goes over the connection of the group.

extension Turn {
  /// The user's incognito profile in a group, a database id; nil where the user's own profile is known there.
  func incognitoProfileID(in group: GroupInfo) -> Int64? {
    group.membership.memberIncognito ? group.membership.memberProfile.profileId : nil
  }

  /// The connection of a member whom the user wants to write to directly.
  /// - Throws: where the group or the member does not allow it, or the member is a contact already.
  func connectionForContact(_ member: GroupMember, in chat: GroupChat) throws -> Connection {
    try chat.group.require(.author)
    guard chat.group.isAllowed(.directMessages, for: chat.group.membership) else {
      throw ChatError.command("direct messages not allowed")
    }
    guard let connection = member.activeConn else { throw ChatErrorType.groupMemberNotActive }
    guard connection.peerChatVRange.maxVersion >= Int(ChatVersion.groupDirectInvitation) else {
      throw ChatErrorType.peerChatVRangeIncompatible
    }
    guard member.memberContactId == nil else { throw ChatError.command("member contact already exists") }
    return connection
  }

  /// Creates the contact of a member, with the connection that the member is invited to.
  func createContact(
    of member: GroupMember, in chat: GroupChat, connection agentConnId: String, _ link: CreatedConnLink
  ) throws -> Contact {
    let memberConnection = try connectionForContact(member, in: chat)
    let incognito = incognitoProfileID(in: chat.group)
    let contact = try rows.createContact(of: member, incognito: incognito != nil, for: chat.user)
    try rows.setInviting(member: member.groupMemberId, ofContact: contact.contactId)
    var new = directConnection(
      agentConnId, of: contact, like: memberConnection, incognito: incognito, status: .new)
    new.initiated = true
    new.invitation = link
    _ = try rows.createConnection(new, of: chat.user)
    let created = try rows.contact(contact.contactId, of: chat.user)
    try addBanner(to: created, of: chat.user)
    return created
  }

  /// Sends a member the invitation to connect directly, maybe with a message.
  func invite(_ contact: Contact, _ content: MsgContent?, of user: User) throws -> ChatResponse {
    guard let memberId = contact.contactGroupMemberId, let connection = contact.activeConn,
      let link = try rows.invitation(ofConnection: connection.connId),
      case .full(let request) = try ParsedLink(link),
      let member = try rows.memberIfPresent(memberId, of: user)
    else { throw StoreError.memberContactGroupMemberNotFound(contactId: contact.contactId) }
    guard !contact.contactGrpInvSent else { throw ChatError.command("x.grp.direct.inv already sent") }
    let group = try rows.group(member.groupId, of: user)
    guard let memberConnection = member.sendingConnection else { throw ChatErrorType.groupMemberNotActive }
    var event = OutgoingGroupEvent(event: .grpDirectInv(connReq: request, content: content))
    guard fits(event.event) else { throw StoreError.largeMsg }
    try rows.setInvitationSent(ofContact: contact.contactId)
    let invited = try rows.contact(contact.contactId, of: user)
    if let content {
      let item = try makeItem(
        .sndMsgContent(msgContent: content), in: invited, of: user, sharedMsgId: event.id.text)
      event.item = item.chatItem.meta.itemId
      emit(.newChatItems(user: user, chatItems: [item]))
    }
    try send([event], over: memberConnection)
    return .response2(.newMemberContactSentInv(user: user, contact: invited, groupInfo: group, member: member))
  }

  /// Handles that a member invites the user to connect directly.
  func handleDirectInvitation(
    _ request: ConnectionRequest, _ content: MsgContent?, scope: MsgScope?, from member: GroupMember,
    in chat: GroupChat, message: ReceivedMessage
  ) throws {
    guard maySend(.member(member), to: scope, in: chat) else { return }
    guard chat.group.isAllowed(.directMessages, for: member) else {
      return reportError("x.grp.direct.inv: direct messages not allowed", in: chat)
    }
    guard !member.blocked else {
      return emit(
        .messageError(
          user: chat.user, severity: "warning", errorMessage: "x.grp.direct.inv: member is blocked (ignoring)"))
    }
    guard let connection = member.activeConn, request.isInvitation else {
      return reportError("x.grp.direct.inv: not an invitation of a connected member", in: chat)
    }
    let contact: Contact
    if let known = member.memberContactId {
      let old = try rows.contact(known, of: chat.user)
      // Both may have invited each other: who has the lower link joins, and the other one waits.
      if old.contactGrpInvSent, let active = old.activeConn,
        let own = try rows.invitation(ofConnection: active.connId), request.text <= own
      {
        contact = old
      } else {
        contact = try replaceConnection(of: old, by: request, from: member, over: connection, in: chat)
      }
    } else {
      contact = try rows.createContact(
        of: member, incognito: incognitoProfileID(in: chat.group) != nil, for: chat.user)
      try addBanner(to: contact, of: chat.user)
      try accept(request, by: contact, from: member, over: connection, in: chat)
    }
    let changed = try rows.contact(contact.contactId, of: chat.user)
    let author = try rows.member(member.groupMemberId, of: chat.user)
    try makeItem(.rcvGroupEvent(rcvGroupEvent: .memberCreatedContact), in: chat, from: author)
    emit(
      .newMemberContactReceivedInv(user: chat.user, contact: changed, groupInfo: chat.group, member: author))
    if let content {
      try addItem(
        .rcvMsgContent(msgContent: content), to: changed, of: chat.user, sharedMsgId: message.sharedMsgId,
        at: message.time)
    }
  }

  /// The contact deleted its connection with the user, and invites again.
  private func replaceConnection(
    of contact: Contact, by request: ConnectionRequest, from member: GroupMember, over connection: Connection,
    in chat: GroupChat
  ) throws -> Contact {
    for old in try rows.connections(ofContact: contact.contactId) {
      try deleteConnections([old.agentConnId], waitForDelivery: false)
      try rows.deleteConnection(old.connId)
    }
    try accept(request, by: contact, from: member, over: connection, in: chat)
    let changed = try rows.contact(contact.contactId, of: chat.user)
    if contact.activeConn != nil {
      emit(.terminalEvent(.contactVerificationReset(user: chat.user, contact: changed)))
      try addItem(.rcvConnEvent(rcvConnEvent: .verificationCodeReset), to: changed, of: chat.user)
    }
    return changed
  }

  /// Stores an invitation; where the user chose that, it is accepted at once.
  private func accept(
    _ request: ConnectionRequest, by contact: Contact, from member: GroupMember, over connection: Connection,
    in chat: GroupChat
  ) throws {
    let joins = chat.user.autoAcceptMemberContacts
    try rows.setInvited(
      GroupDirectInvitation(
        groupDirectInvLink: request.text, fromGroupId_: chat.group.groupId, fromGroupMemberId_: member.groupMemberId,
        fromGroupMemberConnId_: connection.connId, groupDirectInvStartedConnection: joins),
      ofContact: contact.contactId)
    let incognito = incognitoProfileID(in: chat.group)
    let new = directConnection(
      ConnectionID.random().text, of: contact, like: connection, incognito: incognito,
      status: joins ? .joined : .prepared)
    let created = try rows.createConnection(new, of: chat.user)
    guard joins else {
      try makeItem(
        .rcvDirectEvent(rcvDirectEvent: .groupInvLinkReceived(groupProfile: chat.group.groupProfile)),
        in: try rows.contact(contact.contactId, of: chat.user), of: chat.user)
      return
    }
    try command(
      .join(
        user: try chat.user.agentID, request: request.text, pq: false, info: try directInfo(created, of: chat.user)),
      for: created.agentConnId)
  }

  /// Stores that the user accepted a member's invitation.
  func acceptedDirectInvitation(of contact: Contact) throws {
    guard var invitation = contact.groupDirectInv, !invitation.groupDirectInvStartedConnection else { return }
    invitation.groupDirectInvStartedConnection = true
    try rows.setDirectInvitation(invitation, ofContact: contact.contactId)
  }

  /// The information about the user that is sent to the inviting member.
  func directInfo(_ connection: Connection, of user: User) throws -> [UInt8] {
    let shown = try incognitoProfile(connection, of: user)
    return try connectionInfo(
      .info(user.sharedProfile(for: nil, incognito: shown, sharesTTL: true)), connection)
  }

  private func directConnection(
    _ agentConnId: String, of contact: Contact, like connection: Connection, incognito: Int64?, status: ConnStatus
  ) -> NewConnection {
    var new = NewConnection(
      agentConnId: agentConnId, entity: .contact(contact.contactId), status: status,
      chatVersion: connection.connChatVersion, peerVersions: connection.peerChatVRange)
    new.level = connection.connLevel
    new.customUserProfileId = incognito
    return new
  }
}
