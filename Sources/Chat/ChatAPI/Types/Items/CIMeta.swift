import FoundationTypes
import SimplexJSON

/// Ids, times and status of an item.
public struct CIMeta: JSONCodable, Hashable, Sendable {
  /// Database id of the item.
  public var itemId: Int64
  /// When it was sent, as the relay says.
  public var itemTs: Date
  /// The text, or a description of the content.
  public var itemText: String
  /// Delivery or reading status.
  public var itemStatus: CIStatus
  /// Whether it was sent through another relay.
  public var sentViaProxy: Bool?
  /// The id both sides know, base64url.
  public var itemSharedMsgId: String?
  /// Where it was forwarded from.
  public var itemForwarded: CIForwardedFrom?
  /// Whether and by whom it was deleted, or hidden.
  public var itemDeleted: CIDeleted?
  /// Whether it was edited.
  public var itemEdited: Bool
  /// When it disappears.
  public var itemTimed: CITimed?
  /// Whether it is still being typed.
  public var itemLive: Bool?
  /// Whether it mentions the user.
  public var userMention: Bool
  /// Whether the text has a link.
  public var hasLink: Bool = false
  /// Whether it can be deleted for everyone.
  public var deletable: Bool
  /// Whether it can be edited.
  public var editable: Bool
  /// The member who forwarded it, a database id.
  public var forwardedByMember: Int64?
  /// Whether the group is shown as the sender.
  public var showGroupAsSender: Bool
  /// The result of checking the signature.
  public var msgVerified: MsgVerified?
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date
}

/// When an item disappears.
public struct CITimed: JSONCodable, Hashable, Sendable {
  /// Seconds from reading to disappearing.
  public var ttl: Int
  /// When it disappears; absent until it was read.
  public var deleteAt: Date?
}

/// How an item was deleted or hidden.
public indirect enum CIDeleted: JSONCodable, Hashable, Sendable {
  case deleted(deletedTs: Date?, chatType: ChatType)
  case blocked(deletedTs: Date?)
  case blockedByAdmin(deletedTs: Date?)
  case moderated(deletedTs: Date?, byGroupMember: GroupMember)
}

/// Where an item was forwarded from.
public enum CIForwardedFrom: JSONCodable, Hashable, Sendable {
  case unknown
  case contact(chatName: String, msgDir: MsgDirection, contactId: Int64?, chatItemId: Int64?)
  case group(chatName: String, msgDir: MsgDirection, groupId: Int64?, chatItemId: Int64?)
}

/// Who sent an item.
public indirect enum CIDirection: JSONCodable, Hashable, Sendable {
  case directSnd
  case directRcv
  case groupSnd
  case groupRcv(groupMember: GroupMember)
  case channelRcv
  case localSnd
  case localRcv
}

/// How to delete an item.
public enum CIDeleteMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case cidmBroadcast = "broadcast"
  case cidmInternal = "internal"
  case cidmInternalMark = "internalMark"
  case history
}

/// Whether a message was signed.
public enum MsgVerified: JSONCodable, Hashable, Sendable {
  case signed(sigStatus: MsgSigStatus)
  case sigMissing
}

/// The result of checking a signature.
public enum MsgSigStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case verified
  case signedNoKey
}
