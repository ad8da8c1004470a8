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
  public var autoAcceptMemberContacts: Bool = false
  /// When the user's profile last changed.
  public var userMemberProfileUpdatedAt: Date?
  /// Whether the profile is a relay of public groups.
  public var userChatRelay: Bool = false
  /// Whether the profile subscribes with a service certificate.
  public var clientService: Bool = false
  /// Changes of the theme.
  public var uiThemes: ThemeModeOverrides?
}

/// How the password of a hidden profile is kept.
public struct UserPwdHash: JSONCodable, Hashable, Sendable {
  /// Hash of the password, base64url.
  public var hash: String
  /// Salt of the hash, base64url.
  public var salt: String
}

/// A profile with its count of unread items.
public struct UserInfo: JSONCodable, Hashable, Sendable {
  /// The user.
  public var user: User
  /// Number of unread items.
  public var unreadCount: Int
}

/// What a new profile is created from.
public struct NewUser: JSONCodable, Hashable, Sendable {
  /// The profile.
  public var profile: Profile?
  /// Whether the profile is dated back, for profiles made by migration.
  public var pastTimestamp: Bool
  /// Whether the profile is a relay of public groups.
  public var userChatRelay: Bool = false
  /// Whether the profile subscribes with a service certificate.
  public var clientService: Bool = false
}

/// The contacts that were sent a changed profile.
public struct UserProfileUpdateSummary: JSONCodable, Hashable, Sendable {
  /// How many contacts were sent the profile.
  public var updateSuccesses: Int
  /// How many contacts could not be sent the profile.
  public var updateFailures: Int
  /// The contacts who were sent the new profile.
  public var changedContacts: [Contact]
}
