import ChatAPI

// What items say in the words of the core. It is part of each item (`itemText`), is what people search, and what bots
// read; apps show words of their own (`CIContent.text`).

extension CIContent {
  /// The text of a message, or a description of the item.
  public var itemText: String {
    switch self {
    case .sndMsgContent(let content), .rcvMsgContent(let content): content.itemText
    case .sndDeleted(let mode), .rcvDeleted(let mode): "this item is deleted (\(mode.words))"
    case .sndCall(let status, let duration): "outgoing call: \(status.words(duration))"
    case .rcvCall(let status, let duration): "incoming call: \(status.words(duration))"
    case .rcvIntegrityError(let error): error.words
    case .rcvDecryptionError(let error, let count): error.words(count)
    case .rcvMsgError(let error): error.words
    case .rcvGroupInvitation(let invitation, let role): "received \(invitation.words(role))"
    case .sndGroupInvitation(let invitation, let role): "sent \(invitation.words(role))"
    case .rcvDirectEvent(let event): event.words
    case .rcvGroupEvent(let event): event.words
    case .sndGroupEvent(let event): event.words
    case .rcvConnEvent(let event): event.words
    case .sndConnEvent(let event): event.words
    case .rcvChatFeature(let feature, let enabled, let param), .sndChatFeature(let feature, let enabled, let param):
      feature.itemText(enabled, param: param)
    case .rcvChatPreference(let feature, let allowed, let param): feature.offerText(allowed, param: param)
    case .sndChatPreference(let feature, let allowed, let param): "you " + feature.offerText(allowed, param: param)
    case .rcvGroupFeature(let feature, let preference, let param, let role),
      .sndGroupFeature(let feature, let preference, let param, let role):
      feature.itemText(preference, param: param, role: role)
    case .rcvChatFeatureRejected(let feature): "\(feature.coreText): received, prohibited"
    case .rcvGroupFeatureRejected(let feature): "\(feature.coreText): received, prohibited"
    case .sndModerated, .rcvModerated: "moderated"
    case .rcvBlocked: "blocked"
    case .sndDirectE2EEInfo(let info), .rcvDirectE2EEInfo(let info): info.words(isGroup: false)
    case .sndGroupE2EEInfo(let info), .rcvGroupE2EEInfo(let info): info.words(isGroup: true)
    case .chatBanner: "chat banner"
    case .invalidJSON: "invalid content JSON"
    }
  }
}

extension MsgContent {
  /// The text; of voice messages and reports also what they are.
  public var itemText: String {
    switch self {
    case .voice(let text, let duration):
      "voice message \(CallDuration.text(duration))" + (text.isEmpty ? "" : "; \(text)")
    case .report(let text, let reason): "report \(reason.rawValue)" + (text.isEmpty ? "" : ": \(text)")
    default: text
    }
  }
}

private enum CallDuration {
  /// Minutes and seconds in parentheses.
  static func text(_ seconds: Int) -> String {
    let seconds = max(0, seconds)
    return "(\(two(seconds / 60)):\(two(seconds % 60)))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension CIDeleteMode {
  fileprivate var words: String {
    switch self {
    case .cidmBroadcast: "broadcast"
    case .cidmInternal, .cidmInternalMark: "locally"
    case .history: "from history"
    }
  }
}

extension CICallStatus {
  fileprivate func words(_ duration: Int) -> String {
    switch self {
    case .pending: "calling..."
    case .missed: "missed"
    case .rejected: "rejected"
    case .accepted: "accepted"
    case .negotiated: "connecting..."
    case .progress: "in progress \(CallDuration.text(duration))"
    case .ended: "ended \(CallDuration.text(duration))"
    case .error: "error"
    }
  }
}

// MARK: - Errors

extension MsgErrorType {
  fileprivate var words: String {
    switch self {
    case .msgSkipped(let first, let last): "skipped message ID \(first)" + (first == last ? "" : "..\(last)")
    case .msgBadId(let id): "unexpected message ID \(id)"
    case .msgBadHash: "incorrect message hash"
    case .msgDuplicate: "duplicate message ID"
    }
  }
}

extension MsgDecryptError {
  fileprivate func words(_ count: UInt32) -> String {
    let messages = count == 1 ? nil : "\(count) messages"
    let counter = messages.map { ", \($0)" } ?? ""
    let reason: String? =
      switch self {
      case .ratchetHeader: "header\(counter)"
      case .tooManySkipped: "too many skipped messages\(counter)"
      case .ratchetEarlier: "earlier message\(counter)"
      case .other: messages
      case .ratchetSync: "synchronization error"
      }
    return "decryption error, possibly due to the device change" + (reason.map { " (\($0))" } ?? "")
  }
}

extension RcvMsgError {
  fileprivate var words: String {
    switch self {
    case .dropped(let attempts): "message removed after \(attempts) attempts"
    case .parseError(let error): "message error: \(error)"
    }
  }
}

// MARK: - Events

extension Profile {
  /// The name, and the full name if it says more.
  fileprivate var words: String {
    displayName + (fullName.isEmpty || fullName == displayName ? "" : " (\(fullName))")
  }
}

extension CIGroupInvitation {
  fileprivate func words(_ role: GroupMemberRole) -> String {
    let (name, fullName) = (groupProfile.displayName, groupProfile.fullName)
    let more = fullName.isEmpty || fullName == name ? "" : " (\(fullName))"
    return "invitation to join group \(name)\(more) as \(role.rawValue)"
  }
}

extension RcvDirectEvent {
  fileprivate var words: String {
    switch self {
    case .contactDeleted: "contact deleted"
    case .profileUpdated: "updated profile"
    case .groupInvLinkReceived(let group): "requested connection from group \(group.displayName)"
    }
  }
}

extension RcvGroupEvent {
  fileprivate var words: String {
    switch self {
    case .memberAdded(_, let profile): "added \(profile.words)"
    case .memberConnected: "connected"
    case .memberAccepted(_, let profile): "accepted \(profile.words)"
    case .userAccepted: "accepted you"
    case .memberLeft: "left"
    case .memberRole(_, let profile, let role): "changed role of \(profile.words) to \(role.rawValue)"
    case .memberBlocked(_, let profile, let isBlocked): "\(isBlocked ? "blocked" : "unblocked") \(profile.words)"
    case .userRole(let role): "changed your role to \(role.rawValue)"
    case .memberDeleted(_, let profile): "removed \(profile.words)"
    case .userDeleted: "removed you"
    case .groupDeleted: "deleted group"
    case .groupUpdated: "group profile updated"
    case .invitedViaGroupLink: "invited via your group link"
    case .memberCreatedContact: "started direct connection with you"
    case .memberProfileUpdated: "updated profile"
    case .newMemberPendingReview: "new member wants to join the group"
    case .msgBadSignature: "message rejected: bad signature"
    }
  }
}

extension SndGroupEvent {
  fileprivate var words: String {
    switch self {
    case .memberRole(_, let profile, let role): "changed role of \(profile.words) to \(role.rawValue)"
    case .memberBlocked(_, let profile, let isBlocked): "\(isBlocked ? "blocked" : "unblocked") \(profile.words)"
    case .userRole(let role): "changed role for yourself to \(role.rawValue)"
    case .memberDeleted(_, let profile): "removed \(profile.words)"
    case .userLeft: "left"
    case .groupUpdated: "group profile updated"
    case .memberAccepted: "you accepted this member"
    case .userPendingReview: "please wait for group moderators to review your request to join the group"
    }
  }
}

extension RatchetSyncState {
  /// The state in the core's words.
  public var coreText: String {
    switch self {
    case .ok: "connection synchronized"
    case .allowed: "decryption error (connection may be out of sync), synchronization allowed"
    case .required: "decryption error (connection out of sync), synchronization required"
    case .started: "connection synchronization started"
    case .agreed: "connection synchronization agreed"
    }
  }
}

extension RcvConnEvent {
  fileprivate var words: String {
    switch self {
    case .switchQueue(.started): "started changing address for you..."
    case .switchQueue(.confirmed): "confirmed changing address for you..."
    case .switchQueue(.secured): "secured new address for you..."
    case .switchQueue(.completed): "changed address for you"
    case .ratchetSync(let state): state.coreText
    case .verificationCodeReset: "security code changed"
    case .pqEnabled(let isEnabled): E2EEInfo.words(pqEnabled: isEnabled)
    }
  }
}

extension SndConnEvent {
  fileprivate var words: String {
    switch self {
    case .switchQueue(.started, let member): "started changing address\(Self.of(member))..."
    case .switchQueue(.confirmed, let member): "confirmed changing address\(Self.of(member))..."
    case .switchQueue(.secured, let member): "secured new address\(Self.of(member))..."
    case .switchQueue(.completed, let member): "you changed address\(Self.of(member))"
    case .ratchetSync(let state, let member): state.coreText + Self.of(member)
    case .pqEnabled(let isEnabled): E2EEInfo.words(pqEnabled: isEnabled)
    }
  }

  private static func of(_ member: GroupMemberRef?) -> String {
    member.map { " for \($0.profile.displayName)" } ?? ""
  }
}

extension E2EEInfo {
  fileprivate static func words(pqEnabled: Bool) -> String {
    pqEnabled ? "quantum resistant e2e encryption" : "standard end-to-end encryption"
  }

  fileprivate func words(isGroup: Bool) -> String {
    if isGroup, `public` == true { return "This channel or group is NOT end-to-end encrypted." }
    let start = "This conversation is protected by"
    switch pqEnabled {
    case nil: return "\(start) end-to-end encryption"
    case true? where !isGroup:
      return
        "\(start) quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation and quantum resistant break-in recovery."
    case _?:
      return
        "\(start) end-to-end encryption with perfect forward secrecy, repudiation and break-in recovery."
    }
  }
}
