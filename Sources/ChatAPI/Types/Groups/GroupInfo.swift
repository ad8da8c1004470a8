import FoundationTypes

import SimplexJSON

/// A group, channel or business chat.
public struct GroupInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the group.
  public var groupId: Int64
  /// Whether messages go through the group's relays.
  public var useRelays: Bool
  /// Status of the user as relay of the group.
  public var relayOwnStatus: RelayStatus?
  /// The name made unique on this device.
  public var localDisplayName: String
  /// Names, image and preferences.
  public var groupProfile: GroupProfile
  /// The name the user gave; may be empty.
  public var localAlias: String
  /// The parties of a business chat.
  public var businessChat: BusinessChatInfo?
  /// The features with defaults filled in.
  public var fullGroupPreferences: FullGroupPreferences
  /// The user as member.
  public var membership: GroupMember
  /// Notifications, receipts and favourite flag.
  public var chatSettings: ChatSettings
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
  /// When the chat last changed, for its place in the list.
  public var chatTs: Date?
  /// When the user's profile was last sent to the group.
  public var userMemberProfileSentAt: Date?
  /// The link of a group not yet joined.
  public var preparedGroup: PreparedGroup?
  /// Ids of the tags set on the chat.
  public var chatTags: [Int64]
  /// Seconds after which items are deleted; 0 for never, absent for the user's setting.
  public var chatItemTTL: Int64?
  /// Changes of the theme.
  public var uiThemes: ThemeModeOverrides?
  /// Any JSON value a bot keeps with the chat.
  public var customData: JSONValue?
  /// Counts of members.
  public var groupSummary: GroupSummary
  /// Version of the list of members.
  public var rosterVersion: Int64?
  /// Members whose support chats wait for an answer.
  public var membersRequireAttention: Int
  /// The group link used to join.
  public var viaGroupLinkUri: String?
  /// Keys of a public group. The member's private key among them is secret.
  public var groupKeys: GroupKeys?
  /// Whether the domain name was verified to be the group's.
  public var groupDomainVerified: Bool?

  /// A value of its members.
  public init(
    groupId: Int64, useRelays: Bool = false, relayOwnStatus: RelayStatus? = nil, localDisplayName: String,
    groupProfile: GroupProfile, localAlias: String, businessChat: BusinessChatInfo? = nil,
    fullGroupPreferences: FullGroupPreferences, membership: GroupMember, chatSettings: ChatSettings, createdAt: Date,
    updatedAt: Date, chatTs: Date? = nil, userMemberProfileSentAt: Date? = nil, preparedGroup: PreparedGroup? = nil,
    chatTags: [Int64], chatItemTTL: Int64? = nil, uiThemes: ThemeModeOverrides? = nil, customData: JSONValue? = nil,
    groupSummary: GroupSummary, rosterVersion: Int64? = nil, membersRequireAttention: Int,
    viaGroupLinkUri: String? = nil, groupKeys: GroupKeys? = nil, groupDomainVerified: Bool? = nil
  ) {
    self.groupId = groupId
    self.useRelays = useRelays
    self.relayOwnStatus = relayOwnStatus
    self.localDisplayName = localDisplayName
    self.groupProfile = groupProfile
    self.localAlias = localAlias
    self.businessChat = businessChat
    self.fullGroupPreferences = fullGroupPreferences
    self.membership = membership
    self.chatSettings = chatSettings
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.chatTs = chatTs
    self.userMemberProfileSentAt = userMemberProfileSentAt
    self.preparedGroup = preparedGroup
    self.chatTags = chatTags
    self.chatItemTTL = chatItemTTL
    self.uiThemes = uiThemes
    self.customData = customData
    self.groupSummary = groupSummary
    self.rosterVersion = rosterVersion
    self.membersRequireAttention = membersRequireAttention
    self.viaGroupLinkUri = viaGroupLinkUri
    self.groupKeys = groupKeys
    self.groupDomainVerified = groupDomainVerified
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupId = try fields.get("groupId")
    useRelays = try fields.get("useRelays", default: false)
    relayOwnStatus = try fields.get("relayOwnStatus")
    localDisplayName = try fields.get("localDisplayName")
    groupProfile = try fields.get("groupProfile")
    localAlias = try fields.get("localAlias")
    businessChat = try fields.get("businessChat")
    fullGroupPreferences = try fields.get("fullGroupPreferences")
    membership = try fields.get("membership")
    chatSettings = try fields.get("chatSettings")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
    chatTs = try fields.get("chatTs")
    userMemberProfileSentAt = try fields.get("userMemberProfileSentAt")
    preparedGroup = try fields.get("preparedGroup")
    chatTags = try fields.get("chatTags")
    chatItemTTL = try fields.get("chatItemTTL")
    uiThemes = try fields.get("uiThemes")
    customData = try fields.get("customData")
    groupSummary = try fields.get("groupSummary")
    rosterVersion = try fields.get("rosterVersion")
    membersRequireAttention = try fields.get("membersRequireAttention")
    viaGroupLinkUri = try fields.get("viaGroupLinkUri")
    groupKeys = try fields.get("groupKeys")
    groupDomainVerified = try fields.get("groupDomainVerified")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupId", groupId)
    json.field("useRelays", useRelays)
    json.field("relayOwnStatus", relayOwnStatus)
    json.field("localDisplayName", localDisplayName)
    json.field("groupProfile", groupProfile)
    json.field("localAlias", localAlias)
    json.field("businessChat", businessChat)
    json.field("fullGroupPreferences", fullGroupPreferences)
    json.field("membership", membership)
    json.field("chatSettings", chatSettings)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.field("chatTs", chatTs)
    json.field("userMemberProfileSentAt", userMemberProfileSentAt)
    json.field("preparedGroup", preparedGroup)
    json.field("chatTags", chatTags)
    json.field("chatItemTTL", chatItemTTL)
    json.field("uiThemes", uiThemes)
    json.field("customData", customData)
    json.field("groupSummary", groupSummary)
    json.field("rosterVersion", rosterVersion)
    json.field("membersRequireAttention", membersRequireAttention)
    json.field("viaGroupLinkUri", viaGroupLinkUri)
    json.field("groupKeys", groupKeys)
    json.field("groupDomainVerified", groupDomainVerified)
    json.endObject()
  }
}

/// A group with its members.
public struct Group: JSONCodable, Hashable, Sendable {
  /// The group.
  public var groupInfo: GroupInfo
  /// The members, without the user.
  public var members: [GroupMember]

  /// A value of its members.
  public init(
    groupInfo: GroupInfo, members: [GroupMember]
  ) {
    self.groupInfo = groupInfo
    self.members = members
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupInfo = try fields.get("groupInfo")
    members = try fields.get("members")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupInfo", groupInfo)
    json.field("members", members)
    json.endObject()
  }
}

/// Counts of members.
public struct GroupSummary: JSONCodable, Hashable, Sendable {
  /// Number of members.
  public var currentMembers: Int64
  /// Number of members the relays report.
  public var publicMemberCount: Int64?

  /// A value of its members.
  public init(
    currentMembers: Int64, publicMemberCount: Int64? = nil
  ) {
    self.currentMembers = currentMembers
    self.publicMemberCount = publicMemberCount
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    currentMembers = try fields.get("currentMembers")
    publicMemberCount = try fields.get("publicMemberCount")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("currentMembers", currentMembers)
    json.field("publicMemberCount", publicMemberCount)
    json.endObject()
  }
}

/// The link of a group that is not joined yet.
public struct PreparedGroup: JSONCodable, Hashable, Sendable {
  /// The links to connect by.
  public var connLinkToConnect: CreatedConnLink
  /// Whether the connection was prepared.
  public var connLinkPreparedConnection: Bool
  /// Whether connecting has begun.
  public var connLinkStartedConnection: Bool
  /// Shared id of the welcome message, base64url.
  public var welcomeSharedMsgId: String?
  /// Shared id of the request message, base64url.
  public var requestSharedMsgId: String?

  /// A value of its members.
  public init(
    connLinkToConnect: CreatedConnLink, connLinkPreparedConnection: Bool, connLinkStartedConnection: Bool,
    welcomeSharedMsgId: String? = nil, requestSharedMsgId: String? = nil
  ) {
    self.connLinkToConnect = connLinkToConnect
    self.connLinkPreparedConnection = connLinkPreparedConnection
    self.connLinkStartedConnection = connLinkStartedConnection
    self.welcomeSharedMsgId = welcomeSharedMsgId
    self.requestSharedMsgId = requestSharedMsgId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connLinkToConnect = try fields.get("connLinkToConnect")
    connLinkPreparedConnection = try fields.get("connLinkPreparedConnection")
    connLinkStartedConnection = try fields.get("connLinkStartedConnection")
    welcomeSharedMsgId = try fields.get("welcomeSharedMsgId")
    requestSharedMsgId = try fields.get("requestSharedMsgId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connLinkToConnect", connLinkToConnect)
    json.field("connLinkPreparedConnection", connLinkPreparedConnection)
    json.field("connLinkStartedConnection", connLinkStartedConnection)
    json.field("welcomeSharedMsgId", welcomeSharedMsgId)
    json.field("requestSharedMsgId", requestSharedMsgId)
    json.endObject()
  }
}

/// Keys of a public group. Two of them may be secret.
public struct GroupKeys: JSONCodable, Hashable, Sendable {
  /// Id of the public group, base64url.
  public var publicGroupId: String
  /// The group's own key.
  public var groupRootKey: GroupRootKey
  /// The user's private signing key, base64url. Secret.
  public var memberPrivKey: String

  /// A value of its members.
  public init(
    publicGroupId: String, groupRootKey: GroupRootKey, memberPrivKey: String
  ) {
    self.publicGroupId = publicGroupId
    self.groupRootKey = groupRootKey
    self.memberPrivKey = memberPrivKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    publicGroupId = try fields.get("publicGroupId")
    groupRootKey = try fields.get("groupRootKey")
    memberPrivKey = try fields.get("memberPrivKey")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("publicGroupId", publicGroupId)
    json.field("groupRootKey", groupRootKey)
    json.field("memberPrivKey", memberPrivKey)
    json.endObject()
  }
}

/// The key that signs a public group.
public enum GroupRootKey: JSONCodable, Hashable, Sendable {
  case `private`(rootPrivKey: String)
  case `public`(rootPubKey: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "private": self = try .private(rootPrivKey: fields.get("rootPrivKey"))
    case "public": self = try .public(rootPubKey: fields.get("rootPubKey"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .private(let rootPrivKey): json.sum("private", "rootPrivKey", rootPrivKey)
    case .public(let rootPubKey): json.sum("public", "rootPubKey", rootPubKey)
    }
  }
}
