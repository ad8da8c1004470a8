extension ChatErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .noActiveUser: "There is no profile yet"
    case .noConnectionUser(let agentConnId): "No profile has the connection \(agentConnId)"
    case .noSndFileUser(let agentSndFileId): "No profile has the sent file \(agentSndFileId)"
    case .noRcvFileUser(let agentRcvFileId): "No profile has the received file \(agentRcvFileId)"
    case .userUnknown: "The profile is not known"
    case .userExists(let contactName): "There is a profile with the name \(contactName) already"
    case .chatRelayExists: "There is a profile for a relay already"
    case .differentActiveUser(let commandUserId, let activeUserId):
      "The command is for profile \(commandUserId), the current one is \(activeUserId)"
    case .cantDeleteActiveUser: "The current profile cannot be deleted"
    case .cantDeleteLastUser: "The last visible profile cannot be deleted"
    case .cantHideLastUser: "The last visible profile cannot be hidden"
    case .hiddenUserAlwaysMuted: "A hidden profile is always muted"
    case .emptyUserPassword: "The password is empty"
    case .userAlreadyHidden: "The profile is hidden already"
    case .userNotHidden: "The profile is not hidden"
    case .invalidDisplayName(let displayName, let validName):
      "\(displayName) is not a valid name" + (validName.isEmpty ? "" : "; \(validName) is valid")
    case .chatNotStarted: "The chat is not started"
    case .chatNotStopped: "The chat has to be stopped first"
    case .chatStoreChanged: "The database was replaced: restart the app"
    case .invalidConnReq: "This is not a valid link"
    case .simplexDomainNotReady(let simplexDomain, let simplexDomainError):
      "\(simplexDomain.fullName): \(simplexDomainError.text)"
    case .unsupportedConnReq: "This link needs a newer version of the app"
    case .invalidChatMessage(_, _, _, let message): "A message could not be read: \(message)"
    case .connReqMessageProhibited: "This link does not allow a message"
    case .contactNotFound(let contactName, let suspectedMember):
      "No contact has the name \(contactName)"
        + (suspectedMember.map { "; it is a member of \($0.groupInfo.localDisplayName)" } ?? "")
    case .contactNotReady(let contact): "\(contact.localDisplayName) is not connected yet"
    case .contactNotActive(let contact): "\(contact.localDisplayName) is deleted"
    case .contactDisabled(let contact): "The connection with \(contact.localDisplayName) is disabled"
    case .connectionDisabled(let connection): "Connection \(connection.connId) is disabled"
    case .groupUserRole(let groupInfo, let requiredRole):
      "In \(groupInfo.localDisplayName) this needs the role \(requiredRole.rawValue)"
    case .groupMemberInitialRole(let groupInfo, let initialRole):
      "In \(groupInfo.localDisplayName) new members cannot have the role \(initialRole.rawValue)"
    case .contactIncognitoCantInvite: "A contact with a random profile cannot be invited to this group"
    case .groupIncognitoCantInvite: "Contacts cannot be invited to a group joined with a random profile"
    case .groupContactRole(let contactName): "The role of \(contactName) in the group is too low"
    case .groupDuplicateMember(let contactName): "\(contactName) is in the group already"
    case .groupDuplicateMemberId: "A member with this id is in the group already"
    case .groupNotJoined(let groupInfo): "The invitation to \(groupInfo.localDisplayName) is not accepted yet"
    case .groupMemberNotActive: "The member is not connected"
    case .cantBlockMemberForSelf(_, let member, _):
      "Members with the role of \(member.localDisplayName) cannot be blocked"
    case .groupMemberUserRemoved: "You are no longer in the group"
    case .groupMemberNotFound: "The group has no such member"
    case .groupCantResendInvitation(let groupInfo, let contactName):
      "\(contactName) was invited to \(groupInfo.localDisplayName) before"
    case .groupInternal(let message): "Error of the group: \(message)"
    case .fileNotFound(let message): "The file does not exist: \(message)"
    case .fileSize(let filePath): "The file is too large: \(filePath)"
    case .fileAlreadyReceiving(let message): "The file is being received already: \(message)"
    case .fileCancelled(let message): "The transfer was cancelled: \(message)"
    case .fileCancel(let fileId, let message): "The transfer of file \(fileId) could not be cancelled: \(message)"
    case .fileAlreadyExists(let filePath): "The file exists already: \(filePath)"
    case .fileWrite(let filePath, let message): "\(filePath) could not be written: \(message)"
    case .fileSend(let fileId, let agentError): "File \(fileId) could not be sent: \(agentError.text)"
    case .fileRcvChunk(let message): "A part of the file could not be read: \(message)"
    case .fileInternal(let message): "Error of the transfer: \(message)"
    case .fileImageType(let filePath): "Only JPEG images can be sent: \(filePath)"
    case .fileImageSize(let filePath): "The image is too large: \(filePath)"
    case .fileNotReceived(let fileId): "File \(fileId) is not received yet"
    case .fileNotApproved(_, let unknownServers):
      "The file is on servers you have not approved: \(unknownServers.joined(separator: ", "))"
    case .fallbackToSMPProhibited: "The file cannot be sent in messages"
    case .inlineFileProhibited: "The file is too large to be sent in messages"
    case .invalidForward: "This cannot be forwarded"
    case .invalidChatItemUpdate: "This cannot be edited"
    case .invalidChatItemDelete: "This cannot be deleted"
    case .hasCurrentCall: "There is a call already"
    case .noCurrentCall: "There is no call"
    case .callContact: "The call is with somebody else"
    case .callState(let currentCallState): "The call is in another state: \(currentCallState.rawValue)"
    case .directMessagesProhibited(let direction, let contact):
      direction == .snd
        ? "\(contact.localDisplayName) is in a group that does not allow direct messages"
        : "A direct message of \(contact.localDisplayName) was not allowed by the group"
    case .agentVersion: "The other side uses a version that is not supported"
    case .agentNoSubResult(let agentConnId): "The agent returned no result of subscribing to \(agentConnId)"
    case .commandError(let message): "Invalid command: \(message)"
    case .serverProtocol(let serverProtocol): "Servers of \(serverProtocol.rawValue) cannot be used here"
    case .agentCommandError(let message): "The agent refused: \(message)"
    case .invalidFileDescription(let message): "The description of the file is not valid: \(message)"
    case .connectionIncognitoChangeProhibited: "The profile of this connection cannot be changed any more"
    case .connectionUserChangeProhibited: "The user of this connection cannot be changed any more"
    case .peerChatVRangeIncompatible: "The other side needs a newer version of the app for this"
    case .relayTestError(let message): "The test of the relay failed: \(message)"
    case .internalError(let message): "Internal error: \(message)"
    case .exception(let message): "Unexpected error: \(message)"
    case .notResolvedLocally: "The name is not known on this device"
    }
  }
}

extension SimplexDomain {
  /// The name with its top-level domain and sub-domains.
  public var fullName: String {
    (subDomain.reversed() + [domain]).joined(separator: ".") + (nameTLD == .web ? "" : ".\(nameTLD.rawValue)")
  }
}

extension SimplexDomainError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .noValidLink: "the name leads to no valid link"
    case .unknownDomain: "the name is not registered"
    }
  }
}
