import SimplexJSON

/// A message to be sent.
public struct ComposedMessage: JSONCodable, Hashable, Sendable {
  /// The local file.
  public var fileSource: CryptoFile?
  /// The item to quote.
  public var quotedItemId: Int64?
  /// The message.
  public var msgContent: MsgContent
  /// Database ids of mentioned members by name.
  public var mentions: [String: Int64]

  /// A value of its members.
  public init(
    fileSource: CryptoFile? = nil, quotedItemId: Int64? = nil, msgContent: MsgContent, mentions: [String: Int64] = [:]
  ) {
    self.fileSource = fileSource
    self.quotedItemId = quotedItemId
    self.msgContent = msgContent
    self.mentions = mentions
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileSource = try fields.get("fileSource")
    quotedItemId = try fields.get("quotedItemId")
    msgContent = try fields.get("msgContent")
    mentions = try fields.get("mentions", default: [:])
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileSource", fileSource)
    json.field("quotedItemId", quotedItemId)
    json.field("msgContent", msgContent)
    json.field("mentions", mentions)
    json.endObject()
  }
}

/// The new content of a message.
public struct UpdatedMessage: JSONCodable, Hashable, Sendable {
  /// The message.
  public var msgContent: MsgContent
  /// Database ids of mentioned members by name.
  public var mentions: [String: Int64]

  /// A value of its members.
  public init(
    msgContent: MsgContent, mentions: [String: Int64] = [:]
  ) {
    self.msgContent = msgContent
    self.mentions = mentions
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgContent = try fields.get("msgContent")
    mentions = try fields.get("mentions", default: [:])
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgContent", msgContent)
    json.field("mentions", mentions)
    json.endObject()
  }
}

/// What a link leads to.
public struct LinkPreview: JSONCodable, Hashable, Sendable {
  /// The address.
  public var uri: String
  /// Title.
  public var title: String
  /// Summary of the page.
  public var description: String
  /// Image as `data:` URI.
  public var image: String
  /// What the link leads to.
  public var content: LinkContent?

  /// A value of its members.
  public init(
    uri: String, title: String, description: String, image: String, content: LinkContent? = nil
  ) {
    self.uri = uri
    self.title = title
    self.description = description
    self.image = image
    self.content = content
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    uri = try fields.get("uri")
    title = try fields.get("title")
    description = try fields.get("description")
    image = imageData(try fields.get("image"))
    content = try fields.get("content")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("uri", uri)
    json.field("title", title)
    json.field("description", description)
    json.field("image", image)
    json.field("content", content)
    json.endObject()
  }
}

/// A link to a contact or group, as message.
public indirect enum MsgChatLink: JSONCodable, Hashable, Sendable {
  case contact(connLink: String, profile: Profile, business: Bool)
  case invitation(invLink: String, profile: Profile)
  case group(connLink: String, groupProfile: GroupProfile)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "contact":
      self = try .contact(
        connLink: fields.get("connLink"), profile: fields.get("profile"), business: fields.get("business"))
    case "invitation": self = try .invitation(invLink: fields.get("invLink"), profile: fields.get("profile"))
    case "group": self = try .group(connLink: fields.get("connLink"), groupProfile: fields.get("groupProfile"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .contact(let connLink, let profile, let business):
      json.beginTagged("contact")
      json.field("connLink", connLink)
      json.field("profile", profile)
      json.field("business", business)
      json.endObject()
    case .invitation(let invLink, let profile):
      json.beginTagged("invitation")
      json.field("invLink", invLink)
      json.field("profile", profile)
      json.endObject()
    case .group(let connLink, let groupProfile):
      json.beginTagged("group")
      json.field("connLink", connLink)
      json.field("groupProfile", groupProfile)
      json.endObject()
    }
  }
}

/// Signature of the owner of a linked group.
public struct LinkOwnerSig: JSONCodable, Hashable, Sendable {
  /// The owner who signed, base64url.
  public var ownerId: String?
  /// What ties the signature to the chat, base64url.
  public var chatBinding: String
  /// Ed25519 signature, base64url.
  public var ownerSig: String

  /// A value of its members.
  public init(
    ownerId: String? = nil, chatBinding: String, ownerSig: String
  ) {
    self.ownerId = ownerId
    self.chatBinding = chatBinding
    self.ownerSig = ownerSig
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ownerId = try fields.get("ownerId")
    chatBinding = try fields.get("chatBinding")
    ownerSig = try fields.get("ownerSig")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ownerId", ownerId)
    json.field("chatBinding", chatBinding)
    json.field("ownerSig", ownerSig)
    json.endObject()
  }
}
