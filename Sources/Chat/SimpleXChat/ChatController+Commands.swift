import ChatAPI

extension ChatController {
  /// The one place that knows what happens to a command: each category carries out its own. Exhaustive, so that a new
  /// command is not forgotten.
  func perform(_ command: ChatCommand) async throws(ChatError) -> ChatResponse {
    try command.requireTexts()
    let response: ChatResponse?
    switch command {
    case .terminal(let typed): response = try await perform(typed)
    case .string(let text): response = try await perform(try ChatCommand(parsing: text))
    case .apiSendMessages, .apiCreateChatItems, .apiUpdateChatItem, .apiDeleteChatItem, .apiChatItemReaction,
      .apiPlanForwardChatItems, .apiForwardChatItems:
      response = try await performMessages(command)
    case .apiGetChats, .apiGetChat, .apiGetChatContentTypes, .apiGetChatItemInfo, .apiChatRead, .apiChatItemsRead,
      .apiChatUnread, .apiGetChatItems:
      response = try await readChats(command)
    case .listUsers, .showActiveUser, .createActiveUser, .apiUpdateProfile, .apiSetActiveUser, .setAllContactReceipts,
      .apiSetUserContactReceipts, .apiSetUserGroupReceipts,
      .apiSetUserAutoAcceptMemberContacts, .apiHideUser, .apiUnhideUser, .apiMuteUser, .apiUnmuteUser,
      .apiDeleteUser, .apiUserRead, .apiSetUserUIThemes:
      response = try await performUsers(command)
    case .startChat, .checkChatRunning, .apiStopChat, .apiActivateChat, .apiSuspendChat, .apiSetAppFilePaths,
      .apiSetEncryptLocalFiles, .setContactMergeEnabled, .resubscribeAllConnections:
      response = try await performLifecycle(command)
    case .apiConnectPreparedContact, .apiPrepareContact, .apiSetContactPrefs, .apiConnectContactViaAddress,
      .apiDeleteChat, .apiClearChat, .apiListContacts,
      .apiSetContactAlias, .apiSetConnectionAlias, .apiContactInfo, .apiChangePreparedContactUser, .apiEnableContact:
      response = try await performContacts(command)
    case .apiAddContact, .apiConnect, .apiConnectPlan, .apiSetConnectionIncognito, .apiChangeConnectionUser:
      response = try await performConnecting(command)
    case .apiAcceptContact, .apiRejectContact, .apiCreateMyAddress, .apiDeleteMyAddress, .apiShowMyAddress,
      .apiAddMyAddressShortLink, .apiSetProfileAddress, .apiSetAddressSettings:
      response = try await performAddress(command)
    case .apiContactQueueInfo, .apiGetContactCode, .apiVerifyContact, .apiSwitchContact, .apiAbortSwitchContact,
      .apiSyncContactRatchet:
      response = try await performSecurity(command)
    case .apiGetChatTags, .apiCreateChatTag, .apiSetChatTags, .apiDeleteChatTag, .apiUpdateChatTag, .apiReorderChatTags:
      response = try await performTags(command)
    case .apiSetContactCustomData, .apiSaveSettings, .apiGetSettings, .apiSetNetworkConfig, .apiSetChatSettings,
      .apiSetChatItemTTL, .apiGetChatItemTTL, .apiSetChatTTL,
      .apiGetNetworkConfig, .apiSetNetworkInfo, .reconnectAllServers, .reconnectServer, .apiSetChatUIThemes:
      response = try await performSettings(command)
    case .apiGetServerOperators, .apiSetServerOperators, .apiGetUserServers, .apiSetUserServers, .apiValidateServers,
      .apiGetUsageConditions, .apiAcceptConditions, .apiTestProtoServer, .apiSetConditionsNotified:
      response = try await performServers(command)
    case .apiStorageEncryption, .testStorageEncryption, .showVersion, .getAgentSubsTotal, .getAgentServersSummary,
      .resetAgentServersStats, .showConnectionsDiff:
      response = try await performSystem(command)
    case .apiExportArchive, .apiImportArchive, .apiDeleteStorage:
      response = try await performArchive(command)
    case .apiNewGroup, .apiUpdateGroupProfile, .apiJoinGroup, .apiLeaveGroup, .apiSetGroupAlias, .apiGroupInfo,
      .apiListGroups, .apiSetGroupCustomData:
      response = try await performGroups(command)
    case .apiAddMember, .apiRemoveMembers, .apiListMembers, .apiMembersRole, .apiBlockMembersForAll,
      .apiDeleteMemberChatItem, .apiGetReactionMembers, .apiSetMemberSettings, .apiEnableGroupMember:
      response = try await performMembers(command)
    case .apiGroupMemberInfo, .apiGroupMemberQueueInfo, .apiGetGroupMemberCode, .apiVerifyGroupMember,
      .apiSwitchGroupMember, .apiAbortSwitchGroupMember, .apiSyncGroupMemberRatchet:
      response = try await performMemberSecurity(command)
    case .apiCreateGroupLink, .apiGroupLinkMemberRole, .apiDeleteGroupLink, .apiGetGroupLink, .apiAddGroupShortLink:
      response = try await performGroupLinks(command)
    case .apiPrepareGroup, .apiConnectPreparedGroup, .apiChangePreparedGroupUser:
      response = try await performPreparedGroups(command)
    case .apiAcceptMember, .apiDeleteMemberSupportChat, .apiReportMessage, .apiArchiveReceivedReports,
      .apiDeleteReceivedReports:
      response = try await performModeration(command)
    case .apiCreateMemberContact, .apiSendMemberContactInvitation, .apiAcceptMemberContact:
      response = try await performMemberContacts(command)
    case .apiNewPublicGroup, .apiShareChatMsgContent, .apiGetUpdatedGroupLinkData, .apiGetGroupRelays,
      .apiAddGroupRelays,
      .apiSetPublicGroupAccess, .apiTestChatRelay, .apiAllowRelayGroup:
      throw .notImplemented(command, "channels")
    case .receiveFile, .setFileToReceive, .cancelFile, .apiUploadStandaloneFile, .apiDownloadStandaloneFile,
      .apiStandaloneFileInfo:
      response = try await performFiles(command)
    case .apiSendCallInvitation, .apiRejectCall, .apiSendCallOffer, .apiSendCallAnswer, .apiSendCallExtraInfo,
      .apiEndCall, .apiGetCallInvitations, .apiCallStatus:
      response = try await performCalls(command)
    case .apiGetNtfToken, .apiRegisterToken, .apiVerifyToken, .apiCheckToken, .apiDeleteToken, .apiGetNtfConns,
      .apiGetConnNtfMessages:
      response = try await performNotifications(command)
    case .setLocalDeviceName, .connectRemoteCtrl, .findKnownRemoteCtrl, .confirmRemoteCtrl, .verifyRemoteCtrlSession,
      .listRemoteCtrls, .stopRemoteCtrl, .deleteRemoteCtrl:
      response = try await performRemoteControl(command)
    case .apiVerifyContactDomain, .apiVerifyGroupDomain, .apiSetUserDomain:
      throw .notImplemented(command, "names")
    }
    guard let response else { throw .notImplemented(command) }
    return response
  }
}

extension ChatCommand {
  /// Throws where a message has content of an unknown type without a text: the recipient's programs may need one.
  fileprivate func requireTexts() throws(ChatError) {
    let contents: [MsgContent?] =
      switch self {
      case .apiSendMessages(_, _, _, _, _, _, _, let messages), .apiCreateChatItems(_, let messages):
        messages.map(\.msgContent)
      case .apiUpdateChatItem(_, _, _, _, let message, _): [message.msgContent]
      case .apiConnectPreparedContact(_, _, let content), .apiSendMemberContactInvitation(_, let content),
        .apiConnectPreparedGroup(_, _, _, let content):
        [content]
      case .apiSetAddressSettings(_, let settings): [settings.autoReply]
      default: []
      }
    for case .unknown(let type, MsgContent.textOfUnknown, _)? in contents {
      throw .command("msgContent of the unknown type \(type.jsonText()) has no text")
    }
  }
}

extension ChatError {
  /// The command is known, but its feature does not exist yet.
  /// - Parameter feature: what it belongs to.
  static func notImplemented(_ command: ChatCommand, _ feature: String? = nil) -> ChatError {
    .command("not implemented yet: \(command.cmdType)" + (feature.map { " (\($0))" } ?? ""))
  }

  /// The command makes no sense; the words say why.
  static func command(_ message: String) -> ChatError { .error(errorType: .commandError(message: message)) }

  /// Chats of this kind do not have this.
  static var unsupported: ChatError { .command("not supported") }
}

extension ChatResponse {
  /// Done, with nothing to say.
  static func done(_ user: User? = nil) -> ChatResponse { .response2(.cmdOk(user_: user)) }
}

// MARK: Users of commands

extension ChatController {
  /// The active user.
  func currentUser() throws(ChatError) -> User {
    guard let activeUser else { throw .error(errorType: .noActiveUser) }
    return activeUser
  }

  /// The active user, while the controller runs.
  func runningUser() throws(ChatError) -> User {
    let user = try currentUser()
    guard isRunning else { throw .error(errorType: .chatNotStarted) }
    return user
  }

  /// The active user, who has to be this one.
  func currentUser(_ id: Int64) throws(ChatError) -> User {
    let user = try currentUser()
    guard user.userId == id else {
      throw .error(errorType: .differentActiveUser(commandUserId: id, activeUserId: user.userId))
    }
    return user
  }

  /// The active user, who has to be this one, while the controller runs.
  func runningUser(_ id: Int64) throws(ChatError) -> User {
    let user = try currentUser(id)
    guard isRunning else { throw .error(errorType: .chatNotStarted) }
    return user
  }
}
