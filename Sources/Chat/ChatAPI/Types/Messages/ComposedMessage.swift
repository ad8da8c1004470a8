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
  public var mentions: [String: Int64] = [:]

  /// Reads a message. `filePath` stands for a file that is not encrypted, in place of `fileSource`.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let path: String? = try fields.get("filePath")
    fileSource = try fields.get("fileSource") ?? path.map { CryptoFile(filePath: $0) }
    quotedItemId = try fields.get("quotedItemId")
    msgContent = try fields.get("msgContent")
    mentions = try fields.get("mentions", default: [:])
  }
}

/// The new content of a message.
public struct UpdatedMessage: JSONCodable, Hashable, Sendable {
  /// The message.
  public var msgContent: MsgContent
  /// Database ids of mentioned members by name.
  public var mentions: [String: Int64] = [:]
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
  public var image: String  // json: imageData(image)
  /// What the link leads to.
  public var content: LinkContent?
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
}
