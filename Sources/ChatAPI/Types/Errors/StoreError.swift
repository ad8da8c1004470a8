import FoundationTypes

import SimplexJSON

/// Errors of the chat database.
public indirect enum StoreError: JSONCodable, Hashable, Sendable, Error {
  case duplicateName
  case userNotFound(userId: Int64)
  case relayUserNotFound
  case userNotFoundByName(contactName: String)
  case userNotFoundByContactId(contactId: Int64)
  case userNotFoundByGroupId(groupId: Int64)
  case userNotFoundByFileId(fileId: Int64)
  case userNotFoundByContactRequestId(contactRequestId: Int64)
  case contactNotFound(contactId: Int64)
  case contactNotFoundByName(contactName: String)
  case contactNotFoundByMemberId(groupMemberId: Int64)
  case contactNotReady(contactName: String)
  case duplicateContactLink
  case userContactLinkNotFound
  case contactRequestNotFound(contactRequestId: Int64)
  case contactRequestNotFoundByName(contactName: String)
  case invalidContactRequestEntity(contactRequestId: Int64)
  case invalidBusinessChatContactRequest
  case groupNotFound(groupId: Int64)
  case groupNotFoundByName(groupName: String)
  case groupMemberNameNotFound(groupId: Int64, groupMemberName: String)
  case groupMemberNotFound(groupMemberId: Int64)
  case groupMemberNotFoundByIndex(groupMemberIndex: Int64)
  case memberRelationsVectorNotFound(groupMemberId: Int64)
  case groupHostMemberNotFound(groupId: Int64)
  case groupMemberNotFoundByMemberId(memberId: String)
  case memberContactGroupMemberNotFound(contactId: Int64)
  case invalidMemberRelationUpdate
  case groupWithoutUser
  case duplicateGroupMember
  case duplicateMemberId
  case groupAlreadyJoined
  case groupInvitationNotFound
  case noteFolderAlreadyExists(noteFolderId: Int64)
  case noteFolderNotFound(noteFolderId: Int64)
  case userNoteFolderNotFound
  case sndFileNotFound(fileId: Int64)
  case sndFileInvalid(fileId: Int64)
  case rcvFileNotFound(fileId: Int64)
  case rcvFileDescrNotFound(fileId: Int64)
  case fileNotFound(fileId: Int64)
  case rcvFileInvalid(fileId: Int64)
  case rcvFileInvalidDescrPart
  case localFileNoTransfer(fileId: Int64)
  case sharedMsgIdNotFoundByFileId(fileId: Int64)
  case fileIdNotFoundBySharedMsgId(sharedMsgId: String)
  case sndFileNotFoundXFTP(agentSndFileId: String)
  case rcvFileNotFoundXFTP(agentRcvFileId: String)
  case connectionNotFound(agentConnId: String)
  case connectionNotFoundById(connId: Int64)
  case connectionNotFoundByMemberId(groupMemberId: Int64)
  case pendingConnectionNotFound(connId: Int64)
  case uniqueID
  case largeMsg
  case internalError(message: String)
  case dBException(message: String)
  case dBBusyError(message: String)
  case badChatItem(itemId: Int64, itemTs: Date?)
  case chatItemNotFound(itemId: Int64)
  case chatItemNotFoundByText(text: String)
  case chatItemSharedMsgIdNotFound(sharedMsgId: String)
  case chatItemNotFoundByFileId(fileId: Int64)
  case chatItemNotFoundByContactId(contactId: Int64)
  case chatItemNotFoundByGroupId(groupId: Int64)
  case profileNotFound(profileId: Int64)
  case duplicateGroupLink(groupInfo: GroupInfo)
  case groupLinkNotFound(groupInfo: GroupInfo)
  case hostMemberIdNotFound(groupId: Int64)
  case contactNotFoundByFileId(fileId: Int64)
  case noGroupSndStatus(itemId: Int64, groupMemberId: Int64)
  case duplicateGroupMessage(
    groupId: Int64, sharedMsgId: String, authorGroupMemberId: Int64?, forwardedByGroupMemberId: Int64?)
  case remoteHostNotFound(remoteHostId: Int64)
  case remoteHostUnknown
  case remoteHostDuplicateCA
  case remoteCtrlNotFound(remoteCtrlId: Int64)
  case remoteCtrlDuplicateCA
  case prohibitedDeleteUser(userId: Int64, contactId: Int64)
  case operatorNotFound(serverOperatorId: Int64)
  case usageConditionsNotFound
  case userChatRelayNotFound(chatRelayId: Int64)
  case groupRelayNotFound(groupRelayId: Int64)
  case groupRelayNotFoundByMemberId(groupMemberId: Int64)
  case invalidQuote
  case invalidMention
  case invalidDeliveryTask(taskId: Int64)
  case deliveryTaskNotFound(taskId: Int64)
  case invalidDeliveryJob(jobId: Int64)
  case deliveryJobNotFound(jobId: Int64)
  case workItemError(errContext: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "duplicateName": self = .duplicateName
    case "userNotFound": self = try .userNotFound(userId: fields.get("userId"))
    case "relayUserNotFound": self = .relayUserNotFound
    case "userNotFoundByName": self = try .userNotFoundByName(contactName: fields.get("contactName"))
    case "userNotFoundByContactId": self = try .userNotFoundByContactId(contactId: fields.get("contactId"))
    case "userNotFoundByGroupId": self = try .userNotFoundByGroupId(groupId: fields.get("groupId"))
    case "userNotFoundByFileId": self = try .userNotFoundByFileId(fileId: fields.get("fileId"))
    case "userNotFoundByContactRequestId":
      self = try .userNotFoundByContactRequestId(
        contactRequestId: fields.get("contactRequestId"))
    case "contactNotFound": self = try .contactNotFound(contactId: fields.get("contactId"))
    case "contactNotFoundByName": self = try .contactNotFoundByName(contactName: fields.get("contactName"))
    case "contactNotFoundByMemberId": self = try .contactNotFoundByMemberId(groupMemberId: fields.get("groupMemberId"))
    case "contactNotReady": self = try .contactNotReady(contactName: fields.get("contactName"))
    case "duplicateContactLink": self = .duplicateContactLink
    case "userContactLinkNotFound": self = .userContactLinkNotFound
    case "contactRequestNotFound": self = try .contactRequestNotFound(contactRequestId: fields.get("contactRequestId"))
    case "contactRequestNotFoundByName":
      self = try .contactRequestNotFoundByName(
        contactName: fields.get("contactName"))
    case "invalidContactRequestEntity":
      self = try .invalidContactRequestEntity(
        contactRequestId: fields.get("contactRequestId"))
    case "invalidBusinessChatContactRequest": self = .invalidBusinessChatContactRequest
    case "groupNotFound": self = try .groupNotFound(groupId: fields.get("groupId"))
    case "groupNotFoundByName": self = try .groupNotFoundByName(groupName: fields.get("groupName"))
    case "groupMemberNameNotFound":
      self = try .groupMemberNameNotFound(
        groupId: fields.get("groupId"), groupMemberName: fields.get("groupMemberName"))
    case "groupMemberNotFound": self = try .groupMemberNotFound(groupMemberId: fields.get("groupMemberId"))
    case "groupMemberNotFoundByIndex":
      self = try .groupMemberNotFoundByIndex(
        groupMemberIndex: fields.get("groupMemberIndex"))
    case "memberRelationsVectorNotFound":
      self = try .memberRelationsVectorNotFound(
        groupMemberId: fields.get("groupMemberId"))
    case "groupHostMemberNotFound": self = try .groupHostMemberNotFound(groupId: fields.get("groupId"))
    case "groupMemberNotFoundByMemberId": self = try .groupMemberNotFoundByMemberId(memberId: fields.get("memberId"))
    case "memberContactGroupMemberNotFound":
      self = try .memberContactGroupMemberNotFound(
        contactId: fields.get("contactId"))
    case "invalidMemberRelationUpdate": self = .invalidMemberRelationUpdate
    case "groupWithoutUser": self = .groupWithoutUser
    case "duplicateGroupMember": self = .duplicateGroupMember
    case "duplicateMemberId": self = .duplicateMemberId
    case "groupAlreadyJoined": self = .groupAlreadyJoined
    case "groupInvitationNotFound": self = .groupInvitationNotFound
    case "noteFolderAlreadyExists": self = try .noteFolderAlreadyExists(noteFolderId: fields.get("noteFolderId"))
    case "noteFolderNotFound": self = try .noteFolderNotFound(noteFolderId: fields.get("noteFolderId"))
    case "userNoteFolderNotFound": self = .userNoteFolderNotFound
    case "sndFileNotFound": self = try .sndFileNotFound(fileId: fields.get("fileId"))
    case "sndFileInvalid": self = try .sndFileInvalid(fileId: fields.get("fileId"))
    case "rcvFileNotFound": self = try .rcvFileNotFound(fileId: fields.get("fileId"))
    case "rcvFileDescrNotFound": self = try .rcvFileDescrNotFound(fileId: fields.get("fileId"))
    case "fileNotFound": self = try .fileNotFound(fileId: fields.get("fileId"))
    case "rcvFileInvalid": self = try .rcvFileInvalid(fileId: fields.get("fileId"))
    case "rcvFileInvalidDescrPart": self = .rcvFileInvalidDescrPart
    case "localFileNoTransfer": self = try .localFileNoTransfer(fileId: fields.get("fileId"))
    case "sharedMsgIdNotFoundByFileId": self = try .sharedMsgIdNotFoundByFileId(fileId: fields.get("fileId"))
    case "fileIdNotFoundBySharedMsgId": self = try .fileIdNotFoundBySharedMsgId(sharedMsgId: fields.get("sharedMsgId"))
    case "sndFileNotFoundXFTP": self = try .sndFileNotFoundXFTP(agentSndFileId: fields.get("agentSndFileId"))
    case "rcvFileNotFoundXFTP": self = try .rcvFileNotFoundXFTP(agentRcvFileId: fields.get("agentRcvFileId"))
    case "connectionNotFound": self = try .connectionNotFound(agentConnId: fields.get("agentConnId"))
    case "connectionNotFoundById": self = try .connectionNotFoundById(connId: fields.get("connId"))
    case "connectionNotFoundByMemberId":
      self = try .connectionNotFoundByMemberId(
        groupMemberId: fields.get("groupMemberId"))
    case "pendingConnectionNotFound": self = try .pendingConnectionNotFound(connId: fields.get("connId"))
    case "uniqueID": self = .uniqueID
    case "largeMsg": self = .largeMsg
    case "internalError": self = try .internalError(message: fields.get("message"))
    case "dBException": self = try .dBException(message: fields.get("message"))
    case "dBBusyError": self = try .dBBusyError(message: fields.get("message"))
    case "badChatItem": self = try .badChatItem(itemId: fields.get("itemId"), itemTs: fields.get("itemTs"))
    case "chatItemNotFound": self = try .chatItemNotFound(itemId: fields.get("itemId"))
    case "chatItemNotFoundByText": self = try .chatItemNotFoundByText(text: fields.get("text"))
    case "chatItemSharedMsgIdNotFound": self = try .chatItemSharedMsgIdNotFound(sharedMsgId: fields.get("sharedMsgId"))
    case "chatItemNotFoundByFileId": self = try .chatItemNotFoundByFileId(fileId: fields.get("fileId"))
    case "chatItemNotFoundByContactId": self = try .chatItemNotFoundByContactId(contactId: fields.get("contactId"))
    case "chatItemNotFoundByGroupId": self = try .chatItemNotFoundByGroupId(groupId: fields.get("groupId"))
    case "profileNotFound": self = try .profileNotFound(profileId: fields.get("profileId"))
    case "duplicateGroupLink": self = try .duplicateGroupLink(groupInfo: fields.get("groupInfo"))
    case "groupLinkNotFound": self = try .groupLinkNotFound(groupInfo: fields.get("groupInfo"))
    case "hostMemberIdNotFound": self = try .hostMemberIdNotFound(groupId: fields.get("groupId"))
    case "contactNotFoundByFileId": self = try .contactNotFoundByFileId(fileId: fields.get("fileId"))
    case "noGroupSndStatus":
      self = try .noGroupSndStatus(
        itemId: fields.get("itemId"), groupMemberId: fields.get("groupMemberId"))
    case "duplicateGroupMessage":
      self = try .duplicateGroupMessage(
        groupId: fields.get("groupId"), sharedMsgId: fields.get("sharedMsgId"),
        authorGroupMemberId: fields.get("authorGroupMemberId"),
        forwardedByGroupMemberId: fields.get("forwardedByGroupMemberId"))
    case "remoteHostNotFound": self = try .remoteHostNotFound(remoteHostId: fields.get("remoteHostId"))
    case "remoteHostUnknown": self = .remoteHostUnknown
    case "remoteHostDuplicateCA": self = .remoteHostDuplicateCA
    case "remoteCtrlNotFound": self = try .remoteCtrlNotFound(remoteCtrlId: fields.get("remoteCtrlId"))
    case "remoteCtrlDuplicateCA": self = .remoteCtrlDuplicateCA
    case "prohibitedDeleteUser":
      self = try .prohibitedDeleteUser(
        userId: fields.get("userId"), contactId: fields.get("contactId"))
    case "operatorNotFound": self = try .operatorNotFound(serverOperatorId: fields.get("serverOperatorId"))
    case "usageConditionsNotFound": self = .usageConditionsNotFound
    case "userChatRelayNotFound": self = try .userChatRelayNotFound(chatRelayId: fields.get("chatRelayId"))
    case "groupRelayNotFound": self = try .groupRelayNotFound(groupRelayId: fields.get("groupRelayId"))
    case "groupRelayNotFoundByMemberId":
      self = try .groupRelayNotFoundByMemberId(
        groupMemberId: fields.get("groupMemberId"))
    case "invalidQuote": self = .invalidQuote
    case "invalidMention": self = .invalidMention
    case "invalidDeliveryTask": self = try .invalidDeliveryTask(taskId: fields.get("taskId"))
    case "deliveryTaskNotFound": self = try .deliveryTaskNotFound(taskId: fields.get("taskId"))
    case "invalidDeliveryJob": self = try .invalidDeliveryJob(jobId: fields.get("jobId"))
    case "deliveryJobNotFound": self = try .deliveryJobNotFound(jobId: fields.get("jobId"))
    case "workItemError": self = try .workItemError(errContext: fields.get("errContext"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .duplicateName: json.tag("duplicateName")
    case .userNotFound(let userId): json.sum("userNotFound", "userId", userId)
    case .relayUserNotFound: json.tag("relayUserNotFound")
    case .userNotFoundByName(let contactName): json.sum("userNotFoundByName", "contactName", contactName)
    case .userNotFoundByContactId(let contactId): json.sum("userNotFoundByContactId", "contactId", contactId)
    case .userNotFoundByGroupId(let groupId): json.sum("userNotFoundByGroupId", "groupId", groupId)
    case .userNotFoundByFileId(let fileId): json.sum("userNotFoundByFileId", "fileId", fileId)
    case .userNotFoundByContactRequestId(let contactRequestId):
      json.sum("userNotFoundByContactRequestId", "contactRequestId", contactRequestId)
    case .contactNotFound(let contactId): json.sum("contactNotFound", "contactId", contactId)
    case .contactNotFoundByName(let contactName): json.sum("contactNotFoundByName", "contactName", contactName)
    case .contactNotFoundByMemberId(let groupMemberId):
      json.sum("contactNotFoundByMemberId", "groupMemberId", groupMemberId)
    case .contactNotReady(let contactName): json.sum("contactNotReady", "contactName", contactName)
    case .duplicateContactLink: json.tag("duplicateContactLink")
    case .userContactLinkNotFound: json.tag("userContactLinkNotFound")
    case .contactRequestNotFound(let contactRequestId):
      json.sum("contactRequestNotFound", "contactRequestId", contactRequestId)
    case .contactRequestNotFoundByName(let contactName):
      json.sum("contactRequestNotFoundByName", "contactName", contactName)
    case .invalidContactRequestEntity(let contactRequestId):
      json.sum("invalidContactRequestEntity", "contactRequestId", contactRequestId)
    case .invalidBusinessChatContactRequest: json.tag("invalidBusinessChatContactRequest")
    case .groupNotFound(let groupId): json.sum("groupNotFound", "groupId", groupId)
    case .groupNotFoundByName(let groupName): json.sum("groupNotFoundByName", "groupName", groupName)
    case .groupMemberNameNotFound(let groupId, let groupMemberName):
      json.sum("groupMemberNameNotFound", "groupId", groupId, "groupMemberName", groupMemberName)
    case .groupMemberNotFound(let groupMemberId): json.sum("groupMemberNotFound", "groupMemberId", groupMemberId)
    case .groupMemberNotFoundByIndex(let groupMemberIndex):
      json.sum("groupMemberNotFoundByIndex", "groupMemberIndex", groupMemberIndex)
    case .memberRelationsVectorNotFound(let groupMemberId):
      json.sum("memberRelationsVectorNotFound", "groupMemberId", groupMemberId)
    case .groupHostMemberNotFound(let groupId): json.sum("groupHostMemberNotFound", "groupId", groupId)
    case .groupMemberNotFoundByMemberId(let memberId): json.sum("groupMemberNotFoundByMemberId", "memberId", memberId)
    case .memberContactGroupMemberNotFound(let contactId):
      json.sum("memberContactGroupMemberNotFound", "contactId", contactId)
    case .invalidMemberRelationUpdate: json.tag("invalidMemberRelationUpdate")
    case .groupWithoutUser: json.tag("groupWithoutUser")
    case .duplicateGroupMember: json.tag("duplicateGroupMember")
    case .duplicateMemberId: json.tag("duplicateMemberId")
    case .groupAlreadyJoined: json.tag("groupAlreadyJoined")
    case .groupInvitationNotFound: json.tag("groupInvitationNotFound")
    case .noteFolderAlreadyExists(let noteFolderId): json.sum("noteFolderAlreadyExists", "noteFolderId", noteFolderId)
    case .noteFolderNotFound(let noteFolderId): json.sum("noteFolderNotFound", "noteFolderId", noteFolderId)
    case .userNoteFolderNotFound: json.tag("userNoteFolderNotFound")
    case .sndFileNotFound(let fileId): json.sum("sndFileNotFound", "fileId", fileId)
    case .sndFileInvalid(let fileId): json.sum("sndFileInvalid", "fileId", fileId)
    case .rcvFileNotFound(let fileId): json.sum("rcvFileNotFound", "fileId", fileId)
    case .rcvFileDescrNotFound(let fileId): json.sum("rcvFileDescrNotFound", "fileId", fileId)
    case .fileNotFound(let fileId): json.sum("fileNotFound", "fileId", fileId)
    case .rcvFileInvalid(let fileId): json.sum("rcvFileInvalid", "fileId", fileId)
    case .rcvFileInvalidDescrPart: json.tag("rcvFileInvalidDescrPart")
    case .localFileNoTransfer(let fileId): json.sum("localFileNoTransfer", "fileId", fileId)
    case .sharedMsgIdNotFoundByFileId(let fileId): json.sum("sharedMsgIdNotFoundByFileId", "fileId", fileId)
    case .fileIdNotFoundBySharedMsgId(let sharedMsgId):
      json.sum("fileIdNotFoundBySharedMsgId", "sharedMsgId", sharedMsgId)
    case .sndFileNotFoundXFTP(let agentSndFileId): json.sum("sndFileNotFoundXFTP", "agentSndFileId", agentSndFileId)
    case .rcvFileNotFoundXFTP(let agentRcvFileId): json.sum("rcvFileNotFoundXFTP", "agentRcvFileId", agentRcvFileId)
    case .connectionNotFound(let agentConnId): json.sum("connectionNotFound", "agentConnId", agentConnId)
    case .connectionNotFoundById(let connId): json.sum("connectionNotFoundById", "connId", connId)
    case .connectionNotFoundByMemberId(let groupMemberId):
      json.sum("connectionNotFoundByMemberId", "groupMemberId", groupMemberId)
    case .pendingConnectionNotFound(let connId): json.sum("pendingConnectionNotFound", "connId", connId)
    case .uniqueID: json.tag("uniqueID")
    case .largeMsg: json.tag("largeMsg")
    case .internalError(let message): json.sum("internalError", "message", message)
    case .dBException(let message): json.sum("dBException", "message", message)
    case .dBBusyError(let message): json.sum("dBBusyError", "message", message)
    case .badChatItem(let itemId, let itemTs):
      json.sum("badChatItem", "itemId", itemId, "itemTs", itemTs)
    case .chatItemNotFound(let itemId): json.sum("chatItemNotFound", "itemId", itemId)
    case .chatItemNotFoundByText(let text): json.sum("chatItemNotFoundByText", "text", text)
    case .chatItemSharedMsgIdNotFound(let sharedMsgId):
      json.sum("chatItemSharedMsgIdNotFound", "sharedMsgId", sharedMsgId)
    case .chatItemNotFoundByFileId(let fileId): json.sum("chatItemNotFoundByFileId", "fileId", fileId)
    case .chatItemNotFoundByContactId(let contactId): json.sum("chatItemNotFoundByContactId", "contactId", contactId)
    case .chatItemNotFoundByGroupId(let groupId): json.sum("chatItemNotFoundByGroupId", "groupId", groupId)
    case .profileNotFound(let profileId): json.sum("profileNotFound", "profileId", profileId)
    case .duplicateGroupLink(let groupInfo): json.sum("duplicateGroupLink", "groupInfo", groupInfo)
    case .groupLinkNotFound(let groupInfo): json.sum("groupLinkNotFound", "groupInfo", groupInfo)
    case .hostMemberIdNotFound(let groupId): json.sum("hostMemberIdNotFound", "groupId", groupId)
    case .contactNotFoundByFileId(let fileId): json.sum("contactNotFoundByFileId", "fileId", fileId)
    case .noGroupSndStatus(let itemId, let groupMemberId):
      json.sum("noGroupSndStatus", "itemId", itemId, "groupMemberId", groupMemberId)
    case .duplicateGroupMessage(let groupId, let sharedMsgId, let authorGroupMemberId, let forwardedByGroupMemberId):
      json.sum(
        "duplicateGroupMessage", "groupId", groupId, "sharedMsgId", sharedMsgId, "authorGroupMemberId",
        authorGroupMemberId, "forwardedByGroupMemberId", forwardedByGroupMemberId)
    case .remoteHostNotFound(let remoteHostId): json.sum("remoteHostNotFound", "remoteHostId", remoteHostId)
    case .remoteHostUnknown: json.tag("remoteHostUnknown")
    case .remoteHostDuplicateCA: json.tag("remoteHostDuplicateCA")
    case .remoteCtrlNotFound(let remoteCtrlId): json.sum("remoteCtrlNotFound", "remoteCtrlId", remoteCtrlId)
    case .remoteCtrlDuplicateCA: json.tag("remoteCtrlDuplicateCA")
    case .prohibitedDeleteUser(let userId, let contactId):
      json.sum("prohibitedDeleteUser", "userId", userId, "contactId", contactId)
    case .operatorNotFound(let serverOperatorId): json.sum("operatorNotFound", "serverOperatorId", serverOperatorId)
    case .usageConditionsNotFound: json.tag("usageConditionsNotFound")
    case .userChatRelayNotFound(let chatRelayId): json.sum("userChatRelayNotFound", "chatRelayId", chatRelayId)
    case .groupRelayNotFound(let groupRelayId): json.sum("groupRelayNotFound", "groupRelayId", groupRelayId)
    case .groupRelayNotFoundByMemberId(let groupMemberId):
      json.sum("groupRelayNotFoundByMemberId", "groupMemberId", groupMemberId)
    case .invalidQuote: json.tag("invalidQuote")
    case .invalidMention: json.tag("invalidMention")
    case .invalidDeliveryTask(let taskId): json.sum("invalidDeliveryTask", "taskId", taskId)
    case .deliveryTaskNotFound(let taskId): json.sum("deliveryTaskNotFound", "taskId", taskId)
    case .invalidDeliveryJob(let jobId): json.sum("invalidDeliveryJob", "jobId", jobId)
    case .deliveryJobNotFound(let jobId): json.sum("deliveryJobNotFound", "jobId", jobId)
    case .workItemError(let errContext): json.sum("workItemError", "errContext", errContext)
    }
  }
}
