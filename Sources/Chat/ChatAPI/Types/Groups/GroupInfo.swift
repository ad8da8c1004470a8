import FoundationTypes
import SimplexJSON

/// A group, channel or business chat.
public struct GroupInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the group.
  public var groupId: Int64
  /// Whether messages go through the group's relays.
  public var useRelays: Bool = false
  /// Status of the user as relay of the group.
  public var relayOwnStatus: RelayStatus?
  /// The name made unique on this device.
  public var localDisplayName: String
  /// Names, image and preferences.
  public var groupProfile: GroupProfile
  /// The name that the user chose; may be empty.
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
}

/// A group with its members.
public struct Group: JSONCodable, Hashable, Sendable {
  /// The group.
  public var groupInfo: GroupInfo
  /// The members, without the user.
  public var members: [GroupMember]
}

/// Counts of members.
public struct GroupSummary: JSONCodable, Hashable, Sendable {
  /// Number of members.
  public var currentMembers: Int64
  /// Number of members the relays report.
  public var publicMemberCount: Int64?
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
}

/// Keys of a public group. Two of them may be secret.
public struct GroupKeys: JSONCodable, Hashable, Sendable {
  /// Id of the public group, base64url.
  public var publicGroupId: String
  /// The group's own key.
  public var groupRootKey: GroupRootKey
  /// The user's private signing key, base64url. Secret.
  public var memberPrivKey: String
}

/// The key that signs a public group.
public enum GroupRootKey: JSONCodable, Hashable, Sendable {
  case `private`(rootPrivKey: String)
  case `public`(rootPubKey: String)
}
