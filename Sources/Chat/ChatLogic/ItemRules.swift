import ChatAPI

extension CIContent {
  /// Whether the item is one of the user's.
  public var isSent: Bool {
    switch self {
    case .sndMsgContent, .sndDeleted, .sndCall, .sndGroupInvitation, .sndGroupEvent, .sndConnEvent, .sndChatFeature,
      .sndChatPreference, .sndGroupFeature, .sndModerated, .sndDirectE2EEInfo, .sndGroupE2EEInfo, .chatBanner:
      true
    case .rcvMsgContent, .rcvDeleted, .rcvCall, .rcvIntegrityError, .rcvDecryptionError, .rcvMsgError,
      .rcvGroupInvitation, .rcvDirectEvent, .rcvGroupEvent, .rcvConnEvent, .rcvChatFeature, .rcvChatPreference,
      .rcvGroupFeature, .rcvChatFeatureRejected, .rcvGroupFeatureRejected, .rcvModerated, .rcvBlocked,
      .rcvDirectE2EEInfo, .rcvGroupE2EEInfo:
      false
    case .invalidJSON(let direction, _): direction == .snd
    }
  }

  /// Whether the item moves its chat up in the list, and, if it was received, is unread at first.
  public var requiresAttention: Bool {
    switch self {
    case .rcvMsgError, .rcvChatFeature, .rcvChatPreference, .rcvGroupFeature, .rcvBlocked, .rcvDirectE2EEInfo,
      .rcvGroupE2EEInfo:
      false
    case .rcvDirectEvent(let event): event.requiresAttention
    case .rcvGroupEvent(let event): event.requiresAttention
    case .invalidJSON(let direction, _): direction == .snd
    default: true
    }
  }

  /// The status of a new item. Reports have counters of their own and are never unread.
  public var initialStatus: CIStatus {
    if isSent { return .sndNew }
    if case .report = msgContent { return .rcvRead }
    return requiresAttention ? .rcvNew : .rcvRead
  }

  /// Whether the item has a link, as a preview or in its text.
  public func hasLink(in formattedText: [FormattedText]?) -> Bool {
    guard let msgContent else { return false }
    if case .link = msgContent { return true }
    return formattedText?.contains { $0.format?.isLink ?? false } ?? false
  }
}

extension Format {
  fileprivate var isLink: Bool {
    switch self {
    case .uri, .hyperLink: true
    default: isSimplexLink
    }
  }
}

extension RcvDirectEvent {
  fileprivate var requiresAttention: Bool {
    switch self {
    case .contactDeleted, .profileUpdated: false
    default: true
    }
  }
}

extension RcvGroupEvent {
  fileprivate var requiresAttention: Bool {
    switch self {
    case .userRole, .userDeleted, .groupDeleted, .newMemberPendingReview: true
    default: false
    }
  }
}
