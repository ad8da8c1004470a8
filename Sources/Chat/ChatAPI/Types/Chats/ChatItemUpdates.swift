import FoundationTypes
import SimplexJSON

/// An item before and after deletion.
public struct ChatItemDeletion: JSONCodable, Hashable, Sendable {
  /// The item before deletion.
  public var deletedChatItem: AChatItem
  /// The item after deletion; absent if it is gone.
  public var toChatItem: AChatItem?
}

/// A reaction with its chat.
public struct ACIReaction: JSONCodable, Hashable, Sendable {
  /// The chat.
  public var chatInfo: ChatInfo
  /// The reaction.
  public var chatReaction: CIReaction
}

/// A reaction to an item.
public struct CIReaction: JSONCodable, Hashable, Sendable {
  /// Who sent the item.
  public var chatDir: CIDirection
  /// The item.
  public var chatItem: ChatItem
  /// When it was sent.
  public var sentAt: Date
  /// The reaction.
  public var reaction: MsgReaction
}

/// Earlier versions and deliveries of an item.
public struct ChatItemInfo: JSONCodable, Hashable, Sendable {
  /// Earlier versions, newest first.
  public var itemVersions: [ChatItemVersion]
  /// Delivery to each member.
  public var memberDeliveryStatuses: [MemberDeliveryStatus]?
  /// The original of a forwarded item.
  public var forwardedFromChatItem: AChatItem?
}

/// An earlier version of an item.
public struct ChatItemVersion: JSONCodable, Hashable, Sendable {
  /// Database id of the version.
  public var chatItemVersionId: Int64
  /// The message.
  public var msgContent: MsgContent
  /// The text in formatted parts; absent if it is all plain.
  public var formattedText: [FormattedText]?
  /// When this version was sent.
  public var itemVersionTs: Date
  /// When it was created.
  public var createdAt: Date
}

/// Delivery of an item to a member.
public struct MemberDeliveryStatus: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// What is known of the delivery.
  public var memberDeliveryStatus: GroupSndStatus
  /// Whether it was sent through another relay.
  public var sentViaProxy: Bool?
}

/// Files that cannot be forwarded.
public enum ForwardConfirmation: JSONCodable, Hashable, Sendable {
  case filesNotAccepted(fileIds: [Int64])
  case filesInProgress(filesCount: Int)
  case filesMissing(filesCount: Int)
  case filesFailed(filesCount: Int)
}
