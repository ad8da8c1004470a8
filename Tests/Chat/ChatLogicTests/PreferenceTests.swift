import ChatAPI
import ChatLogic
import ChatStateTesting
import Testing

/// What two people allow each other.
@Suite struct PreferenceTests {
  private func voice(_ user: FeatureAllowed, _ contact: FeatureAllowed) -> FeatureEnabled {
    ContactUserPreferences(
      profile: nil, user: Preferences(voice: SimplePreference(allow: user)),
      contact: Preferences(voice: SimplePreference(allow: contact)), incognito: false
    ).voice.enabled
  }

  @Test func aFeatureIsOnWhereBothAllowIt() {
    #expect(voice(.yes, .yes) == FeatureEnabled(forUser: true, forContact: true))
    #expect(voice(.always, .yes) == FeatureEnabled(forUser: true, forContact: true))
    #expect(voice(.yes, .always) == FeatureEnabled(forUser: true, forContact: true))
    #expect(voice(.always, .always) == FeatureEnabled(forUser: true, forContact: true))
    #expect(voice(.yes, .no) == FeatureEnabled(forUser: false, forContact: false))
    #expect(voice(.no, .yes) == FeatureEnabled(forUser: false, forContact: false))
    #expect(voice(.no, .no) == FeatureEnabled(forUser: false, forContact: false))
  }

  /// If one side always allows it, only the other one uses it.
  @Test func alwaysIsForTheOtherSide() {
    #expect(voice(.always, .no) == FeatureEnabled(forUser: false, forContact: true))
    #expect(voice(.no, .always) == FeatureEnabled(forUser: true, forContact: false))
  }

  /// Disappearing messages are enabled for both sides or for none.
  @Test func disappearingIsForBoth() {
    let merged = ContactUserPreferences(
      profile: nil, user: Preferences(timedMessages: TimedMessagesPreference(allow: .always, ttl: 60)),
      contact: Preferences(timedMessages: TimedMessagesPreference(allow: .no)), incognito: false)
    #expect(merged.timedMessages.enabled == FeatureEnabled(forUser: false, forContact: false))
  }

  @Test func whatWasSetForTheContactCountsFirst() {
    let profile = Preferences(fullDelete: SimplePreference(allow: .always), voice: SimplePreference(allow: .no))
    let merged = ContactUserPreferences(
      profile: profile, user: Preferences(voice: SimplePreference(allow: .always)), contact: nil, incognito: false)
    #expect(merged.voice.userPreference == .contact(preference: SimplePreference(allow: .always)))
    #expect(merged.fullDelete.userPreference == .user(preference: SimplePreference(allow: .always)))
    #expect(merged.calls.userPreference == .user(preference: SimplePreference(allow: .yes)))
  }

  /// Who is not to know the user does not learn what the user's profile allows.
  @Test func incognitoHidesTheProfile() {
    let profile = Preferences(fullDelete: SimplePreference(allow: .always))
    let merged = ContactUserPreferences(profile: profile, user: Preferences(), contact: nil, incognito: true)
    #expect(merged.fullDelete.userPreference == .contact(preference: SimplePreference(allow: .no)))
  }

  /// The time to live of the profile is not sent to contacts who never agreed to one.
  @Test func timesAreOfTheContact() {
    let profile = Preferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 3_600))
    #expect(FullPreferences(forContact: Preferences(), profile: profile).timedMessages.ttl == nil)
    let set = Preferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 60))
    #expect(FullPreferences(forContact: set, profile: profile).timedMessages.ttl == 60)
  }

  @Test func aNewContactGetsTheLongerTime() {
    var own = FullPreferences.standard
    own.timedMessages.ttl = 60
    let theirs = Preferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 120))
    #expect(Preferences.forNewContact(profile: own, contact: theirs).timedMessages?.ttl == 120)
    #expect(Preferences.forNewContact(profile: own, contact: nil) == Preferences())
    let refused = Preferences(timedMessages: TimedMessagesPreference(allow: .no, ttl: 120))
    #expect(Preferences.forNewContact(profile: own, contact: refused) == Preferences())
    own.timedMessages.allow = .no
    #expect(Preferences.forNewContact(profile: own, contact: theirs) == Preferences())
  }

  // MARK: Items

  private func merged(_ user: Preferences, _ contact: Preferences) -> ContactUserPreferences {
    ContactUserPreferences(profile: nil, user: user, contact: contact, incognito: false)
  }

  @Test func aNewChatShowsItsFeatures() {
    let items = FeatureItems.initial(merged(Preferences(), Preferences()))
    #expect(items.count == 5)
    #expect(
      items.first
        == .rcvChatFeature(
          feature: .timedMessages, enabled: FeatureEnabled(forUser: true, forContact: true), param: nil))
  }

  @Test func aChangeOfWhatIsOnIsShown() {
    let old = merged(Preferences(), Preferences())
    let new = merged(Preferences(voice: SimplePreference(allow: .no)), Preferences())
    #expect(
      FeatureItems.changed(from: old, to: new, isSent: true, offers: .user) == [
        .sndChatFeature(feature: .voice, enabled: FeatureEnabled(forUser: false, forContact: false), param: nil)
      ])
    #expect(FeatureItems.changed(from: old, to: old, isSent: true, offers: .user).isEmpty)
  }

  /// An offer that turns nothing on is shown as one.
  @Test func anOfferIsShown() {
    let old = merged(Preferences(), Preferences())
    let new = merged(Preferences(), Preferences(fullDelete: SimplePreference(allow: .yes)))
    #expect(
      FeatureItems.changed(from: old, to: new, isSent: false, offers: .contact) == [
        .rcvChatPreference(feature: .fullDelete, allowed: .yes, param: nil)
      ])
  }

  // MARK: Profiles

  @Test func theSharedProfileSaysWhatIsAllowed() {
    var user = Samples.user()
    user.profile.preferences = Preferences(voice: SimplePreference(allow: .no))
    let shared = user.sharedProfile(for: nil, sharesTTL: true)
    #expect(shared.displayName == user.profile.displayName)
    #expect(shared.preferences?.voice == SimplePreference(allow: .no))
    #expect(shared.preferences?.calls == SimplePreference(allow: .yes))
    let masked = user.sharedProfile(for: nil, incognito: .random(7), sharesTTL: true)
    #expect(masked.displayName == Profile.random(7).displayName)
    #expect(masked.preferences?.voice == SimplePreference(allow: .yes))
  }

  @Test func aContactsNewTimeIsTaken() {
    let user = Samples.user()
    var contact = Samples.contact(2, "bob", at: Samples.time(0))
    let profile = Profile(
      displayName: "bob", fullName: "",
      preferences: Preferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 60)))
    let taken = contact.preferences(takingTimeFrom: profile, of: user)
    #expect(taken?.timedMessages?.ttl == 60)
    contact.userPreferences = taken ?? Preferences()
    #expect(contact.preferences(takingTimeFrom: profile, of: user) == nil)
  }

  @Test func onlyWhatPeopleSeeIsAChange() {
    let profile = Profile(displayName: "bob", fullName: "")
    var other = profile
    other.preferences = Preferences(voice: SimplePreference(allow: .no))
    #expect(!profile.differsVisibly(from: other))
    other.fullName = "Bob"
    #expect(profile.differsVisibly(from: other))
  }

  @Test func randomProfilesAreValidNames() {
    var names: Set<String> = []
    for number in 0..<5_000 as Range<UInt64> { names.insert(Profile.random(number).displayName) }
    #expect(names.count > 4_000)
    #expect(names.allSatisfy { DisplayName.isValid($0) })
    #expect(!Profile.random(.max).displayName.isEmpty)
  }
}
