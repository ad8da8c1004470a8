import ChatAPI

// The plan of connecting via a link, given what the database knows of it.

extension InvitationLinkPlan {
  /// The plan of an invitation.
  ///
  /// - Parameters:
  ///   - entity: what made or joins it already, if anything.
  ///   - linkData: what its short link shows.
  public init(
    entity: ConnectionEntity?, linkData: ContactShortLinkData?, verification: OwnerVerification?
  ) {
    let new = InvitationLinkPlan.ok(contactSLinkData_: linkData, ownerVerification: verification)
    guard case .rcvDirectMsgConnection(let connection, let contact) = entity else {
      self = new
      return
    }
    if let contact {
      self = contact.active ? .known(contact: contact) : new
    } else if connection.connStatus == .new && connection.contactConnInitiated {
      self = .ownLink
    } else if connection.connStatus == .prepared || connection.isFailedJoin {
      self = new
    } else {
      self = .connecting(contact_: nil)
    }
  }
}

extension ContactAddressPlan {
  /// The plan of an address that is not the user's own.
  ///
  /// - Parameters:
  ///   - entity: what was asked for by it before, if anything.
  ///   - card: a contact that has this address in its profile and no connection.
  public init(
    entity: ConnectionEntity?, card: Contact?, linkData: ContactShortLinkData?, verification: OwnerVerification?
  ) {
    let new = ContactAddressPlan.ok(contactSLinkData_: linkData, ownerVerification: verification)
    guard case .rcvDirectMsgConnection(let connection, let contact) = entity else {
      self = card.flatMap { $0.contactStatus == .active ? .contactViaAddress(contact: $0) : nil } ?? new
      return
    }
    guard let contact else {
      self = connection.connStatus == .prepared ? new : .connectingConfirmReconnect
      return
    }
    if !contact.ready && contact.active {
      self = .connectingProhibit(contact: contact)
    } else {
      self = contact.active ? .known(contact: contact) : new
    }
  }
}

extension GroupLinkPlan {
  /// The plan of a group's link that is not the user's own.
  ///
  /// - Parameters:
  ///   - group: the group that was joined by it.
  ///   - connection: the newest connection that asked by it.
  ///   - data: what its short link shows.
  public init(group: GroupInfo?, connection: Connection?, data: GroupShortLinkData?) {
    let new = GroupLinkPlan.ok(
      groupSLinkInfo_: data.map { _ in GroupShortLinkInfo(direct: true, groupRelays: []) }, groupSLinkData_: data,
      ownerVerification: nil)
    guard let group else {
      self = connection.map { $0.connStatus == .prepared ? new : .connectingConfirmReconnect } ?? new
      return
    }
    let membership = group.membership
    switch membership.memberStatus {
    case .memRemoved, .memLeft, .memGroupDeleted: self = new
    // The group shows why the user is not in it. Who wants to ask again deletes it first.
    case .memRejected: self = .known(groupInfo: group, ownerVerification: nil)
    default:
      self =
        membership.memberActive
        ? .known(groupInfo: group, ownerVerification: nil) : .connectingProhibit(groupInfo_: group)
    }
  }
}

extension GroupLinkPlan {
  /// The plan of a channel's link that the user did not join by.
  ///
  /// - Parameters:
  ///   - info: its relays.
  ///   - data: what the link shows.
  ///   - verification: whether an owner signed the link for this conversation.
  public init(channel info: GroupShortLinkInfo, data: GroupShortLinkData?, verification: OwnerVerification?) {
    if let type = data?.groupProfile.publicGroup?.groupType, type != .channel {
      self = .updateRequired(groupSLinkData_: data)
    } else if info.groupRelays.isEmpty {
      self = .noRelays(groupSLinkData_: data)
    } else {
      self = .ok(groupSLinkInfo_: info, groupSLinkData_: data, ownerVerification: verification)
    }
  }
}

extension ConnectionPlan {
  /// Whether connecting may continue without asking the user.
  public var proceeds: Bool {
    switch self {
    case .invitationLink(.ok), .invitationLink(.ownLink), .error: true
    case .contactAddress(.ok), .contactAddress(.ownLink), .contactAddress(.connectingConfirmReconnect),
      .contactAddress(.contactViaAddress):
      true
    case .groupLink(.ok), .groupLink(.ownLink), .groupLink(.connectingConfirmReconnect): true
    default: false
    }
  }
}
