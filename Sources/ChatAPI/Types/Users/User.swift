import FoundationTypes

import SimplexJSON

/// A profile of this device's owner with its settings.
public struct User: JSONCodable, Hashable, Sendable {
  /// Database id of the user.
  public var userId: Int64
  /// The agent's id of the user, a decimal number as text.
  public var agentUserId: String
  /// Database id of the user as contact.
  public var userContactId: Int64
  /// The name made unique on this device.
  public var localDisplayName: String
  /// The profile.
  public var profile: LocalProfile
  /// The features with defaults filled in.
  public var fullPreferences: FullPreferences
  /// Whether this is the current profile.
  public var activeUser: Bool
  /// Position in the order of last use; higher is more recent.
  public var activeOrder: Int64
  /// Hash of the password that shows a hidden profile.
  public var viewPwdHash: UserPwdHash?
  /// Whether notifications are shown when the profile is not active.
  public var showNtfs: Bool
  /// Whether receipts are sent to contacts.
  public var sendRcptsContacts: Bool
  /// Whether receipts are sent to small groups.
  public var sendRcptsSmallGroups: Bool
  /// Whether invitations from group members are accepted automatically.
  public var autoAcceptMemberContacts: Bool
  /// When the user's profile last changed.
  public var userMemberProfileUpdatedAt: Date?
  /// Whether the profile is a relay of public groups.
  public var userChatRelay: Bool
  /// Whether the profile subscribes with a service certificate.
  public var clientService: Bool
  /// Changes of the theme.
  public var uiThemes: ThemeModeOverrides?

  /// A value of its members.
  public init(
    userId: Int64, agentUserId: String, userContactId: Int64, localDisplayName: String, profile: LocalProfile,
    fullPreferences: FullPreferences, activeUser: Bool, activeOrder: Int64, viewPwdHash: UserPwdHash? = nil,
    showNtfs: Bool, sendRcptsContacts: Bool, sendRcptsSmallGroups: Bool, autoAcceptMemberContacts: Bool = false,
    userMemberProfileUpdatedAt: Date? = nil, userChatRelay: Bool = false, clientService: Bool = false,
    uiThemes: ThemeModeOverrides? = nil
  ) {
    self.userId = userId
    self.agentUserId = agentUserId
    self.userContactId = userContactId
    self.localDisplayName = localDisplayName
    self.profile = profile
    self.fullPreferences = fullPreferences
    self.activeUser = activeUser
    self.activeOrder = activeOrder
    self.viewPwdHash = viewPwdHash
    self.showNtfs = showNtfs
    self.sendRcptsContacts = sendRcptsContacts
    self.sendRcptsSmallGroups = sendRcptsSmallGroups
    self.autoAcceptMemberContacts = autoAcceptMemberContacts
    self.userMemberProfileUpdatedAt = userMemberProfileUpdatedAt
    self.userChatRelay = userChatRelay
    self.clientService = clientService
    self.uiThemes = uiThemes
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userId = try fields.get("userId")
    agentUserId = try fields.get("agentUserId")
    userContactId = try fields.get("userContactId")
    localDisplayName = try fields.get("localDisplayName")
    profile = try fields.get("profile")
    fullPreferences = try fields.get("fullPreferences")
    activeUser = try fields.get("activeUser")
    activeOrder = try fields.get("activeOrder")
    viewPwdHash = try fields.get("viewPwdHash")
    showNtfs = try fields.get("showNtfs")
    sendRcptsContacts = try fields.get("sendRcptsContacts")
    sendRcptsSmallGroups = try fields.get("sendRcptsSmallGroups")
    autoAcceptMemberContacts = try fields.get("autoAcceptMemberContacts", default: false)
    userMemberProfileUpdatedAt = try fields.get("userMemberProfileUpdatedAt")
    userChatRelay = try fields.get("userChatRelay", default: false)
    clientService = try fields.get("clientService", default: false)
    uiThemes = try fields.get("uiThemes")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userId", userId)
    json.field("agentUserId", agentUserId)
    json.field("userContactId", userContactId)
    json.field("localDisplayName", localDisplayName)
    json.field("profile", profile)
    json.field("fullPreferences", fullPreferences)
    json.field("activeUser", activeUser)
    json.field("activeOrder", activeOrder)
    json.field("viewPwdHash", viewPwdHash)
    json.field("showNtfs", showNtfs)
    json.field("sendRcptsContacts", sendRcptsContacts)
    json.field("sendRcptsSmallGroups", sendRcptsSmallGroups)
    json.field("autoAcceptMemberContacts", autoAcceptMemberContacts)
    json.field("userMemberProfileUpdatedAt", userMemberProfileUpdatedAt)
    json.field("userChatRelay", userChatRelay)
    json.field("clientService", clientService)
    json.field("uiThemes", uiThemes)
    json.endObject()
  }
}

/// How the password of a hidden profile is kept.
public struct UserPwdHash: JSONCodable, Hashable, Sendable {
  /// Hash of the password, base64url.
  public var hash: String
  /// Salt of the hash, base64url.
  public var salt: String

  /// A value of its members.
  public init(
    hash: String, salt: String
  ) {
    self.hash = hash
    self.salt = salt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    hash = try fields.get("hash")
    salt = try fields.get("salt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("hash", hash)
    json.field("salt", salt)
    json.endObject()
  }
}

/// A profile with its count of unread items.
public struct UserInfo: JSONCodable, Hashable, Sendable {
  /// The user.
  public var user: User
  /// Number of unread items.
  public var unreadCount: Int

  /// A value of its members.
  public init(
    user: User, unreadCount: Int
  ) {
    self.user = user
    self.unreadCount = unreadCount
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    user = try fields.get("user")
    unreadCount = try fields.get("unreadCount")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("user", user)
    json.field("unreadCount", unreadCount)
    json.endObject()
  }
}

/// What a new profile is created from.
public struct NewUser: JSONCodable, Hashable, Sendable {
  /// The profile.
  public var profile: Profile?
  /// Whether the profile is dated back, for profiles made by migration.
  public var pastTimestamp: Bool
  /// Whether the profile is a relay of public groups.
  public var userChatRelay: Bool
  /// Whether the profile subscribes with a service certificate.
  public var clientService: Bool

  /// A value of its members.
  public init(
    profile: Profile? = nil, pastTimestamp: Bool, userChatRelay: Bool = false, clientService: Bool = false
  ) {
    self.profile = profile
    self.pastTimestamp = pastTimestamp
    self.userChatRelay = userChatRelay
    self.clientService = clientService
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    profile = try fields.get("profile")
    pastTimestamp = try fields.get("pastTimestamp")
    userChatRelay = try fields.get("userChatRelay", default: false)
    clientService = try fields.get("clientService", default: false)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("profile", profile)
    json.field("pastTimestamp", pastTimestamp)
    json.field("userChatRelay", userChatRelay)
    json.field("clientService", clientService)
    json.endObject()
  }
}

/// Who was sent a changed profile.
public struct UserProfileUpdateSummary: JSONCodable, Hashable, Sendable {
  /// How many contacts were sent the profile.
  public var updateSuccesses: Int
  /// How many contacts could not be sent the profile.
  public var updateFailures: Int
  /// The contacts who were sent the new profile.
  public var changedContacts: [Contact]

  /// A value of its members.
  public init(
    updateSuccesses: Int, updateFailures: Int, changedContacts: [Contact]
  ) {
    self.updateSuccesses = updateSuccesses
    self.updateFailures = updateFailures
    self.changedContacts = changedContacts
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    updateSuccesses = try fields.get("updateSuccesses")
    updateFailures = try fields.get("updateFailures")
    changedContacts = try fields.get("changedContacts")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("updateSuccesses", updateSuccesses)
    json.field("updateFailures", updateFailures)
    json.field("changedContacts", changedContacts)
    json.endObject()
  }
}
