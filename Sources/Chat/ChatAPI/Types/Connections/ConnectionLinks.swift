import SimplexJSON

/// The full and the short link of an invitation or address.
public struct CreatedConnLink: JSONCodable, Hashable, Sendable {
  /// The full link.
  public var connFullLink: String
  /// The short link, if there is one.
  public var connShortLink: String?
}

/// An owner of a group as named by its link.
public struct GroupLinkOwner: JSONCodable, Hashable, Sendable {
  /// Id of the member in the group, base64url.
  public var memberId: String
  /// Public key of the owner, base64url.
  public var memberKey: String
}

/// Whether a link is signed by an owner of the group.
public enum OwnerVerification: JSONCodable, Hashable, Sendable {
  case verified
  case failed(reason: String)
}

/// What a link leads to and what is known of it.
public indirect enum ConnectionPlan: JSONCodable, Hashable, Sendable {
  case invitationLink(invitationLinkPlan: InvitationLinkPlan)
  case contactAddress(contactAddressPlan: ContactAddressPlan)
  case groupLink(groupLinkPlan: GroupLinkPlan)
  case error(chatError: ChatError)
}

/// What is known of an invitation.
public indirect enum InvitationLinkPlan: JSONCodable, Hashable, Sendable {
  case ok(contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink
  case connecting(contact_: Contact?)
  case known(contact: Contact)
}

/// What is known of an address.
public indirect enum ContactAddressPlan: JSONCodable, Hashable, Sendable {
  case ok(contactSLinkData_: ContactShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink
  case connectingConfirmReconnect
  case connectingProhibit(contact: Contact)
  case known(contact: Contact)
  case contactViaAddress(contact: Contact)
}

/// What is known of a group link.
public indirect enum GroupLinkPlan: JSONCodable, Hashable, Sendable {
  case ok(
    groupSLinkInfo_: GroupShortLinkInfo?, groupSLinkData_: GroupShortLinkData?, ownerVerification: OwnerVerification?)
  case ownLink(groupInfo: GroupInfo)
  case connectingConfirmReconnect
  case connectingProhibit(groupInfo_: GroupInfo?)
  case known(
    groupInfo: GroupInfo, groupUpdated: Bool = false, ownerVerification: OwnerVerification?,
    linkOwners: [GroupLinkOwner] = [])
  case noRelays(groupSLinkData_: GroupShortLinkData?)
  case updateRequired(groupSLinkData_: GroupShortLinkData?)
}
