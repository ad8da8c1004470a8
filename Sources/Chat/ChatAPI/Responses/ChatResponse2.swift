import SimplexJSON

/// Responses about groups, files, calls, notifications and everything else.
public indirect enum ChatResponse2: JSONCodable, Hashable, Sendable, ChatAPIResult {
  // MARK: Groups

  /// A group was created.
  case groupCreated(user: User, groupInfo: GroupInfo)
  /// A contact was invited to a group.
  case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
  /// The user accepted an invitation to a group.
  case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact? = nil)
  /// A group with its members.
  case groupMembers(user: User, group: Group)
  /// All groups.
  case groupsList(user: User, groups: [GroupInfo])
  /// The user removed members.
  case userDeletedMembers(
    user: User, groupInfo: GroupInfo, members: [GroupMember], withMessages: Bool, msgSigned: Bool = false)
  /// The user left a group.
  case leftMemberUser(user: User, groupInfo: GroupInfo)
  /// A member was admitted.
  case memberAccepted(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// A member's support chat was read.
  case memberSupportChatRead(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// A member's support chat was deleted.
  case memberSupportChatDeleted(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// The user changed roles.
  case membersRoleUser(
    user: User, groupInfo: GroupInfo, members: [GroupMember], toRole: GroupMemberRole, msgSigned: Bool = false)
  /// The user blocked or unblocked members for all.
  case membersBlockedForAllUser(
    user: User, groupInfo: GroupInfo, members: [GroupMember], blocked: Bool, msgSigned: Bool = false)
  /// A group's profile was changed.
  case groupUpdated(
    user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member_: GroupMember? = nil, msgSigned: Bool = false)

  // MARK: Group links

  /// A group's link was created.
  case groupLinkCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
  /// A group's link.
  case groupLink(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
  /// A group's link was deleted.
  case groupLinkDeleted(user: User, groupInfo: GroupInfo)
  /// A contact for a member was created.
  case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
  /// A member was invited to a direct conversation.
  case newMemberContactSentInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
  /// A member's invitation to a direct conversation was accepted.
  case memberContactAccepted(user: User, contact: Contact)
  /// A public group was created.
  case publicGroupCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
  /// A public group could not be created; none of its relays could be added.
  case publicGroupCreationFailed(user: User, addRelayResults: [AddRelayResult])
  /// Relays of a group.
  case groupRelays(user: User, groupInfo: GroupInfo, groupRelays: [GroupRelay])
  /// Relays were added to a group.
  case groupRelaysAdded(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
  /// Relays could not be added.
  case groupRelaysAddFailed(user: User, addRelayResults: [AddRelayResult])
  /// The relay now serves the group.
  case relayGroupAllowed(user: User, groupInfo: GroupInfo)
  /// The result of verifying a contact's domain name: success if there is no failure.
  case contactDomainVerified(user: User, contact: Contact, verificationFailure: String? = nil)
  /// The result of verifying a group's domain name: success if there is no failure.
  case groupDomainVerified(user: User, groupInfo: GroupInfo, verificationFailure: String? = nil)

  // MARK: Files

  /// Receiving a file has begun.
  case rcvFileAccepted(user: User, chatItem: AChatItem)
  /// A file was accepted that its sender has cancelled.
  case rcvFileAcceptedSndCancelled(user: User, rcvFileTransfer: RcvFileTransfer)
  /// The description of a file behind a link.
  case standaloneFileInfo(fileMeta: JSONValue? = nil)
  /// Receiving a file outside of chats has begun.
  case rcvStandaloneFileCreated(user: User, rcvFileTransfer: RcvFileTransfer)
  /// Receiving was cancelled.
  case rcvFileCancelled(user: User, chatItem_: AChatItem? = nil, rcvFileTransfer: RcvFileTransfer)
  /// Sending was cancelled.
  case sndFileCancelled(
    user: User, chatItem_: AChatItem? = nil, fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
  /// Sending a file outside of chats has begun.
  case sndStandaloneFileCreated(user: User, fileTransferMeta: FileTransferMeta)

  // MARK: System

  /// Incoming calls that were not answered yet.
  case callInvitations(callInvitations: [RcvCallInvitation])
  /// State of the notification token.
  case ntfTokenStatus(status: NtfTknStatus)
  /// The notification token.
  case ntfToken(token: DeviceToken, status: NtfTknStatus, ntfMode: NotificationsMode, ntfServer: String)
  /// What notifications are about.
  case ntfConns(ntfConns: [NtfConn])
  /// Messages fetched for notifications.
  case connNtfMessages(receivedMsgs: [RcvNtfMsgInfo])
  /// Desktops that can control this device.
  case remoteCtrlList(remoteCtrls: [RemoteCtrlInfo])
  /// Connecting to a desktop has begun.
  case remoteCtrlConnecting(remoteCtrl_: RemoteCtrlInfo? = nil, ctrlAppInfo: CtrlAppInfo, appVersion: String)
  /// A desktop is connected.
  case remoteCtrlConnected(remoteCtrl: RemoteCtrlInfo, compression: Bool = false)
  /// Versions of the core and its migrations.
  case versionInfo(versionInfo: CoreVersionInfo, chatMigrations: [UpMigration], agentMigrations: [UpMigration])
  /// The command was carried out.
  case cmdOk(user_: User? = nil)
  /// The error of a command, in the WebSocket API.
  case chatCmdError(chatError: ChatError)
  /// Counts of all subscriptions.
  case agentSubsTotal(user: User, subsTotal: SMPServerSubs, hasSession: Bool)
  /// Statistics of servers.
  case agentServersSummary(user: User, serversSummary: PresentedServersSummary)
  /// Counts of subscriptions; known to the iOS app and not sent by any core.
  case agentSubsSummary(user: User, subsSummary: SMPServerSubs)
  /// An archive was written; the errors name what was left out.
  case archiveExported(archiveErrors: [ArchiveError])
  /// An archive was read; the errors name what was left out.
  case archiveImported(archiveErrors: [ArchiveError])
  /// Settings of the app.
  case appSettings(appSettings: AppSettings)
}
