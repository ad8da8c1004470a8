import ChatAPI

extension User {
  /// The profile that is sent to a contact or shown to those who open a link.
  ///
  /// - Parameters:
  ///   - contact: whom it is for; nil where that is not known yet.
  ///   - incognito: the profile that is shown instead of the user's own.
  ///   - sharesTTL: whether the time after which messages of the user disappear is included where the user set none for
  ///     this contact.
  public func sharedProfile(for contact: Contact?, incognito: Profile? = nil, sharesTTL: Bool) -> Profile {
    var shared = incognito ?? Profile(sharing: profile)
    let own: Preferences?
    if incognito == nil {
      own = profile.preferences
    } else {
      var standard = FullPreferences.standard
      standard.timedMessages.ttl = profile.preferences?.timedMessages?.ttl
      own = standard.asPreferences
    }
    let set = contact?.userPreferences ?? Preferences()
    var full = FullPreferences(forContact: set, profile: own)
    if sharesTTL {
      full.timedMessages = set.timedMessages ?? own?.timedMessages ?? FullPreferences.standard.timedMessages
    }
    shared.preferences = full.asPreferences
    return shared
  }

  /// The contact with the preferences that follow from this user's profile.
  public func merged(_ contact: Contact) -> Contact {
    var contact = contact
    contact.mergedPreferences = ContactUserPreferences(
      profile: profile.preferences, user: contact.userPreferences, contact: contact.profile.preferences,
      incognito: contact.contactConnIncognito)
    return contact
  }
}

extension FullPreferences {
  /// The same with everything set.
  public var asPreferences: Preferences {
    Preferences(
      timedMessages: timedMessages, fullDelete: fullDelete, reactions: reactions, voice: voice, files: files,
      calls: calls, sessions: sessions, commands: commands)
  }
}

extension Profile {
  /// The part of a profile that its owner shares.
  init(sharing profile: LocalProfile) {
    self.init(
      displayName: profile.displayName, fullName: profile.fullName, shortDescr: profile.shortDescr,
      description: profile.description, image: profile.image, contactLink: profile.contactLink,
      preferences: profile.preferences, peerType: profile.peerType, contactDomain: profile.contactDomain)
  }
}

extension Profile {
  /// Whether the profiles differ in anything but preferences.
  public func differsVisibly(from other: Profile) -> Bool {
    displayName != other.displayName || fullName != other.fullName || shortDescr != other.shortDescr
      || image != other.image || contactLink != other.contactLink
  }
}

extension Contact {
  /// The user's preferences for this contact after the contact's profile has another time to live of messages, which
  /// both sides share; nil where it has the same.
  public func preferences(takingTimeFrom profile: Profile, of user: User) -> Preferences? {
    let ttl = profile.preferences?.timedMessages?.ttl
    let own = userPreferences.timedMessages ?? FullPreferences.standard.timedMessages
    guard own.ttl != ttl else { return nil }
    var changed = userPreferences
    if var timed = changed.timedMessages {
      timed.ttl = ttl
      changed.timedMessages = timed
    } else if user.fullPreferences.timedMessages.ttl != ttl {
      changed.timedMessages = TimedMessagesPreference(allow: user.fullPreferences.timedMessages.allow, ttl: ttl)
    }
    return changed
  }
}
