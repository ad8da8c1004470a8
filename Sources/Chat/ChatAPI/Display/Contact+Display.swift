extension Contact: NamedChat {
  /// Identifies the contact's chat in user interfaces.
  public var id: ChatId { "@\(contactId)" }
  /// Database id.
  public var apiId: Int64 { contactId }
  /// The alias, or the name of the profile.
  public var displayName: String { localAlias.isEmpty ? profile.displayName : localAlias }
  /// The longer name of the profile.
  public var fullName: String { profile.fullName }
  /// The line of the profile.
  public var shortDescr: String? { profile.shortDescr }
  /// The image of the profile.
  public var image: String? { profile.image }
  /// The name that the user chose.
  public var localAlias: String { profile.localAlias }
  /// The address of the contact.
  public var contactLink: String? { profile.contactLink }

  /// Whether the connection is complete.
  public var ready: Bool { activeConn?.connStatus == .ready }
  /// Whether messages can be sent.
  public var sndReady: Bool { ready || activeConn?.connStatus == .sndReady }
  /// Whether neither side deleted the contact.
  public var active: Bool { contactStatus == .active }
  /// Whether the security code was verified.
  public var verified: Bool { activeConn?.connectionCode != nil }
  /// Whether the contact is a bot.
  public var isBot: Bool { profile.peerType == .bot }
  /// Whether a random profile is used for this contact.
  public var contactConnIncognito: Bool { activeConn?.customUserProfileId != nil }

  /// Whether the next message invites a group member to a direct conversation.
  public var nextSendGrpInv: Bool { contactGroupMemberId != nil && !contactGrpInvSent }
  /// Whether the next message connects a prepared contact.
  public var nextConnectPrepared: Bool {
    active && preparedContact != nil && (activeConn == nil || activeConn?.connStatus == .prepared)
  }
  /// Whether the contact waits for the user to accept its request.
  public var nextAcceptContactRequest: Bool {
    active && (contactRequestId != nil || groupDirectInv != nil)
      && (activeConn == nil || activeConn?.connStatus == .new || activeConn?.connStatus == .prepared)
  }
  /// Whether a message connects.
  public var sendMsgToConnect: Bool { nextSendGrpInv || nextConnectPrepared }
  /// Whether it is too late to choose another profile.
  public var profileChangeProhibited: Bool { activeConn != nil }
  /// Whether the conversation is shown although it is empty.
  public var directOrUsed: Bool {
    guard let connection = activeConn else { return true }
    return (connection.connLevel == 0 && !connection.viaGroupLink) || contactUsed
  }
  /// Whether the contact is known by its address only.
  public var isContactCard: Bool {
    active && profile.contactLink != nil && preparedContact == nil && contactRequestId == nil
      && (activeConn == nil || activeConn?.connStatus == .prepared)
  }

  /// Whether the contact allows a feature at least if the user does.
  public func allowsFeature(_ feature: ChatFeature) -> Bool {
    mergedPreferences.setting(of: feature)?.contact != .no
  }

  /// Whether the user allows the contact a feature at least if the contact does.
  public func userAllowsFeature(_ feature: ChatFeature) -> Bool {
    mergedPreferences.setting(of: feature)?.user != .no
  }
}

extension ContactUserPreferences {
  /// How both sides set a feature, and what follows from it.
  func setting(
    of feature: ChatFeature
  ) -> (user: FeatureAllowed, contact: FeatureAllowed, enabled: FeatureEnabled)? {
    switch feature {
    case .timedMessages: timedMessages.setting
    case .fullDelete: fullDelete.setting
    case .reactions: reactions.setting
    case .voice: voice.setting
    case .files: files.setting
    case .calls: calls.setting
    case .sessions: sessions.setting
    }
  }
}

extension ContactUserPreference {
  fileprivate var setting: (user: FeatureAllowed, contact: FeatureAllowed, enabled: FeatureEnabled) {
    (userPreference.preference.allow, contactPreference.allow, enabled)
  }
}

extension Connection {
  /// Consecutive authorization errors after which a connection is disabled.
  private static let authErrorLimit = 10
  /// Consecutive errors of a full queue after which a connection is inactive.
  public static let quotaErrorLimit = 5

  /// Identifies the connection in user interfaces.
  public var id: ChatId { ":\(connId)" }
  /// Why the connection failed, if it did.
  public var connFailedErr: String? { if case .failed(let error) = connStatus { error } else { nil } }
  /// Whether connecting failed permanently.
  public var hasFailed: Bool { connFailedErr != nil }
  /// Whether joining by a link failed permanently before the other side could hear of it: the link can be used again.
  public var isFailedJoin: Bool {
    hasFailed && !contactConnInitiated
      && connFailedErr != AgentErrorType.CONN(connErr: .NOT_AVAILABLE, errContext: "").text
  }
  /// Whether the peer seems to have deleted the connection.
  public var connDisabled: Bool { authErrCounter >= Self.authErrorLimit }
  /// Whether the peer does not receive messages.
  public var connInactive: Bool { quotaErrCounter >= Self.quotaErrorLimit }
  /// Whether messages are encrypted quantum resistant both ways.
  public var connPQEnabled: Bool { pqSndEnabled == true && pqRcvEnabled == true }
}

extension ConnectionStats {
  /// Whether the user may renegotiate the encryption.
  public var ratchetSyncAllowed: Bool {
    ratchetSyncSupported && (ratchetSyncState == .allowed || ratchetSyncState == .required)
  }
  /// Whether nothing can be sent before the encryption is renegotiated.
  public var ratchetSyncSendProhibited: Bool {
    ratchetSyncState == .required || ratchetSyncState == .started || ratchetSyncState == .agreed
  }
  /// Whether the encryption is being renegotiated.
  public var ratchetSyncInProgress: Bool { ratchetSyncState == .started || ratchetSyncState == .agreed }
}
