import SimplexJSON

/// A command to the chat core.
///
/// Commands are sent as text (``cmdString``) and read from text (``init(parsing:)``); both follow from one declaration
/// per command, kept by category. The names and parameters are those of the API specification; parameters with
/// default values are newer than it. Angle brackets name arguments, square brackets what may be missing.
public enum ChatCommand: Hashable, Sendable {
  // MARK: Users
  /// The active user: `/u`.
  case showActiveUser
  /// Creates a user and makes it active: `/_create user <json NewUser>`.
  indirect case createActiveUser(
    profile: Profile?, pastTimestamp: Bool, userChatRelay: Bool = false, clientService: Bool = false)
  /// All users that are not hidden: `/users`.
  case listUsers
  /// Makes a user active: `/_user <userId>[ <json password>]`.
  case apiSetActiveUser(userId: Int64, viewPwd: String?)
  /// Sets delivery receipts for all contacts of all users: `/set receipts all on|off`.
  case setAllContactReceipts(enable: Bool)
  /// Sets delivery receipts for the contacts of a user:
  /// `/_set receipts contacts <userId> on|off[ clear_overrides=on|off]`.
  case apiSetUserContactReceipts(userId: Int64, userMsgReceiptSettings: UserMsgReceiptSettings)
  /// Sets delivery receipts for the groups of a user: `/_set receipts groups <userId> on|off[ clear_overrides=on|off]`.
  case apiSetUserGroupReceipts(userId: Int64, userMsgReceiptSettings: UserMsgReceiptSettings)
  /// Sets whether direct contacts from group members are accepted without asking:
  /// `/_set accept member contacts <userId> on|off`.
  case apiSetUserAutoAcceptMemberContacts(userId: Int64, enable: Bool)
  /// Hides a user behind a password: `/_hide user <userId> <json password>`.
  case apiHideUser(userId: Int64, viewPwd: String)
  /// Shows a hidden user again: `/_unhide user <userId> <json password>`.
  case apiUnhideUser(userId: Int64, viewPwd: String)
  /// Mutes the notifications of a user: `/_mute user <userId>`.
  case apiMuteUser(userId: Int64)
  /// Unmutes the notifications of a user: `/_unmute user <userId>`.
  case apiUnmuteUser(userId: Int64)
  /// Deletes a user, and its queues on the servers if asked to:
  /// `/_delete user <userId> del_smp=on|off[ <json password>]`.
  case apiDeleteUser(userId: Int64, delSMPQueues: Bool, viewPwd: String?)
  /// Changes the profile of a user and sends it to its contacts: `/_profile <userId> <json Profile>`.
  indirect case apiUpdateProfile(userId: Int64, profile: Profile)

  // MARK: Chat lifecycle
  /// Starts the core: `/_start[ main=on|off[ snd_files=on|off]]`.
  case startChat(mainApp: Bool, enableSndFiles: Bool)
  /// Whether the core runs: `/_check running`.
  case checkChatRunning
  /// Stops the core: `/_stop`.
  case apiStopChat
  /// Resumes after suspension: `/_app activate[ restore=on|off]`.
  case apiActivateChat(restoreChat: Bool)
  /// Finishes running operations and suspends, after this time at the latest:
  /// `/_app suspend <timeout in microseconds>`.
  case apiSuspendChat(timeoutMicroseconds: Int)
  /// Sets the folders for files: `/set file paths <json AppFilePathsConfig>`.
  case apiSetAppFilePaths(
    filesFolder: String, tempFolder: String, assetsFolder: String, remoteHostsFolder: String? = nil)
  /// Sets whether local files are encrypted: `/_files_encrypt on|off`.
  case apiSetEncryptLocalFiles(enable: Bool)

  // MARK: Chats and messages
  /// The list of chats with their last items; without page and filter the last 5,000: `/_get chats <userId>[
  /// pcc=on|off][ count=<n>|after=<time> count=<n>|before=<time> count=<n>][ <json ChatListQuery>]`.
  case apiGetChats(
    userId: Int64, pendingConnections: Bool = true, pagination: PaginationByTime? = nil, query: ChatListQuery? = nil)
  /// A page of items of a chat: `/_get chat <chat>[(_support[:<groupMemberId>])][ content=<tag>]
  /// count=<n>|after=<itemId> count=<n>|before=<itemId> count=<n>|around=<itemId> count=<n>|initial=<n>[
  /// search=<search>]`.
  case apiGetChat(
    chatId: ChatId, scope: GroupChatScope?, contentTag: MsgContentTag?, pagination: ChatPagination, search: String)
  /// The kinds of content that a chat has: `/_get content types <chat>[(_support[:<groupMemberId>])]`.
  case apiGetChatContentTypes(chatId: ChatId, scope: GroupChatScope?)
  /// Versions and delivery of an item: `/_get item info <@|#|*|:><chatId>[(_support[:<groupMemberId>])] <itemId>`.
  case apiGetChatItemInfo(type: ChatType, id: Int64, scope: GroupChatScope?, itemId: Int64)
  /// Sends messages: `/_send <@|#><chatId>[(_support[:<groupMemberId>])][(as_group=on|off)][ live=on|off][
  /// ttl=<seconds>|default][ sign=on|off] json <json [ComposedMessage]>`.
  case apiSendMessages(
    type: ChatType, id: Int64, scope: GroupChatScope?, sendAsGroup: Bool = false, live: Bool, ttl: Int?,
    signMessages: Bool = false, composedMessages: [ComposedMessage])
  /// Adds items to the private notes: `/_create *<noteFolderId> json <json [ComposedMessage]>`.
  case apiCreateChatItems(noteFolderId: Int64, composedMessages: [ComposedMessage])
  /// Edits a sent message:
  /// `/_update item <@|#|*|:><chatId>[(_support[:<groupMemberId>])] <itemId>[ live=on|off] json <json UpdatedMessage>`.
  case apiUpdateChatItem(
    type: ChatType, id: Int64, scope: GroupChatScope?, itemId: Int64, updatedMessage: UpdatedMessage, live: Bool)
  /// Deletes items: `/_delete item <@|#|*|:><chatId>[(_support[:<groupMemberId>])] <itemId>,…
  /// broadcast|internal|internalMark|history`.
  case apiDeleteChatItem(type: ChatType, id: Int64, scope: GroupChatScope?, itemIds: [Int64], mode: CIDeleteMode)
  /// Deletes items of other members of a group: `/_delete member item #<groupId> <itemId>,…`.
  case apiDeleteMemberChatItem(groupId: Int64, itemIds: [Int64])
  /// Adds or removes a reaction:
  /// `/_reaction <@|#|*|:><chatId>[(_support[:<groupMemberId>])] <itemId> on|off <json MsgReaction>`.
  case apiChatItemReaction(
    type: ChatType, id: Int64, scope: GroupChatScope?, itemId: Int64, add: Bool, reaction: MsgReaction)
  /// The members who added a reaction: `/_reaction members <userId> #<groupId> <itemId> <json MsgReaction>`.
  case apiGetReactionMembers(userId: Int64, groupId: Int64, itemId: Int64, reaction: MsgReaction)
  /// What forwarding these items would take: `/_forward plan <@|#|*|:><chatId>[(_support[:<groupMemberId>])]
  /// <itemId>,…`.
  case apiPlanForwardChatItems(fromChatType: ChatType, fromChatId: Int64, fromScope: GroupChatScope?, itemIds: [Int64])
  /// Forwards items to another chat: `/_forward <@|#|*|:><chatId>[(_support[:<groupMemberId>])][ as_group=on|off]
  /// <@|#|*|:><fromChatId>[(_support[:<groupMemberId>])] <itemId>,…[ ttl=<seconds>|default]`.
  case apiForwardChatItems(
    toChatType: ChatType, toChatId: Int64, toScope: GroupChatScope?, sendAsGroup: Bool = false, fromChatType: ChatType,
    fromChatId: Int64, fromScope: GroupChatScope?, itemIds: [Int64], ttl: Int?)
  /// Reports a message to the moderators: `/_report #<groupId> <chatItemId> reason=<reason>[ <text>]`.
  case apiReportMessage(groupId: Int64, chatItemId: Int64, reportReason: ReportReason, reportText: String)
  /// Marks a chat as read: `/_read chat <@|#|*|:><chatId>[(_support[:<groupMemberId>])]`.
  case apiChatRead(type: ChatType, id: Int64, scope: GroupChatScope?)
  /// Marks items as read: `/_read chat items <@|#|*|:><chatId>[(_support[:<groupMemberId>])] <itemId>,…`.
  case apiChatItemsRead(type: ChatType, id: Int64, scope: GroupChatScope?, itemIds: [Int64])
  /// Marks a chat as unread, or not: `/_unread chat <@|#|*|:><chatId> on|off`.
  case apiChatUnread(type: ChatType, id: Int64, unreadChat: Bool)
  /// Archives all reports that a group's moderators received: `/_archive reports #<groupId>`.
  case apiArchiveReceivedReports(groupId: Int64)
  /// Deletes reports that a group's moderators received:
  /// `/_delete reports #<groupId> <itemId>,… broadcast|internal|internalMark|history`.
  case apiDeleteReceivedReports(groupId: Int64, itemIds: [Int64], mode: CIDeleteMode)
  /// The content of a message that shares a chat:
  /// `/_share chat content <@|#|*|:><chatId> <@|#><chatId>[(_support[:<groupMemberId>])][(as_group=on|off)]`.
  case apiShareChatMsgContent(
    shareChatType: ChatType, shareChatId: Int64, toChatType: ChatType, toChatId: Int64, toScope: GroupChatScope?,
    sendAsGroup: Bool)
  /// Items of all chats: `/_get items count=<n>|after=<itemId> count=<n>|before=<itemId> count=<n>|around=<itemId>
  /// count=<n>|initial=<n>[ search=<search>]`.
  case apiGetChatItems(pagination: ChatPagination, search: String?)
  /// Marks all chats of a user as read: `/_read user <userId>`.
  case apiUserRead(userId: Int64)

  // MARK: Contacts
  /// Creates a one-time invitation: `/_connect <userId>[ incognito=on|off]`.
  case apiAddContact(userId: Int64, incognito: Bool)
  /// Connects via a link; a short one is completed with what its relay keeps, and `apiConnectPlan` says before what
  /// connecting would do: `/_connect <userId>[ incognito=on|off] <full link>[ <short link>]`.
  case apiConnect(userId: Int64, incognito: Bool, connLink: CreatedConnLink)
  /// What connecting via a link or name would do:
  /// `/_connect plan <userId> <link or name>[ resolve=<on|off>][ sig=<json LinkOwnerSig>]`.
  case apiConnectPlan(userId: Int64, connLink: String, resolve: Bool = false, linkOwnerSig: LinkOwnerSig? = nil)
  /// Adds a contact that is not connected yet:
  /// `/_prepare contact <userId> <full link>[ <short link>][ domain=<name>] <json ContactShortLinkData>`.
  indirect case apiPrepareContact(
    userId: Int64, connLink: CreatedConnLink, contactShortLinkData: ContactShortLinkData, verifiedDomain: String? = nil)
  /// Connects to a prepared contact, with a message:
  /// `/_connect contact @<contactId>[ incognito=on|off][ json <json MsgContent>]`.
  case apiConnectPreparedContact(contactId: Int64, incognito: Bool, msg: MsgContent?)
  /// Connects to a contact via the address in its profile: `/_connect contact <userId>[ incognito=on|off] <contactId>`.
  case apiConnectContactViaAddress(userId: Int64, incognito: Bool, contactId: Int64)
  /// Accepts a contact request: `/_accept[ incognito=on|off] <contactReqId>`.
  case apiAcceptContact(incognito: Bool, contactReqId: Int64)
  /// Rejects a contact request without telling the sender: `/_reject <contactReqId>`.
  case apiRejectContact(contactReqId: Int64)
  /// Deletes a contact, group or connection: `/_delete <@|#|*|:><chatId>[ full|entity|messages][ notify=on|off]`.
  case apiDeleteChat(type: ChatType, id: Int64, chatDeleteMode: ChatDeleteMode)
  /// Deletes all items of a chat: `/_clear chat <@|#|*|:><chatId>`.
  case apiClearChat(type: ChatType, id: Int64)
  /// All contacts of a user: `/_contacts <userId>`.
  case apiListContacts(userId: Int64)
  /// Sets what features are allowed with a contact: `/_set prefs @<contactId> <json Preferences>`.
  indirect case apiSetContactPrefs(contactId: Int64, preferences: Preferences)
  /// Sets the local name of a contact: `/_set alias @<contactId>[ <alias>]`.
  case apiSetContactAlias(contactId: Int64, localAlias: String)
  /// Sets the local name of a pending connection: `/_set alias :<connId>[ <alias>]`.
  case apiSetConnectionAlias(connId: Int64, localAlias: String)
  /// A contact and its connection: `/_info @<contactId>`.
  case apiContactInfo(contactId: Int64)
  /// Sets whether a pending connection uses a random profile: `/_set incognito :<connId> on|off`.
  case apiSetConnectionIncognito(connId: Int64, incognito: Bool)
  /// Accepts a direct contact from a group member: `/_accept member contact @<contactId>`.
  case apiAcceptMemberContact(contactId: Int64)
  /// The state of a contact's queue on the server: `/_queue info @<contactId>`.
  case apiContactQueueInfo(contactId: Int64)
  /// Moves a pending connection to another user: `/_set conn user :<connId> <userId>`.
  case apiChangeConnectionUser(connId: Int64, userId: Int64)
  /// Moves a prepared contact to another user: `/_set contact user @<contactId> <userId>`.
  case apiChangePreparedContactUser(contactId: Int64, newUserId: Int64)
  /// Checks the domain name that a contact claims: `/_verify domain @<contactId>`.
  case apiVerifyContactDomain(contactId: Int64)
  /// Sets data that a bot keeps with a contact: `/_set custom @<contactId>[ <json JSONValue>]`.
  case apiSetContactCustomData(contactId: Int64, customData: JSONValue?)
  /// Enables a contact again whose connection failed too often: `/_enable @<contactId>`.
  case apiEnableContact(contactId: Int64)

  // MARK: Groups
  /// Creates a group: `/_group <userId>[ incognito=on|off] <json GroupProfile>`.
  indirect case apiNewGroup(userId: Int64, incognito: Bool, groupProfile: GroupProfile)
  /// Invites a contact to a group: `/_add #<groupId> <contactId> owner|admin|moderator|member|author|observer|relay`.
  case apiAddMember(groupId: Int64, contactId: Int64, memberRole: GroupMemberRole)
  /// Accepts an invitation to a group: `/_join #<groupId>`.
  case apiJoinGroup(groupId: Int64)
  /// Accepts a member who is pending approval:
  /// `/_accept member #<groupId> <groupMemberId> owner|admin|moderator|member|author|observer|relay`.
  case apiAcceptMember(groupId: Int64, groupMemberId: Int64, memberRole: GroupMemberRole)
  /// Removes members, and their messages if asked to: `/_remove #<groupId> <groupMemberId>,…[ messages=on|off]`.
  case apiRemoveMembers(groupId: Int64, memberIds: [Int64], withMessages: Bool)
  /// Leaves a group: `/_leave #<groupId>`.
  case apiLeaveGroup(groupId: Int64)
  /// All members of a group: `/_members #<groupId>`.
  case apiListMembers(groupId: Int64)
  /// Changes the profile of a group: `/_group_profile #<groupId> <json GroupProfile>`.
  indirect case apiUpdateGroupProfile(groupId: Int64, groupProfile: GroupProfile)
  /// Changes the role of members:
  /// `/_member role #<groupId> <groupMemberId>,… owner|admin|moderator|member|author|observer|relay`.
  case apiMembersRole(groupId: Int64, memberIds: [Int64], memberRole: GroupMemberRole)
  /// Blocks members for everybody, or unblocks them: `/_block #<groupId> <groupMemberId>,… blocked=on|off`.
  case apiBlockMembersForAll(groupId: Int64, memberIds: [Int64], blocked: Bool)
  /// Creates a link through which people join:
  /// `/_create link #<groupId>[ owner|admin|moderator|member|author|observer|relay]`.
  case apiCreateGroupLink(groupId: Int64, memberRole: GroupMemberRole)
  /// Sets the role of those who join via the link:
  /// `/_set link role #<groupId> owner|admin|moderator|member|author|observer|relay`.
  case apiGroupLinkMemberRole(groupId: Int64, memberRole: GroupMemberRole)
  /// Deletes the link of a group: `/_delete link #<groupId>`.
  case apiDeleteGroupLink(groupId: Int64)
  /// The link of a group: `/_get link #<groupId>`.
  case apiGetGroupLink(groupId: Int64)
  /// Adds a short link to the link of a group: `/_short link #<groupId>`.
  case apiAddGroupShortLink(groupId: Int64)
  /// Creates a direct contact with a member: `/_create member contact #<groupId> <groupMemberId>`.
  case apiCreateMemberContact(groupId: Int64, groupMemberId: Int64)
  /// Invites the member of a direct contact, with a message:
  /// `/_invite member contact @<contactId>[ json <json MsgContent>]`.
  case apiSendMemberContactInvitation(contactId: Int64, msg: MsgContent?)
  /// A member and its connection: `/_info #<groupId> <groupMemberId>`.
  case apiGroupMemberInfo(groupId: Int64, groupMemberId: Int64)
  /// Deletes the chat between a member and the moderators: `/_delete member chat #<groupId> <groupMemberId>`.
  case apiDeleteMemberSupportChat(groupId: Int64, groupMemberId: Int64)
  /// Sets whether a member's messages are shown:
  /// `/_member settings #<groupId> <groupMemberId> <json GroupMemberSettings>`.
  case apiSetMemberSettings(groupId: Int64, groupMemberId: Int64, memberSettings: GroupMemberSettings)
  /// Sets the local name of a group: `/_set alias #<groupId>[ <alias>]`.
  case apiSetGroupAlias(groupId: Int64, localAlias: String)
  /// The state of a member's queue on the server: `/_queue info #<groupId> <groupMemberId>`.
  case apiGroupMemberQueueInfo(groupId: Int64, groupMemberId: Int64)
  /// Reads the data of a group's link again: `/_get group link data #<groupId>`.
  case apiGetUpdatedGroupLinkData(groupId: Int64)
  /// A group: `/_info #<groupId>`.
  case apiGroupInfo(groupId: Int64)
  /// The groups of a user, those with a contact or with a text in their names:
  /// `/_groups <userId>[ @<contactId>][ <search>]`.
  case apiListGroups(userId: Int64, contactId: Int64?, search: String?)
  /// Sets data that a bot keeps with a group: `/_set custom #<groupId>[ <json JSONValue>]`.
  case apiSetGroupCustomData(groupId: Int64, customData: JSONValue?)
  /// Enables a member again whose connection failed too often: `/_enable #<groupId> <groupMemberId>`.
  case apiEnableGroupMember(groupId: Int64, groupMemberId: Int64)

  // MARK: Channels
  /// Creates a channel: `/_public group <userId>[ incognito=on|off] <relayId>,… <json GroupProfile>`.
  indirect case apiNewPublicGroup(userId: Int64, incognito: Bool, relayIds: [Int64], groupProfile: GroupProfile)
  /// The relays of a channel: `/_get relays #<groupId>`.
  case apiGetGroupRelays(groupId: Int64)
  /// Adds relays to a channel: `/_add relays #<groupId> <relayId>,…`.
  case apiAddGroupRelays(groupId: Int64, relayIds: [Int64])
  /// Sets the web page and the domain of a channel: `/_public group access #<groupId> <json PublicGroupAccess>`.
  case apiSetPublicGroupAccess(groupId: Int64, access: PublicGroupAccess)
  /// Tests a chat relay: `/_relay test <userId> <address>`.
  case apiTestChatRelay(userId: Int64, address: String)
  /// Lets a relay serve a channel again that it rejected: `/_relay allow #<groupId>`.
  case apiAllowRelayGroup(groupId: Int64)
  /// Adds a group that is not joined yet:
  /// `/_prepare group <userId> <full link>[ <short link>][ direct=on|off][ domain=<name>] <json GroupShortLinkData>`.
  indirect case apiPrepareGroup(
    userId: Int64, connLink: CreatedConnLink, directLink: Bool, groupShortLinkData: GroupShortLinkData,
    verifiedDomain: String? = nil)
  /// Moves a prepared group to another user: `/_set group user #<groupId> <userId>`.
  case apiChangePreparedGroupUser(groupId: Int64, newUserId: Int64)
  /// Joins a prepared group, with a message:
  /// `/_connect group #<groupId>[ incognito=on|off][ contact=<contactId> owner=<memberId>][ json <json MsgContent>]`.
  case apiConnectPreparedGroup(
    groupId: Int64, incognito: Bool, ownerContact: GroupOwnerContact? = nil, msg: MsgContent?)
  /// Checks the domain name that a group claims: `/_verify domain #<groupId>`.
  case apiVerifyGroupDomain(groupId: Int64)

  // MARK: Chat tags
  /// The tags of a user: `/_get tags <userId>`.
  case apiGetChatTags(userId: Int64)
  /// Creates a tag: `/_create tag <json ChatTagData>`.
  case apiCreateChatTag(tag: ChatTagData)
  /// Sets the tags of a chat; none removes all: `/_tags <@|#|*|:><chatId>[ <tagId>,…]`.
  case apiSetChatTags(type: ChatType, id: Int64, tagIds: [Int64])
  /// Deletes a tag: `/_delete tag <tagId>`.
  case apiDeleteChatTag(tagId: Int64)
  /// Changes a tag: `/_update tag <tagId> <json ChatTagData>`.
  case apiUpdateChatTag(tagId: Int64, tagData: ChatTagData)
  /// Sets the order of the tags: `/_reorder tags <tagId>,…`.
  case apiReorderChatTags(tagIds: [Int64])

  // MARK: Files
  /// Receives a file: `/freceive <fileId>[ approved_relays=on|off][ encrypt=on|off][ inline=on|off][ <path>]`.
  case receiveFile(fileId: Int64, userApprovedRelays: Bool, encrypted: Bool?, inline: Bool?, filePath: String? = nil)
  /// Receives a file when the core starts: `/_set_file_to_receive <fileId>[ approved_relays=on|off][ encrypt=on|off]`.
  case setFileToReceive(fileId: Int64, userApprovedRelays: Bool, encrypted: Bool?)
  /// Cancels sending or receiving a file: `/fcancel <fileId>`.
  case cancelFile(fileId: Int64)
  /// Uploads a file outside any chat: `/_upload <userId> [key=<key> nonce=<nonce> ]<path>`.
  case apiUploadStandaloneFile(userId: Int64, file: CryptoFile)
  /// Downloads a file by its link: `/_download <userId> <link> [key=<key> nonce=<nonce> ]<path>`.
  case apiDownloadStandaloneFile(userId: Int64, url: String, file: CryptoFile)
  /// The description of a file behind a link: `/_download info <link>`.
  case apiStandaloneFileInfo(url: String)

  // MARK: Calls
  /// Calls a contact: `/_call invite @<contactId> <json CallType>`.
  case apiSendCallInvitation(contact: ContactID, callType: CallType)
  /// Rejects a call: `/_call reject @<contactId>`.
  case apiRejectCall(contact: ContactID)
  /// Accepts a call with an offer: `/_call offer @<contactId> <json WebRTCCallOffer>`.
  case apiSendCallOffer(contact: ContactID, callOffer: WebRTCCallOffer)
  /// Answers an offer: `/_call answer @<contactId> <json WebRTCSession>`.
  case apiSendCallAnswer(contact: ContactID, answer: WebRTCSession)
  /// Sends further connection candidates: `/_call extra @<contactId> <json WebRTCExtraInfo>`.
  case apiSendCallExtraInfo(contact: ContactID, extraInfo: WebRTCExtraInfo)
  /// Ends a call: `/_call end @<contactId>`.
  case apiEndCall(contact: ContactID)
  /// Incoming calls that were not answered yet: `/_call get`.
  case apiGetCallInvitations
  /// Reports the state of a call's connection: `/_call status @<contactId> connecting|connected|disconnected|failed`.
  case apiCallStatus(contact: ContactID, callStatus: WebRTCCallStatus)

  // MARK: Push notifications
  /// The token of this device: `/_ntf get`.
  case apiGetNtfToken
  /// Registers the device with a notification server:
  /// `/_ntf register apns_dev|apns_prod|apns_test|apns_null <hexadecimal token> PERIODIC|INSTANT`.
  case apiRegisterToken(token: DeviceToken, notificationMode: NotificationsMode)
  /// Confirms the registration:
  /// `/_ntf verify apns_dev|apns_prod|apns_test|apns_null <hexadecimal token> <nonce> <code>`.
  case apiVerifyToken(token: DeviceToken, nonce: String, code: String)
  /// The state of the registration: `/_ntf check apns_dev|apns_prod|apns_test|apns_null <hexadecimal token>`.
  case apiCheckToken(token: DeviceToken)
  /// Ends the registration: `/_ntf delete apns_dev|apns_prod|apns_test|apns_null <hexadecimal token>`.
  case apiDeleteToken(token: DeviceToken)
  /// The connections that a push is about: `/_ntf conns <nonce> <encrypted info>`.
  case apiGetNtfConns(nonce: String, encNtfInfo: String)
  /// Gets the messages that a push is about: `/_ntf conn messages <connId>:<queueId>:<time>,…`.
  case apiGetConnNtfMessages(connMsgReqs: [ConnMsgReq])

  // MARK: Settings
  /// Saves the settings of the app: `/_save app settings <json AppSettings>`.
  indirect case apiSaveSettings(settings: AppSettings)
  /// The saved settings of the app, and these where none are saved: `/_get app settings[ <json AppSettings>]`.
  indirect case apiGetSettings(settings: AppSettings?)
  /// Sets notifications, receipts and the favourite mark of a chat: `/_settings <@|#|*|:><chatId> <json ChatSettings>`.
  case apiSetChatSettings(type: ChatType, id: Int64, chatSettings: ChatSettings)
  /// Sets how long messages are kept; 0 keeps them: `/_ttl <userId> <seconds>`.
  case apiSetChatItemTTL(userId: Int64, seconds: Int64)
  /// How long messages are kept: `/_ttl <userId>`.
  case apiGetChatItemTTL(userId: Int64)
  /// Sets how long the messages of a chat are kept; nil as for the user:
  /// `/_ttl <userId> <@|#|*|:><chatId> <seconds>|default`.
  case apiSetChatTTL(userId: Int64, type: ChatType, id: Int64, seconds: Int64?)
  /// Sets the network configuration: `/_network <json NetCfg>`.
  indirect case apiSetNetworkConfig(networkConfig: NetCfg)
  /// The network configuration: `/network`.
  case apiGetNetworkConfig
  /// Reports what network the device has: `/_network info <json UserNetworkInfo>`.
  case apiSetNetworkInfo(networkInfo: UserNetworkInfo)
  /// Connects to all servers again: `/reconnect`.
  case reconnectAllServers
  /// Connects to a server again: `/reconnect <userId> <smp server>`.
  case reconnectServer(userId: Int64, smpServer: String)
  /// Sets whether contacts found to be the same person are merged: `/contact_merge on|off`.
  case setContactMergeEnabled(enable: Bool)

  // MARK: Database
  /// Changes the passphrase of the databases: `/_db encryption <json DBEncryptionConfig>`.
  case apiStorageEncryption(config: DBEncryptionConfig)
  /// Whether a passphrase opens the databases: `/db test key <key>`.
  case testStorageEncryption(key: String)
  /// Exports databases and files to an archive: `/_db export <json ArchiveConfig>`.
  case apiExportArchive(config: ArchiveConfig)
  /// Replaces databases and files by those of an archive: `/_db import <json ArchiveConfig>`.
  case apiImportArchive(config: ArchiveConfig)
  /// Deletes databases and files: `/_db delete`.
  case apiDeleteStorage

  // MARK: Servers
  /// The operators of servers and the conditions of use: `/_operators`.
  case apiGetServerOperators
  /// Sets which operators are used: `/_operators <json Array<ServerOperator>>`.
  case apiSetServerOperators(operators: [ServerOperator])
  /// The servers of a user: `/_servers <userId>`.
  case apiGetUserServers(userId: Int64)
  /// Sets the servers of a user: `/_servers <userId> <json Array<UserOperatorServers>>`.
  case apiSetUserServers(userId: Int64, userServers: [UserOperatorServers])
  /// Validates a choice of servers: `/_validate_servers <userId> <json Array<UserOperatorServers>>`.
  case apiValidateServers(userId: Int64, userServers: [UserOperatorServers])
  /// The conditions of use: `/_conditions`.
  case apiGetUsageConditions
  /// Accepts the conditions of operators: `/_accept_conditions <conditionsId> <operatorId>,…`.
  case apiAcceptConditions(conditionsId: Int64, operatorIds: [Int64])
  /// Tests a server: `/_server test <userId> <server>`.
  case apiTestProtoServer(userId: Int64, server: String)
  /// Records that the user was notified of the conditions: `/_conditions_notified <conditionsId>`.
  case apiSetConditionsNotified(conditionsId: Int64)

  // MARK: Themes
  /// Sets the theme of a user; nil for the app's own: `/_set theme user <userId>[ <json ThemeModeOverrides>]`.
  case apiSetUserUIThemes(userId: Int64, themes: ThemeModeOverrides?)
  /// Sets the theme of a chat; nil as for the user: `/_set theme <chat>[ <json ThemeModeOverrides>]`.
  case apiSetChatUIThemes(chatId: String, themes: ThemeModeOverrides?)

  // MARK: Remote desktop
  /// Sets the name of this device: `/set device name <name>`.
  case setLocalDeviceName(displayName: String)
  /// Connects to a desktop by its invitation: `/connect remote ctrl <invitation>`.
  case connectRemoteCtrl(xrcpInvitation: String)
  /// Looks for known desktops in the local network: `/find remote ctrl`.
  case findKnownRemoteCtrl
  /// Connects to the desktop that was found: `/confirm remote ctrl <remoteCtrlId>`.
  case confirmRemoteCtrl(remoteCtrlId: Int64)
  /// Confirms that both sides show the same code: `/verify remote ctrl <session code>`.
  case verifyRemoteCtrlSession(sessionCode: String)
  /// The known desktops: `/list remote ctrls`.
  case listRemoteCtrls
  /// Ends the session with a desktop: `/stop remote ctrl`.
  case stopRemoteCtrl
  /// Deletes a known desktop: `/delete remote ctrl <remoteCtrlId>`.
  case deleteRemoteCtrl(remoteCtrlId: Int64)

  // MARK: Diagnostics
  /// The version of the core: `/version`.
  case showVersion
  /// How many subscriptions there are: `/get subs total <userId>`.
  case getAgentSubsTotal(userId: Int64)
  /// Statistics of the servers: `/get servers summary <userId>`.
  case getAgentServersSummary(userId: Int64)
  /// Sets the statistics to zero: `/reset servers stats`.
  case resetAgentServersStats
  /// The connections that only the agent or only the chat database has: `/_connections diff[ show_ids=on|off]`.
  case showConnectionsDiff(showIds: Bool)
  /// Subscribes to all connections again: `/_resubscribe all`.
  case resubscribeAllConnections

  // MARK: Address
  /// Creates an address: `/_address <userId>`.
  case apiCreateMyAddress(userId: Int64)
  /// Deletes the address: `/_delete_address <userId>`.
  case apiDeleteMyAddress(userId: Int64)
  /// The address: `/_show_address <userId>`.
  case apiShowMyAddress(userId: Int64)
  /// Adds a short link to the address: `/_short_link_address <userId>`.
  case apiAddMyAddressShortLink(userId: Int64)
  /// Adds the address to the profile, or removes it: `/_profile_address <userId> on|off`.
  case apiSetProfileAddress(userId: Int64, on: Bool)
  /// Sets how requests are accepted and answered: `/_address_settings <userId> <json AddressSettings>`.
  case apiSetAddressSettings(userId: Int64, addressSettings: AddressSettings)
  /// Sets the domain name of a user: `/_set domain <userId>[ <name>]`.
  case apiSetUserDomain(userId: Int64, simplexDomain: String?)

  // MARK: Connection security
  /// The security code of a contact: `/_get code @<contactId>`.
  case apiGetContactCode(contactId: Int64)
  /// The security code of a member: `/_get code #<groupId> <groupMemberId>`.
  case apiGetGroupMemberCode(groupId: Int64, groupMemberId: Int64)
  /// Compares the security code of a contact; nil forgets the verification: `/_verify code @<contactId>[ <code>]`.
  case apiVerifyContact(contactId: Int64, connectionCode: String?)
  /// Compares the security code of a member; nil forgets the verification:
  /// `/_verify code #<groupId> <groupMemberId>[ <code>]`.
  case apiVerifyGroupMember(groupId: Int64, groupMemberId: Int64, connectionCode: String?)
  /// Moves a contact to another queue: `/_switch @<contactId>`.
  case apiSwitchContact(contactId: Int64)
  /// Moves a member to another queue: `/_switch #<groupId> <groupMemberId>`.
  case apiSwitchGroupMember(groupId: Int64, groupMemberId: Int64)
  /// Stops moving a contact: `/_abort switch @<contactId>`.
  case apiAbortSwitchContact(contactId: Int64)
  /// Stops moving a member: `/_abort switch #<groupId> <groupMemberId>`.
  case apiAbortSwitchGroupMember(groupId: Int64, groupMemberId: Int64)
  /// Repairs the encryption with a contact: `/_sync @<contactId>[ force=on]`.
  case apiSyncContactRatchet(contactId: Int64, force: Bool)
  /// Repairs the encryption with a member: `/_sync #<groupId> <groupMemberId>[ force=on]`.
  case apiSyncGroupMemberRatchet(groupId: Int64, groupMemberId: Int64, force: Bool)

  // MARK: Anything else

  /// A command that users type, with names instead of numbers.
  indirect case terminal(TerminalCommand)
  /// The text of any command as it is; it is parsed by the core.
  case string(String)
}
