import FoundationTypes

import SimplexJSON

/// An item before and after deletion.
public struct ChatItemDeletion: JSONCodable, Hashable, Sendable {
  /// The item before deletion.
  public var deletedChatItem: AChatItem
  /// The item after deletion; absent if it is gone.
  public var toChatItem: AChatItem?

  /// A value of its members.
  public init(
    deletedChatItem: AChatItem, toChatItem: AChatItem? = nil
  ) {
    self.deletedChatItem = deletedChatItem
    self.toChatItem = toChatItem
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    deletedChatItem = try fields.get("deletedChatItem")
    toChatItem = try fields.get("toChatItem")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("deletedChatItem", deletedChatItem)
    json.field("toChatItem", toChatItem)
    json.endObject()
  }
}

/// A reaction with its chat.
public struct ACIReaction: JSONCodable, Hashable, Sendable {
  /// The chat.
  public var chatInfo: ChatInfo
  /// The reaction.
  public var chatReaction: CIReaction

  /// A value of its members.
  public init(
    chatInfo: ChatInfo, chatReaction: CIReaction
  ) {
    self.chatInfo = chatInfo
    self.chatReaction = chatReaction
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatInfo = try fields.get("chatInfo")
    chatReaction = try fields.get("chatReaction")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatInfo", chatInfo)
    json.field("chatReaction", chatReaction)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    chatDir: CIDirection, chatItem: ChatItem, sentAt: Date, reaction: MsgReaction
  ) {
    self.chatDir = chatDir
    self.chatItem = chatItem
    self.sentAt = sentAt
    self.reaction = reaction
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatDir = try fields.get("chatDir")
    chatItem = try fields.get("chatItem")
    sentAt = try fields.get("sentAt")
    reaction = try fields.get("reaction")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatDir", chatDir)
    json.field("chatItem", chatItem)
    json.field("sentAt", sentAt)
    json.field("reaction", reaction)
    json.endObject()
  }
}

/// Earlier versions and deliveries of an item.
public struct ChatItemInfo: JSONCodable, Hashable, Sendable {
  /// Earlier versions, newest first.
  public var itemVersions: [ChatItemVersion]
  /// Delivery to each member.
  public var memberDeliveryStatuses: [MemberDeliveryStatus]?
  /// The original of a forwarded item.
  public var forwardedFromChatItem: AChatItem?

  /// A value of its members.
  public init(
    itemVersions: [ChatItemVersion], memberDeliveryStatuses: [MemberDeliveryStatus]? = nil,
    forwardedFromChatItem: AChatItem? = nil
  ) {
    self.itemVersions = itemVersions
    self.memberDeliveryStatuses = memberDeliveryStatuses
    self.forwardedFromChatItem = forwardedFromChatItem
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    itemVersions = try fields.get("itemVersions")
    memberDeliveryStatuses = try fields.get("memberDeliveryStatuses")
    forwardedFromChatItem = try fields.get("forwardedFromChatItem")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("itemVersions", itemVersions)
    json.field("memberDeliveryStatuses", memberDeliveryStatuses)
    json.field("forwardedFromChatItem", forwardedFromChatItem)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    chatItemVersionId: Int64, msgContent: MsgContent, formattedText: [FormattedText]? = nil, itemVersionTs: Date,
    createdAt: Date
  ) {
    self.chatItemVersionId = chatItemVersionId
    self.msgContent = msgContent
    self.formattedText = formattedText
    self.itemVersionTs = itemVersionTs
    self.createdAt = createdAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatItemVersionId = try fields.get("chatItemVersionId")
    msgContent = try fields.get("msgContent")
    formattedText = try fields.get("formattedText")
    itemVersionTs = try fields.get("itemVersionTs")
    createdAt = try fields.get("createdAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatItemVersionId", chatItemVersionId)
    json.field("msgContent", msgContent)
    json.field("formattedText", formattedText)
    json.field("itemVersionTs", itemVersionTs)
    json.field("createdAt", createdAt)
    json.endObject()
  }
}

/// Delivery of an item to a member.
public struct MemberDeliveryStatus: JSONCodable, Hashable, Sendable {
  /// Database id of the member.
  public var groupMemberId: Int64
  /// What is known of the delivery.
  public var memberDeliveryStatus: GroupSndStatus
  /// Whether it was sent through another relay.
  public var sentViaProxy: Bool?

  /// A value of its members.
  public init(
    groupMemberId: Int64, memberDeliveryStatus: GroupSndStatus, sentViaProxy: Bool? = nil
  ) {
    self.groupMemberId = groupMemberId
    self.memberDeliveryStatus = memberDeliveryStatus
    self.sentViaProxy = sentViaProxy
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupMemberId = try fields.get("groupMemberId")
    memberDeliveryStatus = try fields.get("memberDeliveryStatus")
    sentViaProxy = try fields.get("sentViaProxy")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupMemberId", groupMemberId)
    json.field("memberDeliveryStatus", memberDeliveryStatus)
    json.field("sentViaProxy", sentViaProxy)
    json.endObject()
  }
}

/// Files that cannot be forwarded.
public enum ForwardConfirmation: JSONCodable, Hashable, Sendable {
  case filesNotAccepted(fileIds: [Int64])
  case filesInProgress(filesCount: Int)
  case filesMissing(filesCount: Int)
  case filesFailed(filesCount: Int)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "filesNotAccepted": self = try .filesNotAccepted(fileIds: fields.get("fileIds"))
    case "filesInProgress": self = try .filesInProgress(filesCount: fields.get("filesCount"))
    case "filesMissing": self = try .filesMissing(filesCount: fields.get("filesCount"))
    case "filesFailed": self = try .filesFailed(filesCount: fields.get("filesCount"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .filesNotAccepted(let fileIds): json.sum("filesNotAccepted", "fileIds", fileIds)
    case .filesInProgress(let filesCount): json.sum("filesInProgress", "filesCount", filesCount)
    case .filesMissing(let filesCount): json.sum("filesMissing", "filesCount", filesCount)
    case .filesFailed(let filesCount): json.sum("filesFailed", "filesCount", filesCount)
    }
  }
}
