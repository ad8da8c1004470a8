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
  public var hasLink: Bool
  /// Whether it can be deleted for everyone.
  public var deletable: Bool
  /// Whether it can be edited.
  public var editable: Bool
  /// The member who forwarded it, a database id.
  public var forwardedByMember: Int64?
  /// Whether the group is shown as the sender.
  public var showGroupAsSender: Bool
  /// What checking the signature gave.
  public var msgVerified: MsgVerified?
  /// When it was created.
  public var createdAt: Date
  /// When it was last changed.
  public var updatedAt: Date

  /// A value of its members.
  public init(
    itemId: Int64, itemTs: Date, itemText: String, itemStatus: CIStatus, sentViaProxy: Bool? = nil,
    itemSharedMsgId: String? = nil, itemForwarded: CIForwardedFrom? = nil, itemDeleted: CIDeleted? = nil,
    itemEdited: Bool, itemTimed: CITimed? = nil, itemLive: Bool? = nil, userMention: Bool, hasLink: Bool = false,
    deletable: Bool, editable: Bool, forwardedByMember: Int64? = nil, showGroupAsSender: Bool,
    msgVerified: MsgVerified? = nil, createdAt: Date, updatedAt: Date
  ) {
    self.itemId = itemId
    self.itemTs = itemTs
    self.itemText = itemText
    self.itemStatus = itemStatus
    self.sentViaProxy = sentViaProxy
    self.itemSharedMsgId = itemSharedMsgId
    self.itemForwarded = itemForwarded
    self.itemDeleted = itemDeleted
    self.itemEdited = itemEdited
    self.itemTimed = itemTimed
    self.itemLive = itemLive
    self.userMention = userMention
    self.hasLink = hasLink
    self.deletable = deletable
    self.editable = editable
    self.forwardedByMember = forwardedByMember
    self.showGroupAsSender = showGroupAsSender
    self.msgVerified = msgVerified
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    itemId = try fields.get("itemId")
    itemTs = try fields.get("itemTs")
    itemText = try fields.get("itemText")
    itemStatus = try fields.get("itemStatus")
    sentViaProxy = try fields.get("sentViaProxy")
    itemSharedMsgId = try fields.get("itemSharedMsgId")
    itemForwarded = try fields.get("itemForwarded")
    itemDeleted = try fields.get("itemDeleted")
    itemEdited = try fields.get("itemEdited")
    itemTimed = try fields.get("itemTimed")
    itemLive = try fields.get("itemLive")
    userMention = try fields.get("userMention")
    hasLink = try fields.get("hasLink", default: false)
    deletable = try fields.get("deletable")
    editable = try fields.get("editable")
    forwardedByMember = try fields.get("forwardedByMember")
    showGroupAsSender = try fields.get("showGroupAsSender")
    msgVerified = try fields.get("msgVerified")
    createdAt = try fields.get("createdAt")
    updatedAt = try fields.get("updatedAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("itemId", itemId)
    json.field("itemTs", itemTs)
    json.field("itemText", itemText)
    json.field("itemStatus", itemStatus)
    json.field("sentViaProxy", sentViaProxy)
    json.field("itemSharedMsgId", itemSharedMsgId)
    json.field("itemForwarded", itemForwarded)
    json.field("itemDeleted", itemDeleted)
    json.field("itemEdited", itemEdited)
    json.field("itemTimed", itemTimed)
    json.field("itemLive", itemLive)
    json.field("userMention", userMention)
    json.field("hasLink", hasLink)
    json.field("deletable", deletable)
    json.field("editable", editable)
    json.field("forwardedByMember", forwardedByMember)
    json.field("showGroupAsSender", showGroupAsSender)
    json.field("msgVerified", msgVerified)
    json.field("createdAt", createdAt)
    json.field("updatedAt", updatedAt)
    json.endObject()
  }
}

/// When an item disappears.
public struct CITimed: JSONCodable, Hashable, Sendable {
  /// Seconds from reading to disappearing.
  public var ttl: Int
  /// When it disappears; absent until it was read.
  public var deleteAt: Date?

  /// A value of its members.
  public init(
    ttl: Int, deleteAt: Date? = nil
  ) {
    self.ttl = ttl
    self.deleteAt = deleteAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ttl = try fields.get("ttl")
    deleteAt = try fields.get("deleteAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ttl", ttl)
    json.field("deleteAt", deleteAt)
    json.endObject()
  }
}

/// How an item was deleted or hidden.
public indirect enum CIDeleted: JSONCodable, Hashable, Sendable {
  case deleted(deletedTs: Date?, chatType: ChatType)
  case blocked(deletedTs: Date?)
  case blockedByAdmin(deletedTs: Date?)
  case moderated(deletedTs: Date?, byGroupMember: GroupMember)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "deleted": self = try .deleted(deletedTs: fields.get("deletedTs"), chatType: fields.get("chatType"))
    case "blocked": self = try .blocked(deletedTs: fields.get("deletedTs"))
    case "blockedByAdmin": self = try .blockedByAdmin(deletedTs: fields.get("deletedTs"))
    case "moderated":
      self = try .moderated(
        deletedTs: fields.get("deletedTs"), byGroupMember: fields.get("byGroupMember"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .deleted(let deletedTs, let chatType):
      json.sum("deleted", "deletedTs", deletedTs, "chatType", chatType)
    case .blocked(let deletedTs): json.sum("blocked", "deletedTs", deletedTs)
    case .blockedByAdmin(let deletedTs): json.sum("blockedByAdmin", "deletedTs", deletedTs)
    case .moderated(let deletedTs, let byGroupMember):
      json.sum("moderated", "deletedTs", deletedTs, "byGroupMember", byGroupMember)
    }
  }
}

/// Where an item was forwarded from.
public enum CIForwardedFrom: JSONCodable, Hashable, Sendable {
  case unknown
  case contact(chatName: String, msgDir: MsgDirection, contactId: Int64?, chatItemId: Int64?)
  case group(chatName: String, msgDir: MsgDirection, groupId: Int64?, chatItemId: Int64?)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "unknown": self = .unknown
    case "contact":
      self = try .contact(
        chatName: fields.get("chatName"), msgDir: fields.get("msgDir"), contactId: fields.get("contactId"),
        chatItemId: fields.get("chatItemId"))
    case "group":
      self = try .group(
        chatName: fields.get("chatName"), msgDir: fields.get("msgDir"), groupId: fields.get("groupId"),
        chatItemId: fields.get("chatItemId"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .unknown: json.tag("unknown")
    case .contact(let chatName, let msgDir, let contactId, let chatItemId):
      json.sum("contact", "chatName", chatName, "msgDir", msgDir, "contactId", contactId, "chatItemId", chatItemId)
    case .group(let chatName, let msgDir, let groupId, let chatItemId):
      json.sum("group", "chatName", chatName, "msgDir", msgDir, "groupId", groupId, "chatItemId", chatItemId)
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "directSnd": self = .directSnd
    case "directRcv": self = .directRcv
    case "groupSnd": self = .groupSnd
    case "groupRcv": self = try .groupRcv(groupMember: fields.get("groupMember"))
    case "channelRcv": self = .channelRcv
    case "localSnd": self = .localSnd
    case "localRcv": self = .localRcv
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .directSnd: json.tag("directSnd")
    case .directRcv: json.tag("directRcv")
    case .groupSnd: json.tag("groupSnd")
    case .groupRcv(let groupMember): json.sum("groupRcv", "groupMember", groupMember)
    case .channelRcv: json.tag("channelRcv")
    case .localSnd: json.tag("localSnd")
    case .localRcv: json.tag("localRcv")
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "signed": self = try .signed(sigStatus: fields.get("sigStatus"))
    case "sigMissing": self = .sigMissing
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .signed(let sigStatus): json.sum("signed", "sigStatus", sigStatus)
    case .sigMissing: json.tag("sigMissing")
    }
  }
}

/// What checking a signature gave.
public enum MsgSigStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case verified
  case signedNoKey
}
