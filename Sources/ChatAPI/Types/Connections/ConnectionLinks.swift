import SimplexJSON

/// The full and the short link of an invitation or address.
public struct CreatedConnLink: JSONCodable, Hashable, Sendable {
  /// The full link.
  public var connFullLink: String
  /// The short link, if there is one.
  public var connShortLink: String?

  /// A value of its members.
  public init(
    connFullLink: String, connShortLink: String? = nil
  ) {
    self.connFullLink = connFullLink
    self.connShortLink = connShortLink
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connFullLink = try fields.get("connFullLink")
    connShortLink = try fields.get("connShortLink")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connFullLink", connFullLink)
    json.field("connShortLink", connShortLink)
    json.endObject()
  }
}

/// An owner of a group as named by its link.
public struct GroupLinkOwner: JSONCodable, Hashable, Sendable {
  /// Id of the member in the group, base64url.
  public var memberId: String
  /// Public key of the owner, base64url.
  public var memberKey: String

  /// A value of its members.
  public init(
    memberId: String, memberKey: String
  ) {
    self.memberId = memberId
    self.memberKey = memberKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    memberId = try fields.get("memberId")
    memberKey = try fields.get("memberKey")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("memberId", memberId)
    json.field("memberKey", memberKey)
    json.endObject()
  }
}

/// Whether a link is signed by an owner of the group.
public enum OwnerVerification: JSONCodable, Hashable, Sendable {
  case verified
  case failed(reason: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "verified": self = .verified
    case "failed": self = try .failed(reason: fields.get("reason"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .verified: json.tag("verified")
    case .failed(let reason): json.sum("failed", "reason", reason)
    }
  }
}

/// What a link leads to and what is known of it.
public indirect enum ConnectionPlan: JSONCodable, Hashable, Sendable {
  case invitationLink(invitationLinkPlan: InvitationLinkPlan)
  case contactAddress(contactAddressPlan: ContactAddressPlan)
  case groupLink(groupLinkPlan: GroupLinkPlan)
  case error(chatError: ChatError)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "invitationLink": self = try .invitationLink(invitationLinkPlan: fields.get("invitationLinkPlan"))
    case "contactAddress": self = try .contactAddress(contactAddressPlan: fields.get("contactAddressPlan"))
    case "groupLink": self = try .groupLink(groupLinkPlan: fields.get("groupLinkPlan"))
    case "error": self = try .error(chatError: fields.get("chatError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .invitationLink(let invitationLinkPlan): json.sum("invitationLink", "invitationLinkPlan", invitationLinkPlan)
    case .contactAddress(let contactAddressPlan): json.sum("contactAddress", "contactAddressPlan", contactAddressPlan)
    case .groupLink(let groupLinkPlan): json.sum("groupLink", "groupLinkPlan", groupLinkPlan)
    case .error(let chatError): json.sum("error", "chatError", chatError)
    }
  }
}

/// What is known of an invitation.
public indirect enum InvitationLinkPlan: JSONCodable, Hashable, Sendable {
  case ok(contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink
  case connecting(contact_: Contact?)
  case known(contact: Contact)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "ok":
      self = try .ok(
        contactSLinkData_: fields.get("contactSLinkData_"), ownerVerification: fields.get("ownerVerification"))
    case "ownLink": self = .ownLink
    case "connecting": self = try .connecting(contact_: fields.get("contact_"))
    case "known": self = try .known(contact: fields.get("contact"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .ok(let contactSLinkData_, let ownerVerification):
      json.sum("ok", "contactSLinkData_", contactSLinkData_, "ownerVerification", ownerVerification)
    case .ownLink: json.tag("ownLink")
    case .connecting(let contact_): json.sum("connecting", "contact_", contact_)
    case .known(let contact): json.sum("known", "contact", contact)
    }
  }
}

/// What is known of an address.
public indirect enum ContactAddressPlan: JSONCodable, Hashable, Sendable {
  case ok(contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink
  case connectingConfirmReconnect
  case connectingProhibit(contact: Contact)
  case known(contact: Contact)
  case contactViaAddress(contact: Contact)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "ok":
      self = try .ok(
        contactSLinkData_: fields.get("contactSLinkData_"), ownerVerification: fields.get("ownerVerification"))
    case "ownLink": self = .ownLink
    case "connectingConfirmReconnect": self = .connectingConfirmReconnect
    case "connectingProhibit": self = try .connectingProhibit(contact: fields.get("contact"))
    case "known": self = try .known(contact: fields.get("contact"))
    case "contactViaAddress": self = try .contactViaAddress(contact: fields.get("contact"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .ok(let contactSLinkData_, let ownerVerification):
      json.sum("ok", "contactSLinkData_", contactSLinkData_, "ownerVerification", ownerVerification)
    case .ownLink: json.tag("ownLink")
    case .connectingConfirmReconnect: json.tag("connectingConfirmReconnect")
    case .connectingProhibit(let contact): json.sum("connectingProhibit", "contact", contact)
    case .known(let contact): json.sum("known", "contact", contact)
    case .contactViaAddress(let contact): json.sum("contactViaAddress", "contact", contact)
    }
  }
}

/// What is known of a group link.
public indirect enum GroupLinkPlan: JSONCodable, Hashable, Sendable {
  case ok(
    groupSLinkInfo_: GroupShortLinkInfo?, groupSLinkData_: GroupShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink(groupInfo: GroupInfo)
  case connectingConfirmReconnect
  case connectingProhibit(groupInfo_: GroupInfo?)
  case known(
    groupInfo: GroupInfo, groupUpdated: Bool, ownerVerification: OwnerVerification?, linkOwners: [GroupLinkOwner])
  case noRelays(groupSLinkData_: GroupShortLinkData?)
  case updateRequired(groupSLinkData_: GroupShortLinkData?)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "ok":
      self = try .ok(
        groupSLinkInfo_: fields.get("groupSLinkInfo_"), groupSLinkData_: fields.get("groupSLinkData_"),
        ownerVerification: fields.get("ownerVerification"))
    case "ownLink": self = try .ownLink(groupInfo: fields.get("groupInfo"))
    case "connectingConfirmReconnect": self = .connectingConfirmReconnect
    case "connectingProhibit": self = try .connectingProhibit(groupInfo_: fields.get("groupInfo_"))
    case "known":
      self = try .known(
        groupInfo: fields.get("groupInfo"), groupUpdated: fields.get("groupUpdated", default: false),
        ownerVerification: fields.get("ownerVerification"), linkOwners: fields.get("linkOwners", default: []))
    case "noRelays": self = try .noRelays(groupSLinkData_: fields.get("groupSLinkData_"))
    case "updateRequired": self = try .updateRequired(groupSLinkData_: fields.get("groupSLinkData_"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .ok(let groupSLinkInfo_, let groupSLinkData_, let ownerVerification):
      json.sum(
        "ok", "groupSLinkInfo_", groupSLinkInfo_, "groupSLinkData_", groupSLinkData_, "ownerVerification",
        ownerVerification)
    case .ownLink(let groupInfo): json.sum("ownLink", "groupInfo", groupInfo)
    case .connectingConfirmReconnect: json.tag("connectingConfirmReconnect")
    case .connectingProhibit(let groupInfo_): json.sum("connectingProhibit", "groupInfo_", groupInfo_)
    case .known(let groupInfo, let groupUpdated, let ownerVerification, let linkOwners):
      json.sum(
        "known", "groupInfo", groupInfo, "groupUpdated", groupUpdated, "ownerVerification", ownerVerification,
        "linkOwners", linkOwners)
    case .noRelays(let groupSLinkData_): json.sum("noRelays", "groupSLinkData_", groupSLinkData_)
    case .updateRequired(let groupSLinkData_): json.sum("updateRequired", "groupSLinkData_", groupSLinkData_)
    }
  }
}
