import ChatAPI

// Chats with a business: groups with one customer, whose name and picture are those of the other side.

extension GroupPreferences {
  /// The preferences of a chat with a business that set none.
  public static let standardBusiness = GroupPreferences(
    timedMessages: TimedMessagesGroupPreference(enable: .off), directMessages: .off,
    fullDelete: RoleGroupPreference(enable: .on, role: .moderator), reactions: .on, voice: .off,
    files: RoleGroupPreference(enable: .on), simplexLinks: RoleGroupPreference(enable: .on), reports: .off,
    history: .on, support: .on, sessions: RoleGroupPreference(enable: .on), comments: .off)

  /// The preferences of a chat with a business, from those of its profile; nil where it has none.
  public init(business preferences: Preferences?) {
    self = .standardBusiness
    guard let preferences else { return }
    func enabled(_ allow: FeatureAllowed?, or standard: GroupFeatureEnabled) -> GroupFeatureEnabled {
      allow.map { $0 == .no ? .off : .on } ?? standard
    }
    timedMessages = TimedMessagesGroupPreference(
      enable: enabled(preferences.timedMessages?.allow, or: .off), ttl: preferences.timedMessages?.ttl)
    fullDelete = RoleGroupPreference(enable: enabled(preferences.fullDelete?.allow, or: .off))
    reactions = GroupPreference(enable: enabled(preferences.reactions?.allow, or: .on))
    voice = RoleGroupPreference(enable: enabled(preferences.voice?.allow, or: .off))
    files = RoleGroupPreference(enable: enabled(preferences.files?.allow, or: .on))
    sessions = RoleGroupPreference(enable: enabled(preferences.sessions?.allow, or: .off))
    commands = preferences.commands
  }
}

extension GroupProfile {
  /// The profile of the group that a customer of this business gets.
  public init(business profile: Profile) {
    self.init(
      displayName: profile.displayName, fullName: profile.fullName, shortDescr: profile.shortDescr,
      image: profile.image, groupPreferences: GroupPreferences(business: profile.preferences))
  }

  /// The profile of a chat with a business after the member changed its profile whose name and picture the chat has.
  public func named(after profile: Profile) -> GroupProfile {
    var named = self
    named.displayName = profile.displayName
    named.fullName = profile.fullName
    named.shortDescr = profile.shortDescr
    named.image = profile.image
    return named
  }
}

extension BusinessChatInfo {
  /// Whether the chat has the name and picture of the member with this identifier.
  public func isNamed(after memberId: String) -> Bool {
    switch chatType {
    case .business: businessId == memberId
    case .customer: customerId == memberId
    }
  }

  /// Whether the user is the business, and the member with this identifier its customer.
  public func isCustomer(_ memberId: String) -> Bool { chatType == .customer && customerId == memberId }
}
