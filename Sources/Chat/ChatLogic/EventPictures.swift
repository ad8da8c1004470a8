import ChatAPI

// Items about profiles say what changed. The pictures themselves are the profile's: a peer could fill a chat with them.

/// Pictures of one pixel that stand for the pictures of profiles in items about their changes. They keep apart whether
/// there was a picture, and whether it changed.
enum PictureStandIn {
  static let former =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="
  static let new =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="

  static func isOne(_ image: String) -> Bool { image == former || image == new }

  static func of(_ image: String?) -> String? { image.map { isOne($0) ? $0 : former } }

  /// The picture after a change of a profile that had `old`.
  static func of(_ image: String?, after old: String?) -> String? {
    image.map { isOne($0) ? $0 : $0 == old ? former : new }
  }
}

extension CIContent {
  /// The content as it is stored: items about changes of profiles have small pictures that stand for those of the
  /// profiles, and other items about members and groups none.
  public var withoutPictures: CIContent {
    switch self {
    case .rcvDirectEvent(.profileUpdated(let old, let new)):
      let (from, to) = Self.withoutPictures(old, new)
      return .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: from, toProfile: to))
    case .rcvDirectEvent(.groupInvLinkReceived(let profile)):
      return .rcvDirectEvent(rcvDirectEvent: .groupInvLinkReceived(groupProfile: profile.withoutPicture))
    case .rcvGroupEvent(let event): return .rcvGroupEvent(rcvGroupEvent: event.withoutPictures)
    case .sndGroupEvent(let event): return .sndGroupEvent(sndGroupEvent: event.withoutPictures)
    default: return self
    }
  }

  fileprivate static func withoutPictures(_ old: Profile, _ new: Profile) -> (from: Profile, to: Profile) {
    var (from, to) = (old, new)
    from.image = PictureStandIn.of(old.image)
    to.image = PictureStandIn.of(new.image, after: old.image)
    return (from, to)
  }

  /// The item about several changes of a profile that follow each other, as one change: from the first profile to the
  /// newest.
  /// - Parameters:
  ///   - last: the profiles of the item so far.
  ///   - old: the profile before the newest change.
  public static func profileChange(
    _ last: (from: Profile, to: Profile), from old: Profile, to new: Profile
  ) -> (from: Profile, to: Profile) {
    var to = new
    to.image = new.image == old.image ? last.to.image : new.image.map { _ in PictureStandIn.new }
    return (last.from, to)
  }
}

extension RcvGroupEvent {
  fileprivate var withoutPictures: RcvGroupEvent {
    switch self {
    case .memberAdded(let id, let profile): .memberAdded(groupMemberId: id, profile: profile.withoutPicture)
    case .memberAccepted(let id, let profile): .memberAccepted(groupMemberId: id, profile: profile.withoutPicture)
    case .memberRole(let id, let profile, let role):
      .memberRole(groupMemberId: id, profile: profile.withoutPicture, role: role)
    case .memberBlocked(let id, let profile, let blocked):
      .memberBlocked(groupMemberId: id, profile: profile.withoutPicture, blocked: blocked)
    case .memberDeleted(let id, let profile): .memberDeleted(groupMemberId: id, profile: profile.withoutPicture)
    case .groupUpdated(let profile): .groupUpdated(groupProfile: profile.withoutPicture)
    case .memberProfileUpdated(let old, let new): Self.updated(old, new)
    case .memberConnected, .userAccepted, .memberLeft, .userRole, .userDeleted, .groupDeleted, .invitedViaGroupLink,
      .memberCreatedContact, .newMemberPendingReview, .msgBadSignature:
      self
    }
  }

  private static func updated(_ old: Profile, _ new: Profile) -> RcvGroupEvent {
    let (from, to) = CIContent.withoutPictures(old, new)
    return .memberProfileUpdated(fromProfile: from, toProfile: to)
  }
}

extension SndGroupEvent {
  fileprivate var withoutPictures: SndGroupEvent {
    switch self {
    case .memberRole(let id, let profile, let role):
      .memberRole(groupMemberId: id, profile: profile.withoutPicture, role: role)
    case .memberBlocked(let id, let profile, let blocked):
      .memberBlocked(groupMemberId: id, profile: profile.withoutPicture, blocked: blocked)
    case .memberDeleted(let id, let profile): .memberDeleted(groupMemberId: id, profile: profile.withoutPicture)
    case .memberAccepted(let id, let profile): .memberAccepted(groupMemberId: id, profile: profile.withoutPicture)
    case .groupUpdated(let profile): .groupUpdated(groupProfile: profile.withoutPicture)
    case .userRole, .userLeft, .userPendingReview: self
    }
  }
}

extension Profile {
  fileprivate var withoutPicture: Profile {
    var profile = self
    profile.image = nil
    return profile
  }
}

extension GroupProfile {
  fileprivate var withoutPicture: GroupProfile {
    var profile = self
    profile.image = nil
    return profile
  }
}
