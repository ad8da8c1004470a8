import FoundationTypes

import SimplexJSON

/// Somebody's request to connect by the user's address.
public struct UserContactRequest: JSONCodable, Hashable, Sendable {
  /// Database id of the request.
  public var contactRequestId: Int64
  /// The agent's id of the request, base64url.
  public var agentInvitationId: String
  /// The contact created for the request.
  public var contactId_: Int64?
  /// The business chat created for the request.
  public var businessGroupId_: Int64?
  /// The address the request came to.
  public var userContactLinkId_: Int64?
  /// Versions of the chat protocol the requester understands.
  public var cReqChatVRange: VersionRange
  /// The name made unique on this device.
  public var localDisplayName: String
  /// Database id of the profile.
  public var profileId: Int64
  /// The profile.
  public var profile: LocalProfile
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
  /// Id of the request, base64url.
  public var xContactId: String?
  /// Whether quantum-resistant encryption is supported.
  public var pqSupport: Bool
  /// Shared id of the welcome message, base64url.
  public var welcomeSharedMsgId: String?
  /// Shared id of the request message, base64url.
  public var requestSharedMsgId: String?

  /// A value of its members.
  public init(
    contactRequestId: Int64, agentInvitationId: String, contactId_: Int64? = nil, businessGroupId_: Int64? = nil,
    userContactLinkId_: Int64? = nil, cReqChatVRange: VersionRange, localDisplayName: String, profileId: Int64,
    profile: LocalProfile, createdAt: Date, updatedAt: Date, xContactId: String? = nil, pqSupport: Bool = false,
    welcomeSharedMsgId: String? = nil, requestSharedMsgId: String? = nil
  ) {
    self.contactRequestId = contactRequestId
    self.agentInvitationId = agentInvitationId
    self.contactId_ = contactId_
    self.businessGroupId_ = businessGroupId_
    self.userContactLinkId_ = userContactLinkId_
    self.cReqChatVRange = cReqChatVRange
    self.localDisplayName = localDisplayName
    self.profileId = profileId
    self.profile = profile
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.xContactId = xContactId
    self.pqSupport = pqSupport
    self.welcomeSharedMsgId = welcomeSharedMsgId
    self.requestSharedMsgId = requestSharedMsgId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    contactRequestId = try fields.get("contactRequestId")
    agentInvitationId = try fields.get("agentInvitationId")
    contactId_ = try fields.get("contactId_")
    businessGroupId_ = try fields.get("businessGroupId_")
    userContactLinkId_ = try fields.get("userContactLinkId_")
    cReqChatVRange = try fields.get("cReqChatVRange")
    localDisplayName = try fields.get("localDisplayName")
    profileId = try fields.get("profileId")
    profile = try fields.get("profile")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
    xContactId = try fields.get("xContactId")
    pqSupport = try fields.get("pqSupport", default: false)
    welcomeSharedMsgId = try fields.get("welcomeSharedMsgId")
    requestSharedMsgId = try fields.get("requestSharedMsgId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("contactRequestId", contactRequestId)
    json.field("agentInvitationId", agentInvitationId)
    json.field("contactId_", contactId_)
    json.field("businessGroupId_", businessGroupId_)
    json.field("userContactLinkId_", userContactLinkId_)
    json.field("cReqChatVRange", cReqChatVRange)
    json.field("localDisplayName", localDisplayName)
    json.field("profileId", profileId)
    json.field("profile", profile)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.field("xContactId", xContactId)
    json.field("pqSupport", pqSupport)
    json.field("welcomeSharedMsgId", welcomeSharedMsgId)
    json.field("requestSharedMsgId", requestSharedMsgId)
    json.endObject()
  }
}

/// An address or group link as entity of connections.
public struct UserContact: JSONCodable, Hashable, Sendable {
  /// Database id of the address.
  public var userContactLinkId: Int64
  /// Link of the address.
  public var connReqContact: String
  /// Database id of the group.
  public var groupId: Int64?

  /// A value of its members.
  public init(
    userContactLinkId: Int64, connReqContact: String, groupId: Int64? = nil
  ) {
    self.userContactLinkId = userContactLinkId
    self.connReqContact = connReqContact
    self.groupId = groupId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userContactLinkId = try fields.get("userContactLinkId")
    connReqContact = try fields.get("connReqContact")
    groupId = try fields.get("groupId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userContactLinkId", userContactLinkId)
    json.field("connReqContact", connReqContact)
    json.field("groupId", groupId)
    json.endObject()
  }
}

/// The user's address.
public struct UserContactLink: JSONCodable, Hashable, Sendable {
  /// Database id of the address.
  public var userContactLinkId: Int64
  /// Links of the address.
  public var connLinkContact: CreatedConnLink
  /// Whether the short link has the profile.
  public var shortLinkDataSet: Bool
  /// Whether the short link has the profile with its image.
  public var shortLinkLargeDataSet: Bool
  /// How requests to the address are answered.
  public var addressSettings: AddressSettings

  /// A value of its members.
  public init(
    userContactLinkId: Int64, connLinkContact: CreatedConnLink, shortLinkDataSet: Bool,
    shortLinkLargeDataSet: Bool = false, addressSettings: AddressSettings
  ) {
    self.userContactLinkId = userContactLinkId
    self.connLinkContact = connLinkContact
    self.shortLinkDataSet = shortLinkDataSet
    self.shortLinkLargeDataSet = shortLinkLargeDataSet
    self.addressSettings = addressSettings
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userContactLinkId = try fields.get("userContactLinkId")
    connLinkContact = try fields.get("connLinkContact")
    shortLinkDataSet = try fields.get("shortLinkDataSet")
    shortLinkLargeDataSet = try fields.get("shortLinkLargeDataSet", default: false)
    addressSettings = try fields.get("addressSettings")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userContactLinkId", userContactLinkId)
    json.field("connLinkContact", connLinkContact)
    json.field("shortLinkDataSet", shortLinkDataSet)
    json.field("shortLinkLargeDataSet", shortLinkLargeDataSet)
    json.field("addressSettings", addressSettings)
    json.endObject()
  }
}

/// How requests to an address are answered.
public struct AddressSettings: JSONCodable, Hashable, Sendable {
  /// Whether requests create a business chat.
  public var businessAddress: Bool
  /// Accept requests automatically, and how; absent to ask.
  public var autoAccept: AutoAccept?
  /// The message sent when a request is accepted.
  public var autoReply: MsgContent?

  /// A value of its members.
  public init(
    businessAddress: Bool, autoAccept: AutoAccept? = nil, autoReply: MsgContent? = nil
  ) {
    self.businessAddress = businessAddress
    self.autoAccept = autoAccept
    self.autoReply = autoReply
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    businessAddress = try fields.get("businessAddress")
    autoAccept = try fields.get("autoAccept")
    autoReply = try fields.get("autoReply")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("businessAddress", businessAddress)
    json.field("autoAccept", autoAccept)
    json.field("autoReply", autoReply)
    json.endObject()
  }
}

/// How requests are accepted automatically.
public struct AutoAccept: JSONCodable, Hashable, Sendable {
  /// Whether requests are accepted with a random profile.
  public var acceptIncognito: Bool

  /// A value of its members.
  public init(
    acceptIncognito: Bool
  ) {
    self.acceptIncognito = acceptIncognito
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    acceptIncognito = try fields.get("acceptIncognito")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("acceptIncognito", acceptIncognito)
    json.endObject()
  }
}

/// An invitation or request that has no contact yet.
public struct PendingContactConnection: JSONCodable, Hashable, Sendable {
  /// Database id of the connection.
  public var pccConnId: Int64
  /// The agent's id of the connection, base64url.
  public var pccAgentConnId: String
  /// How far the connection is established.
  public var pccConnStatus: ConnStatus
  /// Whether it was made by an address.
  public var viaContactUri: Bool
  /// The address it was made by.
  public var viaUserContactLink: Int64?
  /// Id of the group link, base64url.
  public var groupLinkId: String?
  /// The random profile used instead of the user's.
  public var customUserProfileId: Int64?
  /// Links of the invitation.
  public var connLinkInv: CreatedConnLink?
  /// The name the user gave; may be empty.
  public var localAlias: String
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date

  /// A value of its members.
  public init(
    pccConnId: Int64, pccAgentConnId: String, pccConnStatus: ConnStatus, viaContactUri: Bool,
    viaUserContactLink: Int64? = nil, groupLinkId: String? = nil, customUserProfileId: Int64? = nil,
    connLinkInv: CreatedConnLink? = nil, localAlias: String, createdAt: Date, updatedAt: Date
  ) {
    self.pccConnId = pccConnId
    self.pccAgentConnId = pccAgentConnId
    self.pccConnStatus = pccConnStatus
    self.viaContactUri = viaContactUri
    self.viaUserContactLink = viaUserContactLink
    self.groupLinkId = groupLinkId
    self.customUserProfileId = customUserProfileId
    self.connLinkInv = connLinkInv
    self.localAlias = localAlias
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    pccConnId = try fields.get("pccConnId")
    pccAgentConnId = try fields.get("pccAgentConnId")
    pccConnStatus = try fields.get("pccConnStatus")
    viaContactUri = try fields.get("viaContactUri")
    viaUserContactLink = try fields.get("viaUserContactLink")
    groupLinkId = try fields.get("groupLinkId")
    customUserProfileId = try fields.get("customUserProfileId")
    connLinkInv = try fields.get("connLinkInv")
    localAlias = try fields.get("localAlias")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("pccConnId", pccConnId)
    json.field("pccAgentConnId", pccAgentConnId)
    json.field("pccConnStatus", pccConnStatus)
    json.field("viaContactUri", viaContactUri)
    json.field("viaUserContactLink", viaUserContactLink)
    json.field("groupLinkId", groupLinkId)
    json.field("customUserProfileId", customUserProfileId)
    json.field("connLinkInv", connLinkInv)
    json.field("localAlias", localAlias)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.endObject()
  }
}

/// What a contact's short link shows before connecting.
public struct ContactShortLinkData: JSONCodable, Hashable, Sendable {
  /// The profile.
  public var profile: Profile
  /// The welcome message.
  public var message: MsgContent?
  /// Whether the address creates a business chat.
  public var business: Bool
  /// The badge and what checking it gave.
  public var localBadge: LocalBadge?

  /// A value of its members.
  public init(
    profile: Profile, message: MsgContent? = nil, business: Bool = false, localBadge: LocalBadge? = nil
  ) {
    self.profile = profile
    self.message = message
    self.business = business
    self.localBadge = localBadge
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    profile = try fields.get("profile")
    message = try fields.get("message")
    business = try fields.get("business", default: false)
    localBadge = try fields.get("localBadge")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("profile", profile)
    json.field("message", message)
    json.field("business", business)
    json.field("localBadge", localBadge)
    json.endObject()
  }
}
