import FoundationTypes

import SimplexJSON

/// A peer the user has a conversation with.
public struct Contact: JSONCodable, Hashable, Sendable {
  /// Database id of the contact.
  public var contactId: Int64
  /// The name made unique on this device.
  public var localDisplayName: String
  /// The profile.
  public var profile: LocalProfile
  /// The connection to the peer; absent until there is one.
  public var activeConn: Connection?
  /// Whether messages were exchanged.
  public var contactUsed: Bool
  /// Whether the contact or the user deleted the contact.
  public var contactStatus: ContactStatus
  /// Notifications, receipts and favourite flag.
  public var chatSettings: ChatSettings
  /// What the user allows this contact.
  public var userPreferences: Preferences
  /// What both sides allow, per feature.
  public var mergedPreferences: ContactUserPreferences
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
  /// When the chat last changed, for its place in the list.
  public var chatTs: Date?
  /// The link of a contact not yet connected.
  public var preparedContact: PreparedContact?
  /// Database id of the request.
  public var contactRequestId: Int64?
  /// The group member the contact was made from.
  public var contactGroupMemberId: Int64?
  /// Whether the member was sent an invitation.
  public var contactGrpInvSent: Bool
  /// The group member's invitation the contact was made from.
  public var groupDirectInv: GroupDirectInvitation?
  /// Ids of the tags set on the chat.
  public var chatTags: [Int64]
  /// Seconds after which items are deleted; 0 for never, absent for the user's setting.
  public var chatItemTTL: Int64?
  /// Changes of the theme.
  public var uiThemes: ThemeModeOverrides?
  /// Whether the conversation was deleted but the contact kept.
  public var chatDeleted: Bool
  /// Any JSON value a bot keeps with the chat.
  public var customData: JSONValue?

  /// A value of its members.
  public init(
    contactId: Int64, localDisplayName: String, profile: LocalProfile, activeConn: Connection? = nil, contactUsed: Bool,
    contactStatus: ContactStatus, chatSettings: ChatSettings, userPreferences: Preferences,
    mergedPreferences: ContactUserPreferences, createdAt: Date, updatedAt: Date, chatTs: Date? = nil,
    preparedContact: PreparedContact? = nil, contactRequestId: Int64? = nil, contactGroupMemberId: Int64? = nil,
    contactGrpInvSent: Bool, groupDirectInv: GroupDirectInvitation? = nil, chatTags: [Int64], chatItemTTL: Int64? = nil,
    uiThemes: ThemeModeOverrides? = nil, chatDeleted: Bool, customData: JSONValue? = nil
  ) {
    self.contactId = contactId
    self.localDisplayName = localDisplayName
    self.profile = profile
    self.activeConn = activeConn
    self.contactUsed = contactUsed
    self.contactStatus = contactStatus
    self.chatSettings = chatSettings
    self.userPreferences = userPreferences
    self.mergedPreferences = mergedPreferences
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.chatTs = chatTs
    self.preparedContact = preparedContact
    self.contactRequestId = contactRequestId
    self.contactGroupMemberId = contactGroupMemberId
    self.contactGrpInvSent = contactGrpInvSent
    self.groupDirectInv = groupDirectInv
    self.chatTags = chatTags
    self.chatItemTTL = chatItemTTL
    self.uiThemes = uiThemes
    self.chatDeleted = chatDeleted
    self.customData = customData
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    contactId = try fields.get("contactId")
    localDisplayName = try fields.get("localDisplayName")
    profile = try fields.get("profile")
    activeConn = try fields.get("activeConn")
    contactUsed = try fields.get("contactUsed")
    contactStatus = try fields.get("contactStatus")
    chatSettings = try fields.get("chatSettings")
    userPreferences = try fields.get("userPreferences")
    mergedPreferences = try fields.get("mergedPreferences")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
    chatTs = try fields.get("chatTs")
    preparedContact = try fields.get("preparedContact")
    contactRequestId = try fields.get("contactRequestId")
    contactGroupMemberId = try fields.get("contactGroupMemberId")
    contactGrpInvSent = try fields.get("contactGrpInvSent")
    groupDirectInv = try fields.get("groupDirectInv")
    chatTags = try fields.get("chatTags")
    chatItemTTL = try fields.get("chatItemTTL")
    uiThemes = try fields.get("uiThemes")
    chatDeleted = try fields.get("chatDeleted")
    customData = try fields.get("customData")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("contactId", contactId)
    json.field("localDisplayName", localDisplayName)
    json.field("profile", profile)
    json.field("activeConn", activeConn)
    json.field("contactUsed", contactUsed)
    json.field("contactStatus", contactStatus)
    json.field("chatSettings", chatSettings)
    json.field("userPreferences", userPreferences)
    json.field("mergedPreferences", mergedPreferences)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.field("chatTs", chatTs)
    json.field("preparedContact", preparedContact)
    json.field("contactRequestId", contactRequestId)
    json.field("contactGroupMemberId", contactGroupMemberId)
    json.field("contactGrpInvSent", contactGrpInvSent)
    json.field("groupDirectInv", groupDirectInv)
    json.field("chatTags", chatTags)
    json.field("chatItemTTL", chatItemTTL)
    json.field("uiThemes", uiThemes)
    json.field("chatDeleted", chatDeleted)
    json.field("customData", customData)
    json.endObject()
  }
}

/// Whether a contact was deleted, and by whom.
public enum ContactStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case active
  case deleted
  case deletedByUser
}

/// The link of a contact that is not connected yet.
public struct PreparedContact: JSONCodable, Hashable, Sendable {
  /// The links to connect by.
  public var connLinkToConnect: CreatedConnLink
  /// Whether the link is an invitation or an address.
  public var uiConnLinkType: ConnectionMode
  /// Shared id of the welcome message, base64url.
  public var welcomeSharedMsgId: String?
  /// Shared id of the request message, base64url.
  public var requestSharedMsgId: String?

  /// A value of its members.
  public init(
    connLinkToConnect: CreatedConnLink, uiConnLinkType: ConnectionMode, welcomeSharedMsgId: String? = nil,
    requestSharedMsgId: String? = nil
  ) {
    self.connLinkToConnect = connLinkToConnect
    self.uiConnLinkType = uiConnLinkType
    self.welcomeSharedMsgId = welcomeSharedMsgId
    self.requestSharedMsgId = requestSharedMsgId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connLinkToConnect = try fields.get("connLinkToConnect")
    uiConnLinkType = try fields.get("uiConnLinkType")
    welcomeSharedMsgId = try fields.get("welcomeSharedMsgId")
    requestSharedMsgId = try fields.get("requestSharedMsgId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connLinkToConnect", connLinkToConnect)
    json.field("uiConnLinkType", uiConnLinkType)
    json.field("welcomeSharedMsgId", welcomeSharedMsgId)
    json.field("requestSharedMsgId", requestSharedMsgId)
    json.endObject()
  }
}

/// A group member's invitation to a direct conversation.
public struct GroupDirectInvitation: JSONCodable, Hashable, Sendable {
  /// Link of the invitation.
  public var groupDirectInvLink: String
  /// The group of the member who invited.
  public var fromGroupId_: Int64?
  /// The member who invited.
  public var fromGroupMemberId_: Int64?
  /// The connection the invitation came by.
  public var fromGroupMemberConnId_: Int64?
  /// Whether connecting has begun.
  public var groupDirectInvStartedConnection: Bool

  /// A value of its members.
  public init(
    groupDirectInvLink: String, fromGroupId_: Int64? = nil, fromGroupMemberId_: Int64? = nil,
    fromGroupMemberConnId_: Int64? = nil, groupDirectInvStartedConnection: Bool
  ) {
    self.groupDirectInvLink = groupDirectInvLink
    self.fromGroupId_ = fromGroupId_
    self.fromGroupMemberId_ = fromGroupMemberId_
    self.fromGroupMemberConnId_ = fromGroupMemberConnId_
    self.groupDirectInvStartedConnection = groupDirectInvStartedConnection
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupDirectInvLink = try fields.get("groupDirectInvLink")
    fromGroupId_ = try fields.get("fromGroupId_")
    fromGroupMemberId_ = try fields.get("fromGroupMemberId_")
    fromGroupMemberConnId_ = try fields.get("fromGroupMemberConnId_")
    groupDirectInvStartedConnection = try fields.get("groupDirectInvStartedConnection")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupDirectInvLink", groupDirectInvLink)
    json.field("fromGroupId_", fromGroupId_)
    json.field("fromGroupMemberId_", fromGroupMemberId_)
    json.field("fromGroupMemberConnId_", fromGroupMemberConnId_)
    json.field("groupDirectInvStartedConnection", groupDirectInvStartedConnection)
    json.endObject()
  }
}
