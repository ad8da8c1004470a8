import SimplexJSON

/// An event that the core reports without a command.
public indirect enum ChatEvent: JSONCodable, Hashable, Sendable, ChatAPIResult {
  // MARK: Connection events

  /// A contact is connected.
  case contactConnected(user: User, contact: Contact, userCustomProfile: Profile? = nil)
  /// Connecting to a contact is under way.
  case contactConnecting(user: User, contact: Contact)
  /// Messages can be sent to a contact.
  case contactSndReady(user: User, contact: Contact)
  /// The contact uses another device.
  case contactAnotherClient(user: User, contact: Contact)
  /// A contact deleted the user.
  case contactDeletedByContact(user: User, contact: Contact)
  /// A contact's profile changed.
  case contactUpdated(user: User, fromContact: Contact, toContact: Contact)
  /// A request to connect was received.
  case receivedContactRequest(user: User, contactRequest: UserContactRequest, chat_: ChatData? = nil)
  /// A request is being accepted automatically.
  case acceptingContactRequest(user: User, contact: Contact)
  /// A request to the business is being accepted.
  case acceptingBusinessRequest(user: User, groupInfo: GroupInfo)
  /// A request was accepted before.
  case contactRequestAlreadyAccepted(user: User, contact: Contact)
  /// A request to the business was accepted before.
  case businessRequestAlreadyAccepted(user: User, groupInfo: GroupInfo)
  /// A contact's connection is disabled.
  case contactDisabled(user: User, contact: Contact)
  /// Subscriptions at a server changed.
  case subscriptionStatus(server: String, subscriptionStatus: SubscriptionStatus, connections: [String])
  /// Another device receives the messages of a connection.
  case subscriptionEnd(user: User, connectionEntity: ConnectionEntity)
  /// A service's subscriptions at a server changed.
  case serviceSubStatus(server: String, serviceSubEvent: ServiceSubEvent)
  /// Connections that only the chat or only the agent has.
  case connectionsDiff(userIds: DatabaseDiff, connIds: DatabaseDiff)
  /// A connection is disabled after too many errors.
  case connectionDisabled(connectionEntity: ConnectionEntity)
  /// A connection's queue became full, or works again.
  case connectionInactive(connectionEntity: ConnectionEntity, inactive: Bool)

  // MARK: Security events

  /// Progress in moving a contact's queue.
  case contactSwitch(user: User, contact: Contact, switchProgress: SwitchProgress)
  /// Progress in moving a member's queue.
  case groupMemberSwitch(user: User, groupInfo: GroupInfo, member: GroupMember, switchProgress: SwitchProgress)
  /// Progress in renegotiating the encryption with a contact.
  case contactRatchetSync(user: User, contact: Contact, ratchetSyncProgress: RatchetSyncProgress)
  /// Progress in renegotiating the encryption with a member.
  case groupMemberRatchetSync(
    user: User, groupInfo: GroupInfo, member: GroupMember, ratchetSyncProgress: RatchetSyncProgress)
  /// Quantum-resistant encryption with a contact was switched.
  case contactPQEnabled(user: User, contact: Contact, pqEnabled: Bool = false)

  // MARK: Message events

  /// New items.
  case newChatItems(user: User, chatItems: [AChatItem])
  /// An item changed.
  case chatItemUpdated(user: User, chatItem: AChatItem)
  /// An item was not changed.
  case chatItemNotChanged(user: User, chatItem: AChatItem)
  /// A reaction was added or removed.
  case chatItemReaction(user: User, added: Bool, reaction: ACIReaction)
  /// Items were deleted.
  case chatItemsDeleted(user: User, chatItemDeletions: [ChatItemDeletion], byUser: Bool, timed: Bool = false)
  /// Delivery of items changed.
  case chatItemsStatusesUpdated(user: User, chatItems: [AChatItem])
  /// Items of a group were deleted.
  case groupChatItemsDeleted(
    user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember? = nil)
  /// The peer deleted an item that is not there.
  case chatItemDeletedNotFound(user: User, contact: Contact, sharedMsgId: String)
  /// A chat changed.
  case chatInfoUpdated(user: User, chatInfo: ChatInfo)

  // MARK: Group events

  /// The user is invited to a group.
  case receivedGroupInvitation(
    user: User, groupInfo: GroupInfo, contact: Contact, fromMemberRole: GroupMemberRole, memberRole: GroupMemberRole)
  /// The user accepted an invitation to a group.
  case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact? = nil)
  /// Joining by a link is under way.
  case groupLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
  /// Connecting to a business is under way.
  case businessLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, fromContact: Contact)
  /// A contact was invited to a group.
  case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
  /// The user joined a group.
  case userJoinedGroup(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
  /// The user was removed from a group.
  case deletedMemberUser(
    user: User, groupInfo: GroupInfo, member: GroupMember, withMessages: Bool, msgSigned: MsgSigStatus? = nil)
  /// A group was deleted.
  case groupDeleted(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus? = nil)
  /// A group's profile was changed.
  case groupUpdated(
    user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member_: GroupMember? = nil, msgSigned: MsgSigStatus? = nil)
  /// A public group's link or relays changed.
  case groupLinkDataUpdated(
    user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay], relaysChanged: Bool)
  /// A relay of a public group changed.
  case groupRelayUpdated(user: User, groupInfo: GroupInfo, member: GroupMember, groupRelay: GroupRelay)
  /// A member invites to a direct conversation.
  case newMemberContactReceivedInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
  /// A contact and a member turned out to be the same.
  case contactAndMemberAssociated(
    user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember, updatedContact: Contact)
  /// A direct conversation with a member is not allowed.
  case noMemberContactCreating(user: User, groupInfo: GroupInfo, member: GroupMember)

  // MARK: Member events

  /// A member joined.
  case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// A member is joining.
  case joinedGroupMemberConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, member: GroupMember)
  /// A request to join is being accepted.
  case acceptingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// Another moderator admitted a member.
  case memberAcceptedByOther(user: User, groupInfo: GroupInfo, acceptingMember: GroupMember, member: GroupMember)
  /// A member is connected.
  case connectedToGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember, memberContact: Contact? = nil)
  /// A member's profile changed.
  case groupMemberUpdated(user: User, groupInfo: GroupInfo, fromMember: GroupMember, toMember: GroupMember)
  /// A member's role was changed.
  case memberRole(
    user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, fromRole: GroupMemberRole,
    toRole: GroupMemberRole, msgSigned: MsgSigStatus? = nil)
  /// A member was blocked or unblocked for all.
  case memberBlockedForAll(
    user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, blocked: Bool,
    msgSigned: MsgSigStatus? = nil)
  /// A member was removed.
  case deletedMember(
    user: User, groupInfo: GroupInfo, byMember: GroupMember, deletedMember: GroupMember, withMessages: Bool,
    msgSigned: MsgSigStatus? = nil)
  /// A member left.
  case leftMember(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus? = nil)
  /// A message names a member who is not known.
  case unknownMemberCreated(user: User, groupInfo: GroupInfo, forwardedByMember: GroupMember, member: GroupMember)
  /// A member who is not known was blocked.
  case unknownMemberBlocked(user: User, groupInfo: GroupInfo, blockedByMember: GroupMember, member: GroupMember)
  /// A member who was not known is introduced.
  case unknownMemberAnnounced(
    user: User, groupInfo: GroupInfo, announcingMember: GroupMember, unknownMember: GroupMember,
    announcedMember: GroupMember)

  // MARK: Received files

  /// A file can be received.
  case rcvFileDescrReady(user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer, rcvFileDescr: RcvFileDescr)
  /// Receiving a file has begun.
  case rcvFileAccepted(user: User, chatItem: AChatItem)
  /// A file was accepted that its sender has cancelled.
  case rcvFileAcceptedSndCancelled(user: User, rcvFileTransfer: RcvFileTransfer)
  /// The first part of a file is being received.
  case rcvFileStart(user: User, chatItem: AChatItem)
  /// A part of a file was received; sizes in bytes.
  case rcvFileProgressXFTP(
    user: User, chatItem_: AChatItem? = nil, receivedSize: Int64, totalSize: Int64, rcvFileTransfer: RcvFileTransfer)
  /// A file was received.
  case rcvFileComplete(user: User, chatItem: AChatItem)
  /// A file outside of chats was received.
  case rcvStandaloneFileComplete(user: User, targetPath: String, rcvFileTransfer: RcvFileTransfer)
  /// The sender cancelled a file.
  case rcvFileSndCancelled(user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer)
  /// Receiving failed.
  case rcvFileError(
    user: User, chatItem_: AChatItem? = nil, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)
  /// Receiving failed for now.
  case rcvFileWarning(
    user: User, chatItem_: AChatItem? = nil, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)

  // MARK: Sent files

  /// The first part of a file is being sent.
  case sndFileStart(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
  /// A file was sent in messages.
  case sndFileComplete(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
  /// The recipient cancelled a file.
  case sndFileRcvCancelled(user: User, chatItem_: AChatItem? = nil, sndFileTransfer: SndFileTransfer)
  /// A part of a file was sent; sizes in bytes.
  case sndFileProgressXFTP(
    user: User, chatItem_: AChatItem? = nil, fileTransferMeta: FileTransferMeta, sentSize: Int64, totalSize: Int64)
  /// Sending the file that leads to a large file has begun.
  case sndFileRedirectStartXFTP(user: User, fileTransferMeta: FileTransferMeta, redirectMeta: FileTransferMeta)
  /// A file was sent through file servers.
  case sndFileCompleteXFTP(user: User, chatItem: AChatItem, fileTransferMeta: FileTransferMeta)
  /// A file outside of chats was sent; the links are for its recipients.
  case sndStandaloneFileComplete(user: User, fileTransferMeta: FileTransferMeta, rcvURIs: [String])
  /// Sending failed.
  case sndFileError(user: User, chatItem_: AChatItem? = nil, fileTransferMeta: FileTransferMeta, errorMessage: String)
  /// Sending failed for now.
  case sndFileWarning(user: User, chatItem_: AChatItem? = nil, fileTransferMeta: FileTransferMeta, errorMessage: String)

  // MARK: Call events

  /// A contact calls.
  case callInvitation(callInvitation: RcvCallInvitation)
  /// A contact offers a session.
  case callOffer(
    user: User, contact: Contact, callType: CallType, offer: WebRTCSession, sharedKey: String? = nil,
    askConfirmation: Bool)
  /// A contact answered.
  case callAnswer(user: User, contact: Contact, answer: WebRTCSession)
  /// A contact sent further candidates.
  case callExtraInfo(user: User, contact: Contact, extraInfo: WebRTCExtraInfo)
  /// A call has ended.
  case callEnded(user: User, contact: Contact)

  // MARK: Remote events

  /// A desktop was found in the local network.
  case remoteCtrlFound(
    remoteCtrl: RemoteCtrlInfo, ctrlAppInfo_: CtrlAppInfo? = nil, appVersion: String, compatible: Bool)
  /// The code to compare with a desktop.
  case remoteCtrlSessionCode(remoteCtrl_: RemoteCtrlInfo? = nil, sessionCode: String)
  /// The session with a desktop has ended.
  case remoteCtrlStopped(rcsState: RemoteCtrlSessionState, rcStopReason: RemoteCtrlStopReason)
  /// A mobile device was added.
  case newRemoteHost(remoteHost: RemoteHostInfo)
  /// The code to compare with a mobile device.
  case remoteHostSessionCode(remoteHost_: RemoteHostInfo? = nil, sessionCode: String)
  /// A mobile device is connected.
  case remoteHostConnected(remoteHost: RemoteHostInfo, compression: Bool = false)
  /// The session with a mobile device has ended.
  case remoteHostStopped(
    remoteHostId_: Int64? = nil, rhsState: RemoteHostSessionState, rhStopReason: RemoteHostStopReason)

  // MARK: System events

  /// The core is suspended.
  case chatSuspended
  /// A message announced by a notification was processed.
  case ntfMessage(user: User, connEntity: ConnectionEntity, ntfMessage: NtfMsgAckInfo)
  /// A server is connected.
  case hostConnected(protocol: ServerProtocol, transportHost: String)
  /// A server is disconnected.
  case hostDisconnected(protocol: ServerProtocol, transportHost: String)
  /// Queues were deleted.
  case agentRcvQueuesDeleted(deletedRcvQueues: [DeletedRcvQueue])
  /// Connections were deleted.
  case agentConnsDeleted(agentConnIds: [String])
  /// A user was deleted by the agent.
  case agentUserDeleted(agentUserId: Int64)
  /// A received message could not be processed.
  case messageError(user: User, severity: String, errorMessage: String)
  /// Errors outside of commands.
  case chatErrors(chatErrors: [ChatError])
  /// An error outside of commands, in the WebSocket API.
  case chatError(chatError: ChatError)
  /// The duration of an action.
  case timedAction(action: String, durationMilliseconds: Int64)
  /// A change that an app sees in its items, told to programs that show events only. The library does not return it.
  case terminalEvent(TerminalEvent)
  /// An event made by a program that is built on the core.
  case customChatEvent(user_: User? = nil, response: String)
}
