extension ChatInfo {
  /// Whether the user can use a feature here. Features that only groups have are not among these.
  public func featureEnabled(_ feature: ChatFeature) -> Bool {
    switch self {
    case .direct(let contact): contact.mergedPreferences.setting(of: feature)?.enabled.forUser ?? false
    case .group(let groupInfo, _): groupInfo.featureEnabled(feature)
    case .local: feature == .voice || feature == .files
    case .contactRequest, .contactConnection, .invalidJSON: false
    }
  }

  /// Seconds from reading to disappearing; nil if messages stay.
  public var timedMessagesTTL: Int? {
    switch self {
    case .direct(let contact):
      let preference = contact.mergedPreferences.timedMessages
      return preference.enabled.forUser ? preference.userPreference.preference.ttl : nil
    case .group(let groupInfo, _):
      let preference = groupInfo.fullGroupPreferences.timedMessages
      return preference.on ? preference.ttl : nil
    default: return nil
    }
  }

  /// Whether new messages are shown as the group's and not as the user's.
  public var sendAsGroup: Bool {
    guard let groupInfo, groupInfo.useRelays, groupInfo.membership.memberRole >= .owner else { return false }
    return groupChatScope() == nil
  }
}

extension GroupInfo {
  fileprivate func featureEnabled(_ feature: ChatFeature) -> Bool {
    let preferences = fullGroupPreferences
    return switch feature {
    case .timedMessages: preferences.timedMessages.on
    case .fullDelete: preferences.fullDelete.on
    case .reactions: preferences.reactions.on
    case .voice: preferences.voice.on(for: membership)
    case .files: preferences.files.on(for: membership)
    case .calls: false
    case .sessions: preferences.sessions.on(for: membership)
    }
  }
}

extension FeatureEnabled {
  /// For whom a feature is on if the two sides set it so. Only asymmetric features can be on for one side.
  public static func enabled(asymmetric: Bool, user: any Preference, contact: any Preference) -> FeatureEnabled {
    switch (user.allow, contact.allow) {
    case (.always, .no): FeatureEnabled(forUser: false, forContact: asymmetric)
    case (.no, .always): FeatureEnabled(forUser: asymmetric, forContact: false)
    case (_, .no), (.no, _): FeatureEnabled(forUser: false, forContact: false)
    default: FeatureEnabled(forUser: true, forContact: true)
    }
  }

  /// For whom the feature is on, in words.
  public var text: String {
    switch (forUser, forContact) {
    case (true, true): "on"
    case (true, false): "on for you"
    case (false, true): "on for the contact"
    case (false, false): "off"
    }
  }
}

extension Preferences {
  /// The preferences with one feature set; `param` is the time of disappearing messages in seconds.
  public func setAllowed(_ feature: ChatFeature, allowed: FeatureAllowed = .yes, param: Int? = nil) -> Preferences {
    var preferences = self
    let simple = SimplePreference(allow: allowed)
    switch feature {
    case .timedMessages:
      preferences.timedMessages = TimedMessagesPreference(allow: allowed, ttl: param ?? timedMessages?.ttl)
    case .fullDelete: preferences.fullDelete = simple
    case .reactions: preferences.reactions = simple
    case .voice: preferences.voice = simple
    case .files: preferences.files = simple
    case .calls: preferences.calls = simple
    case .sessions: preferences.sessions = simple
    }
    return preferences
  }
}

extension FullPreferences {
  /// All features as preferences that can be sent.
  public var preferences: Preferences {
    Preferences(
      timedMessages: timedMessages, fullDelete: fullDelete, reactions: reactions, voice: voice, files: files,
      calls: calls, sessions: sessions, commands: commands)
  }

  /// These preferences with those of a contact over them.
  public func overridden(by preferences: Preferences) -> FullPreferences {
    FullPreferences(
      timedMessages: preferences.timedMessages ?? timedMessages, fullDelete: preferences.fullDelete ?? fullDelete,
      reactions: preferences.reactions ?? reactions, voice: preferences.voice ?? voice,
      files: preferences.files ?? files, calls: preferences.calls ?? calls,
      sessions: preferences.sessions ?? sessions, commands: preferences.commands ?? commands)
  }
}

/// What the user allows a contact, as preferences that can be set again.
public func contactUserPreferencesToPreferences(_ preferences: ContactUserPreferences) -> Preferences {
  Preferences(
    timedMessages: preferences.timedMessages.userPreference.preference,
    fullDelete: preferences.fullDelete.userPreference.preference,
    reactions: preferences.reactions.userPreference.preference,
    voice: preferences.voice.userPreference.preference, files: preferences.files.userPreference.preference,
    calls: preferences.calls.userPreference.preference, sessions: preferences.sessions.userPreference.preference,
    commands: preferences.commands)
}

/// All features of a group, as preferences that can be set again.
public func toGroupPreferences(_ preferences: FullGroupPreferences) -> GroupPreferences {
  GroupPreferences(
    timedMessages: preferences.timedMessages, directMessages: preferences.directMessages,
    fullDelete: preferences.fullDelete, reactions: preferences.reactions, voice: preferences.voice,
    files: preferences.files, simplexLinks: preferences.simplexLinks, reports: preferences.reports,
    history: preferences.history, support: preferences.support, sessions: preferences.sessions,
    comments: preferences.comments, signMessages: preferences.signMessages, commands: preferences.commands)
}
