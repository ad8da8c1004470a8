import ChatAPI

extension FullPreferences {
  /// The default preferences.
  public static let standard = FullPreferences(
    timedMessages: TimedMessagesPreference(allow: .yes), fullDelete: SimplePreference(allow: .no),
    reactions: SimplePreference(allow: .yes), voice: SimplePreference(allow: .yes),
    files: SimplePreference(allow: .always), calls: SimplePreference(allow: .yes))

  /// The preferences completed by the default ones.
  public init(filling preferences: Preferences?) {
    self = preferences.map { FullPreferences(merging: $0, with: nil) } ?? .standard
    commands = preferences?.commands ?? []
  }

  /// What a user allows one contact: first what was set for the contact, then the user's profile, then the standard.
  ///
  /// The time to live of the profile is left out: it would be sent to contacts who never agreed to it. Only
  /// a time set for the contact counts.
  public init(forContact preferences: Preferences, profile: Preferences?) {
    self.init(merging: preferences, with: profile)
    timedMessages.ttl = preferences.timedMessages?.ttl
  }

  private init(merging first: Preferences, with second: Preferences?) {
    let standard = FullPreferences.standard
    self.init(
      timedMessages: first.timedMessages ?? second?.timedMessages ?? standard.timedMessages,
      fullDelete: first.fullDelete ?? second?.fullDelete ?? standard.fullDelete,
      reactions: first.reactions ?? second?.reactions ?? standard.reactions,
      voice: first.voice ?? second?.voice ?? standard.voice,
      files: first.files ?? second?.files ?? standard.files,
      calls: first.calls ?? second?.calls ?? standard.calls,
      sessions: first.sessions ?? second?.sessions ?? standard.sessions,
      commands: first.commands ?? second?.commands ?? [])
  }
}

extension ContactUserPreferences {
  /// What a user and a contact allow each other.
  ///
  /// - Parameters:
  ///   - profile: what the profile of the user allows; ignored where the contact knows the user by an incognito
  ///     profile.
  ///   - user: what the user set for this contact.
  ///   - contact: what the contact's profile allows.
  ///   - incognito: whether the contact knows the user by an incognito profile.
  public init(profile: Preferences?, user: Preferences, contact: Preferences?, incognito: Bool) {
    let ours = FullPreferences(forContact: user, profile: incognito ? nil : profile)
    let theirs = FullPreferences(filling: contact)
    let set = FullPreferences(filling: user)
    func merge<P: Preference>(
      _ full: KeyPath<FullPreferences, P>, _ partial: KeyPath<Preferences, P?>, asymmetric: Bool = true
    ) -> ContactUserPreference<P> {
      let preference: ContactUserPref<P> =
        if incognito {
          .contact(preference: set[keyPath: full])
        } else if let own = user[keyPath: partial] {
          .contact(preference: own)
        } else {
          .user(preference: ours[keyPath: full])
        }
      return ContactUserPreference(
        enabled: FeatureEnabled(
          user: ours[keyPath: full].allow, contact: theirs[keyPath: full].allow, asymmetric: asymmetric),
        userPreference: preference, contactPreference: theirs[keyPath: full])
    }
    self.init(
      // Both have to agree on what makes messages disappear.
      timedMessages: merge(\.timedMessages, \.timedMessages, asymmetric: false),
      fullDelete: merge(\.fullDelete, \.fullDelete), reactions: merge(\.reactions, \.reactions),
      voice: merge(\.voice, \.voice), files: merge(\.files, \.files), calls: merge(\.calls, \.calls),
      sessions: merge(\.sessions, \.sessions), commands: contact?.commands)
  }
}

extension FeatureEnabled {
  /// For whom a feature is on. `always` of one side switches the feature on for the other one even if that side has
  /// `no`, but only where the feature is `asymmetric`.
  public init(user: FeatureAllowed, contact: FeatureAllowed, asymmetric: Bool) {
    switch (user, contact) {
    case (.always, .no): self.init(forUser: false, forContact: asymmetric)
    case (.no, .always): self.init(forUser: asymmetric, forContact: false)
    case (_, .no), (.no, _): self.init(forUser: false, forContact: false)
    default: self.init(forUser: true, forContact: true)
    }
  }
}

extension Preferences {
  /// What a user sets for a new contact: nothing but the time to live of messages, where both sides let them disappear.
  public static func forNewContact(profile user: FullPreferences, contact: Preferences?) -> Preferences {
    guard let theirs = contact?.timedMessages, theirs.allow != .no, user.timedMessages.allow != .no else {
      return Preferences()
    }
    let times = [user.timedMessages.ttl, theirs.ttl].compactMap { $0 }
    guard let ttl = times.max() else { return Preferences() }
    return Preferences(timedMessages: TimedMessagesPreference(allow: user.timedMessages.allow, ttl: ttl))
  }
}
