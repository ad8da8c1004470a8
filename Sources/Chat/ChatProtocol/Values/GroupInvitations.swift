import AgentProtocol
import ChatAPI
import SimplexJSON

/// A member and its role.
public struct MemberIdRole: JSONCodable, Hashable, Sendable {
  /// The member.
  public var memberId: MemberId
  /// The role.
  public var memberRole: GroupMemberRole

  public init(memberId: MemberId, memberRole: GroupMemberRole) {
    self.memberId = memberId
    self.memberRole = memberRole
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    memberId = try fields.get("memberId")
    memberRole = try fields.get("memberRole")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("memberId", memberId)
    json.field("memberRole", memberRole)
    json.endObject()
  }
}

/// An invitation of a contact to a group.
public struct GroupInvitation: JSONCodable, Hashable, Sendable {
  /// Who invites.
  public var fromMember: MemberIdRole
  /// The invited contact as member, with its role.
  public var invitedMember: MemberIdRole
  /// The invitation link of the connection with who invites.
  public var connRequest: ConnectionRequest
  /// The group.
  public var groupProfile: GroupProfile
  /// The parties of a business chat.
  public var business: BusinessChatInfo?
  /// The link by which the contact asked to join.
  public var groupLinkId: GroupLinkId?
  /// How many members the group has.
  public var groupSize: Int?

  public init(
    fromMember: MemberIdRole, invitedMember: MemberIdRole, connRequest: ConnectionRequest, groupProfile: GroupProfile,
    business: BusinessChatInfo? = nil, groupLinkId: GroupLinkId? = nil, groupSize: Int? = nil
  ) {
    self.fromMember = fromMember
    self.invitedMember = invitedMember
    self.connRequest = connRequest
    self.groupProfile = groupProfile
    self.business = business
    self.groupLinkId = groupLinkId
    self.groupSize = groupSize
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fromMember = try fields.get("fromMember")
    invitedMember = try fields.get("invitedMember")
    connRequest = try fields.get("connRequest", ConnectionRequest.invitationTextCodec)
    groupProfile = try fields.get("groupProfile")
    business = try fields.get("business")
    groupLinkId = try fields.get("groupLinkId")
    groupSize = try fields.get("groupSize")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fromMember", fromMember)
    json.field("invitedMember", invitedMember)
    json.field("connRequest", connRequest, ConnectionRequest.invitationTextCodec)
    json.field("groupProfile", groupProfile)
    json.field("business", business)
    json.field("groupLinkId", groupLinkId)
    json.field("groupSize", groupSize)
    json.endObject()
  }
}

/// The information that a host sends to those who join by a group link.
public struct GroupLinkInvitation: JSONCodable, Hashable, Sendable {
  /// The host.
  public var fromMember: MemberIdRole
  /// The host's name.
  public var fromMemberName: String
  /// The new member and its role.
  public var invitedMember: MemberIdRole
  /// The group.
  public var groupProfile: GroupProfile
  /// Whether the new member is accepted already.
  public var accepted: GroupAcceptance?
  /// The parties of a business chat.
  public var business: BusinessChatInfo?
  /// How many members the group has.
  public var groupSize: Int?

  public init(
    fromMember: MemberIdRole, fromMemberName: String, invitedMember: MemberIdRole, groupProfile: GroupProfile,
    accepted: GroupAcceptance? = nil, business: BusinessChatInfo? = nil, groupSize: Int? = nil
  ) {
    self.fromMember = fromMember
    self.fromMemberName = fromMemberName
    self.invitedMember = invitedMember
    self.groupProfile = groupProfile
    self.accepted = accepted
    self.business = business
    self.groupSize = groupSize
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fromMember = try fields.get("fromMember")
    fromMemberName = try fields.get("fromMemberName")
    invitedMember = try fields.get("invitedMember")
    groupProfile = try fields.get("groupProfile")
    accepted = try fields.get("accepted")
    business = try fields.get("business")
    groupSize = try fields.get("groupSize")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fromMember", fromMember)
    json.field("fromMemberName", fromMemberName)
    json.field("invitedMember", invitedMember)
    json.field("groupProfile", groupProfile)
    json.field("accepted", accepted)
    json.field("business", business)
    json.field("groupSize", groupSize)
    json.endObject()
  }
}

/// Whether a member who joins by a link was accepted.
public enum GroupAcceptance: String, JSONCodable, Hashable, Sendable, CaseIterable {
  /// A member.
  case accepted
  /// The host has to approve.
  case pending
  /// Moderators have to approve.
  case pendingReview = "pending_review"
}

/// A host's refusal of somebody who joins by a link.
public struct GroupLinkRejection: JSONCodable, Hashable, Sendable {
  /// The host.
  public var fromMember: MemberIdRole
  /// Who is refused.
  public var invitedMember: MemberIdRole
  /// The group.
  public var groupProfile: GroupProfile
  /// Why.
  public var rejectionReason: GroupRejectionReason

  public init(
    fromMember: MemberIdRole, invitedMember: MemberIdRole, groupProfile: GroupProfile,
    rejectionReason: GroupRejectionReason
  ) {
    self.fromMember = fromMember
    self.invitedMember = invitedMember
    self.groupProfile = groupProfile
    self.rejectionReason = rejectionReason
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fromMember = try fields.get("fromMember")
    invitedMember = try fields.get("invitedMember")
    groupProfile = try fields.get("groupProfile")
    rejectionReason = try fields.get("rejectionReason")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fromMember", fromMember)
    json.field("invitedMember", invitedMember)
    json.field("groupProfile", groupProfile)
    json.field("rejectionReason", rejectionReason)
    json.endObject()
  }
}

/// An invitation to a chat relay to serve a group.
public struct GroupRelayInvitation: JSONCodable, Hashable, Sendable {
  /// The owner who invites.
  public var fromMember: MemberIdRole
  /// The owner's profile.
  public var fromMemberProfile: Profile
  /// What the relay will be in the group.
  public var relayMemberId: MemberId
  /// The link of the group.
  public var groupLink: ShortLink

  public init(fromMember: MemberIdRole, fromMemberProfile: Profile, relayMemberId: MemberId, groupLink: ShortLink) {
    self.fromMember = fromMember
    self.fromMemberProfile = fromMemberProfile
    self.relayMemberId = relayMemberId
    self.groupLink = groupLink
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fromMember = try fields.get("fromMember")
    fromMemberProfile = try fields.get("fromMemberProfile")
    relayMemberId = try fields.get("relayMemberId")
    groupLink = try fields.get("groupLink", ShortLink.contactTextCodec)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fromMember", fromMember)
    json.field("fromMemberProfile", fromMemberProfile)
    json.field("relayMemberId", relayMemberId)
    json.field("groupLink", groupLink, ShortLink.contactTextCodec)
    json.endObject()
  }
}

extension ShortLink {
  /// The text of a short link that is not an invitation.
  static let contactTextCodec = textCodec.validated("a short link of an address") {
    if case .contact = $0.kind { true } else { false }
  }
}
