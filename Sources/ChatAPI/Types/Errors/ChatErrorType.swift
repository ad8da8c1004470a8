import SimplexJSON

/// Errors of the chat logic.
public indirect enum ChatErrorType: JSONCodable, Hashable, Sendable, Error {
  case noActiveUser
  case noConnectionUser(agentConnId: String)
  case noSndFileUser(agentSndFileId: String)
  case noRcvFileUser(agentRcvFileId: String)
  case userUnknown
  case userExists(contactName: String)
  case chatRelayExists
  case differentActiveUser(commandUserId: Int64, activeUserId: Int64)
  case cantDeleteActiveUser(userId: Int64)
  case cantDeleteLastUser(userId: Int64)
  case cantHideLastUser(userId: Int64)
  case hiddenUserAlwaysMuted(userId: Int64)
  case emptyUserPassword(userId: Int64)
  case userAlreadyHidden(userId: Int64)
  case userNotHidden(userId: Int64)
  case invalidDisplayName(displayName: String, validName: String)
  case chatNotStarted
  case chatNotStopped
  case chatStoreChanged
  case invalidConnReq
  case simplexDomainNotReady(simplexDomain: SimplexDomain, simplexDomainError: SimplexDomainError)
  case unsupportedConnReq
  case invalidChatMessage(connection: Connection, msgMeta: MsgMetaJSON?, messageData: String, message: String)
  case connReqMessageProhibited
  case contactNotFound(contactName: String, suspectedMember: SuspectedMember?)
  case contactNotReady(contact: Contact)
  case contactNotActive(contact: Contact)
  case contactDisabled(contact: Contact)
  case connectionDisabled(connection: Connection)
  case groupUserRole(groupInfo: GroupInfo, requiredRole: GroupMemberRole)
  case groupMemberInitialRole(groupInfo: GroupInfo, initialRole: GroupMemberRole)
  case contactIncognitoCantInvite
  case groupIncognitoCantInvite
  case groupContactRole(contactName: String)
  case groupDuplicateMember(contactName: String)
  case groupDuplicateMemberId
  case groupNotJoined(groupInfo: GroupInfo)
  case groupMemberNotActive
  case cantBlockMemberForSelf(groupInfo: GroupInfo, member: GroupMember, setShowMessages: Bool)
  case groupMemberUserRemoved
  case groupMemberNotFound
  case groupCantResendInvitation(groupInfo: GroupInfo, contactName: String)
  case groupInternal(message: String)
  case fileNotFound(message: String)
  case fileSize(filePath: String)
  case fileAlreadyReceiving(message: String)
  case fileCancelled(message: String)
  case fileCancel(fileId: Int64, message: String)
  case fileAlreadyExists(filePath: String)
  case fileWrite(filePath: String, message: String)
  case fileSend(fileId: Int64, agentError: AgentErrorType)
  case fileRcvChunk(message: String)
  case fileInternal(message: String)
  case fileImageType(filePath: String)
  case fileImageSize(filePath: String)
  case fileNotReceived(fileId: Int64)
  case fileNotApproved(fileId: Int64, unknownServers: [String])
  case fallbackToSMPProhibited(fileId: Int64)
  case inlineFileProhibited(fileId: Int64)
  case invalidForward
  case invalidChatItemUpdate
  case invalidChatItemDelete
  case hasCurrentCall
  case noCurrentCall
  case callContact(contactId: Int64)
  case callState(currentCallState: CallStateTag)
  case directMessagesProhibited(direction: MsgDirection, contact: Contact)
  case agentVersion
  case agentNoSubResult(agentConnId: String)
  case commandError(message: String)
  case serverProtocol(serverProtocol: ServerProtocol)
  case agentCommandError(message: String)
  case invalidFileDescription(message: String)
  case connectionIncognitoChangeProhibited
  case connectionUserChangeProhibited
  case peerChatVRangeIncompatible
  case relayTestError(message: String)
  case internalError(message: String)
  case exception(message: String)
  case notResolvedLocally

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "noActiveUser": self = .noActiveUser
    case "noConnectionUser": self = try .noConnectionUser(agentConnId: fields.get("agentConnId"))
    case "noSndFileUser": self = try .noSndFileUser(agentSndFileId: fields.get("agentSndFileId"))
    case "noRcvFileUser": self = try .noRcvFileUser(agentRcvFileId: fields.get("agentRcvFileId"))
    case "userUnknown": self = .userUnknown
    case "userExists": self = try .userExists(contactName: fields.get("contactName"))
    case "chatRelayExists": self = .chatRelayExists
    case "differentActiveUser":
      self = try .differentActiveUser(
        commandUserId: fields.get("commandUserId"), activeUserId: fields.get("activeUserId"))
    case "cantDeleteActiveUser": self = try .cantDeleteActiveUser(userId: fields.get("userId"))
    case "cantDeleteLastUser": self = try .cantDeleteLastUser(userId: fields.get("userId"))
    case "cantHideLastUser": self = try .cantHideLastUser(userId: fields.get("userId"))
    case "hiddenUserAlwaysMuted": self = try .hiddenUserAlwaysMuted(userId: fields.get("userId"))
    case "emptyUserPassword": self = try .emptyUserPassword(userId: fields.get("userId"))
    case "userAlreadyHidden": self = try .userAlreadyHidden(userId: fields.get("userId"))
    case "userNotHidden": self = try .userNotHidden(userId: fields.get("userId"))
    case "invalidDisplayName":
      self = try .invalidDisplayName(
        displayName: fields.get("displayName"), validName: fields.get("validName"))
    case "chatNotStarted": self = .chatNotStarted
    case "chatNotStopped": self = .chatNotStopped
    case "chatStoreChanged": self = .chatStoreChanged
    case "invalidConnReq": self = .invalidConnReq
    case "simplexDomainNotReady":
      self = try .simplexDomainNotReady(
        simplexDomain: fields.get("simplexDomain"), simplexDomainError: fields.get("simplexDomainError"))
    case "unsupportedConnReq": self = .unsupportedConnReq
    case "invalidChatMessage":
      self = try .invalidChatMessage(
        connection: fields.get("connection"), msgMeta: fields.get("msgMeta"), messageData: fields.get("messageData"),
        message: fields.get("message"))
    case "connReqMessageProhibited": self = .connReqMessageProhibited
    case "contactNotFound":
      self = try .contactNotFound(
        contactName: fields.get("contactName"), suspectedMember: fields.get("suspectedMember"))
    case "contactNotReady": self = try .contactNotReady(contact: fields.get("contact"))
    case "contactNotActive": self = try .contactNotActive(contact: fields.get("contact"))
    case "contactDisabled": self = try .contactDisabled(contact: fields.get("contact"))
    case "connectionDisabled": self = try .connectionDisabled(connection: fields.get("connection"))
    case "groupUserRole":
      self = try .groupUserRole(
        groupInfo: fields.get("groupInfo"), requiredRole: fields.get("requiredRole"))
    case "groupMemberInitialRole":
      self = try .groupMemberInitialRole(
        groupInfo: fields.get("groupInfo"), initialRole: fields.get("initialRole"))
    case "contactIncognitoCantInvite": self = .contactIncognitoCantInvite
    case "groupIncognitoCantInvite": self = .groupIncognitoCantInvite
    case "groupContactRole": self = try .groupContactRole(contactName: fields.get("contactName"))
    case "groupDuplicateMember": self = try .groupDuplicateMember(contactName: fields.get("contactName"))
    case "groupDuplicateMemberId": self = .groupDuplicateMemberId
    case "groupNotJoined": self = try .groupNotJoined(groupInfo: fields.get("groupInfo"))
    case "groupMemberNotActive": self = .groupMemberNotActive
    case "cantBlockMemberForSelf":
      self = try .cantBlockMemberForSelf(
        groupInfo: fields.get("groupInfo"), member: fields.get("member"), setShowMessages: fields.get("setShowMessages")
      )
    case "groupMemberUserRemoved": self = .groupMemberUserRemoved
    case "groupMemberNotFound": self = .groupMemberNotFound
    case "groupCantResendInvitation":
      self = try .groupCantResendInvitation(
        groupInfo: fields.get("groupInfo"), contactName: fields.get("contactName"))
    case "groupInternal": self = try .groupInternal(message: fields.get("message"))
    case "fileNotFound": self = try .fileNotFound(message: fields.get("message"))
    case "fileSize": self = try .fileSize(filePath: fields.get("filePath"))
    case "fileAlreadyReceiving": self = try .fileAlreadyReceiving(message: fields.get("message"))
    case "fileCancelled": self = try .fileCancelled(message: fields.get("message"))
    case "fileCancel": self = try .fileCancel(fileId: fields.get("fileId"), message: fields.get("message"))
    case "fileAlreadyExists": self = try .fileAlreadyExists(filePath: fields.get("filePath"))
    case "fileWrite": self = try .fileWrite(filePath: fields.get("filePath"), message: fields.get("message"))
    case "fileSend": self = try .fileSend(fileId: fields.get("fileId"), agentError: fields.get("agentError"))
    case "fileRcvChunk": self = try .fileRcvChunk(message: fields.get("message"))
    case "fileInternal": self = try .fileInternal(message: fields.get("message"))
    case "fileImageType": self = try .fileImageType(filePath: fields.get("filePath"))
    case "fileImageSize": self = try .fileImageSize(filePath: fields.get("filePath"))
    case "fileNotReceived": self = try .fileNotReceived(fileId: fields.get("fileId"))
    case "fileNotApproved":
      self = try .fileNotApproved(
        fileId: fields.get("fileId"), unknownServers: fields.get("unknownServers"))
    case "fallbackToSMPProhibited": self = try .fallbackToSMPProhibited(fileId: fields.get("fileId"))
    case "inlineFileProhibited": self = try .inlineFileProhibited(fileId: fields.get("fileId"))
    case "invalidForward": self = .invalidForward
    case "invalidChatItemUpdate": self = .invalidChatItemUpdate
    case "invalidChatItemDelete": self = .invalidChatItemDelete
    case "hasCurrentCall": self = .hasCurrentCall
    case "noCurrentCall": self = .noCurrentCall
    case "callContact": self = try .callContact(contactId: fields.get("contactId"))
    case "callState": self = try .callState(currentCallState: fields.get("currentCallState"))
    case "directMessagesProhibited":
      self = try .directMessagesProhibited(
        direction: fields.get("direction"), contact: fields.get("contact"))
    case "agentVersion": self = .agentVersion
    case "agentNoSubResult": self = try .agentNoSubResult(agentConnId: fields.get("agentConnId"))
    case "commandError": self = try .commandError(message: fields.get("message"))
    case "serverProtocol": self = try .serverProtocol(serverProtocol: fields.get("serverProtocol"))
    case "agentCommandError": self = try .agentCommandError(message: fields.get("message"))
    case "invalidFileDescription": self = try .invalidFileDescription(message: fields.get("message"))
    case "connectionIncognitoChangeProhibited": self = .connectionIncognitoChangeProhibited
    case "connectionUserChangeProhibited": self = .connectionUserChangeProhibited
    case "peerChatVRangeIncompatible": self = .peerChatVRangeIncompatible
    case "relayTestError": self = try .relayTestError(message: fields.get("message"))
    case "internalError": self = try .internalError(message: fields.get("message"))
    case "exception": self = try .exception(message: fields.get("message"))
    case "notResolvedLocally": self = .notResolvedLocally
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .noActiveUser: json.tag("noActiveUser")
    case .noConnectionUser(let agentConnId): json.sum("noConnectionUser", "agentConnId", agentConnId)
    case .noSndFileUser(let agentSndFileId): json.sum("noSndFileUser", "agentSndFileId", agentSndFileId)
    case .noRcvFileUser(let agentRcvFileId): json.sum("noRcvFileUser", "agentRcvFileId", agentRcvFileId)
    case .userUnknown: json.tag("userUnknown")
    case .userExists(let contactName): json.sum("userExists", "contactName", contactName)
    case .chatRelayExists: json.tag("chatRelayExists")
    case .differentActiveUser(let commandUserId, let activeUserId):
      json.sum("differentActiveUser", "commandUserId", commandUserId, "activeUserId", activeUserId)
    case .cantDeleteActiveUser(let userId): json.sum("cantDeleteActiveUser", "userId", userId)
    case .cantDeleteLastUser(let userId): json.sum("cantDeleteLastUser", "userId", userId)
    case .cantHideLastUser(let userId): json.sum("cantHideLastUser", "userId", userId)
    case .hiddenUserAlwaysMuted(let userId): json.sum("hiddenUserAlwaysMuted", "userId", userId)
    case .emptyUserPassword(let userId): json.sum("emptyUserPassword", "userId", userId)
    case .userAlreadyHidden(let userId): json.sum("userAlreadyHidden", "userId", userId)
    case .userNotHidden(let userId): json.sum("userNotHidden", "userId", userId)
    case .invalidDisplayName(let displayName, let validName):
      json.sum("invalidDisplayName", "displayName", displayName, "validName", validName)
    case .chatNotStarted: json.tag("chatNotStarted")
    case .chatNotStopped: json.tag("chatNotStopped")
    case .chatStoreChanged: json.tag("chatStoreChanged")
    case .invalidConnReq: json.tag("invalidConnReq")
    case .simplexDomainNotReady(let simplexDomain, let simplexDomainError):
      json.sum("simplexDomainNotReady", "simplexDomain", simplexDomain, "simplexDomainError", simplexDomainError)
    case .unsupportedConnReq: json.tag("unsupportedConnReq")
    case .invalidChatMessage(let connection, let msgMeta, let messageData, let message):
      json.sum(
        "invalidChatMessage", "connection", connection, "msgMeta", msgMeta, "messageData", messageData, "message",
        message)
    case .connReqMessageProhibited: json.tag("connReqMessageProhibited")
    case .contactNotFound(let contactName, let suspectedMember):
      json.sum("contactNotFound", "contactName", contactName, "suspectedMember", suspectedMember)
    case .contactNotReady(let contact): json.sum("contactNotReady", "contact", contact)
    case .contactNotActive(let contact): json.sum("contactNotActive", "contact", contact)
    case .contactDisabled(let contact): json.sum("contactDisabled", "contact", contact)
    case .connectionDisabled(let connection): json.sum("connectionDisabled", "connection", connection)
    case .groupUserRole(let groupInfo, let requiredRole):
      json.sum("groupUserRole", "groupInfo", groupInfo, "requiredRole", requiredRole)
    case .groupMemberInitialRole(let groupInfo, let initialRole):
      json.sum("groupMemberInitialRole", "groupInfo", groupInfo, "initialRole", initialRole)
    case .contactIncognitoCantInvite: json.tag("contactIncognitoCantInvite")
    case .groupIncognitoCantInvite: json.tag("groupIncognitoCantInvite")
    case .groupContactRole(let contactName): json.sum("groupContactRole", "contactName", contactName)
    case .groupDuplicateMember(let contactName): json.sum("groupDuplicateMember", "contactName", contactName)
    case .groupDuplicateMemberId: json.tag("groupDuplicateMemberId")
    case .groupNotJoined(let groupInfo): json.sum("groupNotJoined", "groupInfo", groupInfo)
    case .groupMemberNotActive: json.tag("groupMemberNotActive")
    case .cantBlockMemberForSelf(let groupInfo, let member, let setShowMessages):
      json.sum("cantBlockMemberForSelf", "groupInfo", groupInfo, "member", member, "setShowMessages", setShowMessages)
    case .groupMemberUserRemoved: json.tag("groupMemberUserRemoved")
    case .groupMemberNotFound: json.tag("groupMemberNotFound")
    case .groupCantResendInvitation(let groupInfo, let contactName):
      json.sum("groupCantResendInvitation", "groupInfo", groupInfo, "contactName", contactName)
    case .groupInternal(let message): json.sum("groupInternal", "message", message)
    case .fileNotFound(let message): json.sum("fileNotFound", "message", message)
    case .fileSize(let filePath): json.sum("fileSize", "filePath", filePath)
    case .fileAlreadyReceiving(let message): json.sum("fileAlreadyReceiving", "message", message)
    case .fileCancelled(let message): json.sum("fileCancelled", "message", message)
    case .fileCancel(let fileId, let message):
      json.sum("fileCancel", "fileId", fileId, "message", message)
    case .fileAlreadyExists(let filePath): json.sum("fileAlreadyExists", "filePath", filePath)
    case .fileWrite(let filePath, let message):
      json.sum("fileWrite", "filePath", filePath, "message", message)
    case .fileSend(let fileId, let agentError):
      json.sum("fileSend", "fileId", fileId, "agentError", agentError)
    case .fileRcvChunk(let message): json.sum("fileRcvChunk", "message", message)
    case .fileInternal(let message): json.sum("fileInternal", "message", message)
    case .fileImageType(let filePath): json.sum("fileImageType", "filePath", filePath)
    case .fileImageSize(let filePath): json.sum("fileImageSize", "filePath", filePath)
    case .fileNotReceived(let fileId): json.sum("fileNotReceived", "fileId", fileId)
    case .fileNotApproved(let fileId, let unknownServers):
      json.sum("fileNotApproved", "fileId", fileId, "unknownServers", unknownServers)
    case .fallbackToSMPProhibited(let fileId): json.sum("fallbackToSMPProhibited", "fileId", fileId)
    case .inlineFileProhibited(let fileId): json.sum("inlineFileProhibited", "fileId", fileId)
    case .invalidForward: json.tag("invalidForward")
    case .invalidChatItemUpdate: json.tag("invalidChatItemUpdate")
    case .invalidChatItemDelete: json.tag("invalidChatItemDelete")
    case .hasCurrentCall: json.tag("hasCurrentCall")
    case .noCurrentCall: json.tag("noCurrentCall")
    case .callContact(let contactId): json.sum("callContact", "contactId", contactId)
    case .callState(let currentCallState): json.sum("callState", "currentCallState", currentCallState)
    case .directMessagesProhibited(let direction, let contact):
      json.sum("directMessagesProhibited", "direction", direction, "contact", contact)
    case .agentVersion: json.tag("agentVersion")
    case .agentNoSubResult(let agentConnId): json.sum("agentNoSubResult", "agentConnId", agentConnId)
    case .commandError(let message): json.sum("commandError", "message", message)
    case .serverProtocol(let serverProtocol): json.sum("serverProtocol", "serverProtocol", serverProtocol)
    case .agentCommandError(let message): json.sum("agentCommandError", "message", message)
    case .invalidFileDescription(let message): json.sum("invalidFileDescription", "message", message)
    case .connectionIncognitoChangeProhibited: json.tag("connectionIncognitoChangeProhibited")
    case .connectionUserChangeProhibited: json.tag("connectionUserChangeProhibited")
    case .peerChatVRangeIncompatible: json.tag("peerChatVRangeIncompatible")
    case .relayTestError(let message): json.sum("relayTestError", "message", message)
    case .internalError(let message): json.sum("internalError", "message", message)
    case .exception(let message): json.sum("exception", "message", message)
    case .notResolvedLocally: json.tag("notResolvedLocally")
    }
  }
}
