extension RcvDirectEvent {
  /// The event, in words.
  public var text: String {
    switch self {
    case .contactDeleted: "deleted the contact"
    case .profileUpdated(let from, let to): profileChangeText("contact", from: from, to: to)
    case .groupInvLinkReceived(let groupProfile): "requests to connect from group \(groupProfile.displayName)"
    }
  }
}

extension RcvGroupEvent {
  /// The event, in words.
  public var text: String { text(isChannel: false) }

  /// As ``text``, with the words for channels.
  public func text(isChannel: Bool) -> String {
    let group = isChannel ? "channel" : "group"
    return switch self {
    case .memberAdded(_, let profile): "invited \(profile.profileViewName)"
    case .memberConnected: "connected"
    case .memberAccepted(_, let profile): "admitted \(profile.profileViewName)"
    case .userAccepted: "admitted you"
    case .memberLeft: "left"
    case .memberRole(_, let profile, let role): "changed the role of \(profile.profileViewName) to \(role.text)"
    case .memberBlocked(_, let profile, let blocked): "\(blocked ? "blocked" : "unblocked") \(profile.profileViewName)"
    case .userRole(let role): "changed your role to \(role.text)"
    case .memberDeleted(_, let profile): "removed \(profile.profileViewName)"
    case .userDeleted: "removed you"
    case .groupDeleted: "deleted the \(group)"
    case .groupUpdated: "changed the \(group) profile"
    case .invitedViaGroupLink: "invited by your group link"
    case .memberCreatedContact: "requests to connect"
    case .memberProfileUpdated(let from, let to): profileChangeText("member", from: from, to: to)
    case .newMemberPendingReview: "wants to join the \(group)"
    case .msgBadSignature: "sent a message with a wrong signature"
    }
  }
}

extension SndGroupEvent {
  /// The event, in words.
  public var text: String { text(isChannel: false) }

  /// As ``text``, with the words for channels.
  public func text(isChannel: Bool) -> String {
    switch self {
    case .memberRole(_, let profile, let role): "you changed the role of \(profile.profileViewName) to \(role.text)"
    case .userRole(let role): "you changed your own role to \(role.text)"
    case .memberBlocked(_, let profile, let blocked):
      "you \(blocked ? "blocked" : "unblocked") \(profile.profileViewName)"
    case .memberDeleted(_, let profile): "you removed \(profile.profileViewName)"
    case .userLeft: "you left"
    case .groupUpdated: "you changed the \(isChannel ? "channel" : "group") profile"
    case .memberAccepted(_, let profile): "you admitted \(profile.profileViewName)"
    case .userPendingReview: "your request to join waits for the moderators"
    }
  }
}

extension RcvConnEvent {
  /// The event, in words.
  public var text: String {
    switch self {
    case .switchQueue(let phase):
      phase == .completed ? "moved your messages to another server" : "is moving your messages to another server…"
    case .ratchetSync(let syncStatus): syncStatus.text
    case .verificationCodeReset: "the security code changed"
    case .pqEnabled(let enabled): encryptionText(quantumResistant: enabled)
    }
  }
}

extension SndConnEvent {
  /// The event, in words.
  public var text: String {
    switch self {
    case .switchQueue(let phase, let member):
      (phase == .completed ? "you moved to another server" : "you are moving to another server…") + suffix(member)
    case .ratchetSync(let syncStatus, let member): syncStatus.text + suffix(member)
    case .pqEnabled(let enabled): encryptionText(quantumResistant: enabled)
    }
  }

  private func suffix(_ member: GroupMemberRef?) -> String {
    member.map { " (\($0.profile.profileViewName))" } ?? ""
  }
}

extension RatchetSyncState {
  /// The state, in words.
  public var text: String {
    switch self {
    case .ok: "encryption is in order"
    case .allowed: "encryption can be renegotiated"
    case .required: "encryption has to be renegotiated"
    case .started: "renegotiating encryption…"
    case .agreed: "encryption was renegotiated"
    }
  }
}

private func encryptionText(quantumResistant: Bool) -> String {
  quantumResistant ? "encryption is now quantum resistant" : "encryption is no longer quantum resistant"
}

private func profileChangeText(_ kind: String, from: Profile, to: Profile) -> String {
  if to.displayName != from.displayName || to.fullName != from.fullName {
    return "\(kind) \(from.profileViewName) is now \(to.profileViewName)"
  }
  if to.image != from.image { return to.image == nil ? "removed the profile image" : "set a new profile image" }
  if to.contactLink != from.contactLink { return to.contactLink == nil ? "removed the address" : "set a new address" }
  return "changed the profile"
}
