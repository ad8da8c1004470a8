extension CIContent {
  /// The text of a message, or a description of the item.
  public var text: String { text(isChannel: false) }

  /// As ``text``, with the words for channels.
  public func text(isChannel: Bool) -> String {
    switch self {
    case .sndMsgContent(let content), .rcvMsgContent(let content): content.text
    case .sndDeleted, .rcvDeleted: "deleted"
    case .sndCall(let status, let duration), .rcvCall(let status, let duration): status.text(duration)
    case .rcvIntegrityError(let error): error.text
    case .rcvDecryptionError(let error, _): error.text
    case .rcvMsgError(let error): error.text
    case .rcvGroupInvitation(let invitation, _), .sndGroupInvitation(let invitation, _): invitation.text
    case .rcvDirectEvent(let event): event.text
    case .rcvGroupEvent(let event): event.text(isChannel: isChannel)
    case .sndGroupEvent(let event): event.text(isChannel: isChannel)
    case .rcvConnEvent(let event): event.text
    case .sndConnEvent(let event): event.text
    case .rcvChatFeature(let feature, let enabled, let param), .sndChatFeature(let feature, let enabled, let param):
      Self.featureText(feature, enabled: enabled.text, param: param)
    case .rcvChatPreference(let feature, let allowed, let param),
      .sndChatPreference(let feature, let allowed, let param):
      Self.preferenceText(feature, allowed: allowed, param: param)
    case .rcvGroupFeature(let feature, let preference, let param, let role),
      .sndGroupFeature(let feature, let preference, let param, let role):
      Self.featureText(feature, enabled: preference.enable.rawValue, param: param, role: role)
    case .rcvChatFeatureRejected(let feature): "\(feature.text): received, not allowed"
    case .rcvGroupFeatureRejected(let feature): "\(feature.text): received, not allowed"
    case .sndModerated, .rcvModerated: "removed by a moderator"
    case .rcvBlocked: "blocked by a moderator"
    case .sndDirectE2EEInfo(let info), .rcvDirectE2EEInfo(let info), .sndGroupE2EEInfo(let info),
      .rcvGroupE2EEInfo(let info):
      info.text
    case .chatBanner: ""
    case .invalidJSON: "invalid data"
    }
  }

  /// A feature with its state, time and lowest role.
  static func featureText(
    _ feature: any Feature, enabled: String, param: Int?, role: GroupMemberRole? = nil
  ) -> String {
    let value = feature.hasParam ? param.map(durationInWords) ?? "off" : enabled
    let users = feature.hasRole && role != nil ? " (\(roleText(role)))" : ""
    return "\(feature.text): \(value)\(users)"
  }

  private static func roleText(_ role: GroupMemberRole?) -> String {
    switch role {
    case .owner: "owners"
    case .admin: "admins"
    case .moderator: "moderators"
    default: "all members"
    }
  }

  /// A feature that is offered or no longer offered.
  public static func preferenceText(_ feature: any Feature, allowed: FeatureAllowed, param: Int?) -> String {
    guard allowed != .no else { return "no longer offers \(feature.text)" }
    let time = feature.hasParam ? param.map { ": \(durationInWords($0))" } ?? "" : ""
    return "offers \(feature.text)\(time)"
  }

  /// The message, if the item is one.
  public var msgContent: MsgContent? {
    switch self {
    case .sndMsgContent(let content), .rcvMsgContent(let content): content
    default: nil
    }
  }

  /// Whether the item is a message with a text.
  public var hasMsgContent: Bool { msgContent.map { !$0.text.allSatisfy(\.isWhitespace) } ?? false }

  /// Whether the item is a call by the user.
  public var isSndCall: Bool { if case .sndCall = self { true } else { false } }

  /// Whether the name of the member is shown with the item.
  public var showMemberName: Bool {
    switch self {
    case .rcvMsgContent, .rcvDeleted, .rcvCall, .rcvIntegrityError, .rcvDecryptionError, .rcvMsgError,
      .rcvGroupInvitation, .rcvModerated, .rcvBlocked, .invalidJSON:
      true
    default: false
    }
  }
}

extension E2EEInfo {
  /// How messages are protected, in words.
  public var text: String {
    if self.public == true { return "Messages are not end-to-end encrypted: the relays of this channel can read them" }
    return pqEnabled == true
      ? "Messages are end-to-end encrypted, also against quantum computers" : "Messages are end-to-end encrypted"
  }
}

extension CICallStatus {
  /// How a call of `duration` seconds went, in words.
  public func text(_ duration: Int) -> String {
    switch self {
    case .pending: "calling…"
    case .missed: "missed call"
    case .rejected: "rejected call"
    case .accepted: "accepted call"
    case .negotiated: "connecting call…"
    case .progress: "call in progress"
    case .ended: "call ended, \(durationText(duration))"
    case .error: "call failed"
    }
  }
}

extension MsgErrorType {
  /// The error, in words.
  public var text: String {
    switch self {
    case .msgSkipped(let fromMsgId, let toMsgId): "\(max(0, toMsgId &- fromMsgId) &+ 1) skipped messages"
    case .msgBadId: "wrong message number"
    case .msgBadHash: "wrong message hash"
    case .msgDuplicate: "message received again"
    }
  }
}

extension MsgDecryptError {
  /// The error, in words.
  public var text: String {
    switch self {
    case .ratchetHeader, .ratchetEarlier, .other: "could not be decrypted"
    case .tooManySkipped: "could not be decrypted: too many skipped messages"
    case .ratchetSync: "the encryption was renegotiated"
    }
  }
}

extension RcvMsgError {
  /// The error, in words.
  public var text: String {
    switch self {
    case .dropped(let attempts): "dropped after \(attempts) attempts"
    case .parseError(let error): "could not be read: \(error)"
    }
  }
}

extension CIGroupInvitation {
  /// The invitation, in words.
  public var text: String { "invitation to group \(groupProfile.displayName)" }
}

/// `mm:ss` or `hh:mm:ss`.
public func durationText(_ seconds: Int) -> String {
  func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let minutes = seconds / 60
  let tail = padded(seconds % 60)
  return minutes < 60 ? "\(padded(minutes)):\(tail)" : "\(padded(minutes / 60)):\(padded(minutes % 60)):\(tail)"
}

/// The time in the largest unit it is a multiple of.
func durationInWords(_ seconds: Int) -> String {
  let units = [(2_592_000, "month"), (604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute")]
  let unit = units.first { seconds >= $0.0 && seconds % $0.0 == 0 } ?? (1, "second")
  let count = seconds / unit.0
  return "\(count) \(unit.1)\(count == 1 ? "" : "s")"
}
