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
}

/// Whether and by whom a contact was deleted.
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
}
