import FoundationTypes
import SimplexJSON

/// A request to connect by the user's address.
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
  public var pqSupport: Bool = false
  /// Shared id of the welcome message, base64url.
  public var welcomeSharedMsgId: String?
  /// Shared id of the request message, base64url.
  public var requestSharedMsgId: String?
}

/// An address or group link as entity of connections.
public struct UserContact: JSONCodable, Hashable, Sendable {
  /// Database id of the address.
  public var userContactLinkId: Int64
  /// Link of the address.
  public var connReqContact: String
  /// Database id of the group.
  public var groupId: Int64?
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
  public var shortLinkLargeDataSet: Bool = false
  /// How requests to the address are answered.
  public var addressSettings: AddressSettings
}

/// How requests to an address are answered.
public struct AddressSettings: JSONCodable, Hashable, Sendable {
  /// Whether requests create a business chat.
  public var businessAddress: Bool
  /// Accept requests automatically, and how; absent to ask.
  public var autoAccept: AutoAccept?
  /// The message sent when a request is accepted.
  public var autoReply: MsgContent?
}

/// How requests are accepted automatically.
public struct AutoAccept: JSONCodable, Hashable, Sendable {
  /// Whether requests are accepted with a random profile.
  public var acceptIncognito: Bool
}

/// An invitation or request that has no contact yet.
public struct PendingContactConnection: JSONCodable, Hashable, Sendable {
  /// Database id of the connection.
  public var pccConnId: Int64
  /// The agent's id of the connection, base64url.
  public var pccAgentConnId: String
  /// The state of the connection.
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
  /// The name that the user chose; may be empty.
  public var localAlias: String
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
}

/// What a contact's short link shows before connecting.
public struct ContactShortLinkData: JSONCodable, Hashable, Sendable {
  /// The profile.
  public var profile: Profile
  /// The welcome message.
  public var message: MsgContent?
  /// Whether the address creates a business chat.
  public var business: Bool = false
  /// The badge and the result of checking it.
  public var localBadge: LocalBadge?
}
