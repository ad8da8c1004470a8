import ChatAPI
import FoundationTypes

extension FullGroupPreferences {
  /// The default preferences.
  public static let standard = FullGroupPreferences(
    timedMessages: TimedMessagesGroupPreference(enable: .off, ttl: 86_400), directMessages: .off, fullDelete: .off,
    reactions: .on, voice: RoleGroupPreference(enable: .on), files: RoleGroupPreference(enable: .on),
    simplexLinks: RoleGroupPreference(enable: .on), reports: .on, history: .off)

  /// The preferences completed by the default ones.
  public init(filling preferences: GroupPreferences?) {
    let standard = FullGroupPreferences.standard
    self.init(
      timedMessages: preferences?.timedMessages ?? standard.timedMessages,
      directMessages: preferences?.directMessages ?? standard.directMessages,
      fullDelete: preferences?.fullDelete ?? standard.fullDelete,
      reactions: preferences?.reactions ?? standard.reactions, voice: preferences?.voice ?? standard.voice,
      files: preferences?.files ?? standard.files, simplexLinks: preferences?.simplexLinks ?? standard.simplexLinks,
      reports: preferences?.reports ?? standard.reports, history: preferences?.history ?? standard.history,
      support: preferences?.support ?? standard.support, sessions: preferences?.sessions ?? standard.sessions,
      comments: preferences?.comments ?? standard.comments,
      signMessages: preferences?.signMessages ?? standard.signMessages, commands: preferences?.commands ?? [])
  }

  /// Whether a feature is on, its parameter, and the lowest role that may use it; without the last two where it is off.
  public func state(of feature: GroupFeature) -> GroupFeatureState {
    func simple(_ preference: GroupPreference) -> GroupFeatureState {
      GroupFeatureState(preference: preference, param: nil, role: nil)
    }
    func limited(_ preference: RoleGroupPreference) -> GroupFeatureState {
      GroupFeatureState(
        preference: GroupPreference(enable: preference.enable), param: nil, role: preference.on ? preference.role : nil)
    }
    return switch feature {
    case .timedMessages:
      GroupFeatureState(
        preference: GroupPreference(enable: timedMessages.enable), param: timedMessages.on ? timedMessages.ttl : nil,
        role: nil)
    case .directMessages: limited(directMessages)
    case .fullDelete: limited(fullDelete)
    case .reactions: simple(reactions)
    case .voice: limited(voice)
    case .files: limited(files)
    case .simplexLinks: limited(simplexLinks)
    case .reports: simple(reports)
    case .history: simple(history)
    case .support: simple(support)
    case .sessions: limited(sessions)
    case .comments:
      GroupFeatureState(
        preference: GroupPreference(enable: comments.enable), param: comments.enable == .on ? comments.duration : nil,
        role: nil)
    case .signMessages: simple(signMessages)
    }
  }
}

/// Whether a feature of a group is on, and for whom.
public struct GroupFeatureState: Hashable, Sendable {
  /// On or off.
  public var preference: GroupPreference
  /// Its parameter, as the seconds of disappearing messages.
  public var param: Int?
  /// The lowest role that may use it.
  public var role: GroupMemberRole?
}

/// Items that show the features of a group.
public enum GroupFeatureItems {
  /// The features that items show, in this order.
  private static let shown: [GroupFeature] = [
    .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history,
    .support,
  ]

  /// The items of a group that was created or joined.
  /// - Parameter isSent: whether the user created it.
  public static func initial(_ preferences: FullGroupPreferences, isSent: Bool) -> [CIContent] {
    shown.map { item($0, preferences.state(of: $0), isSent: isSent) }
  }

  /// The items of a change.
  /// - Parameter isSent: whether the user made it.
  public static func changed(
    from old: FullGroupPreferences, to new: FullGroupPreferences, isSent: Bool
  ) -> [CIContent] {
    shown.filter { old.state(of: $0) != new.state(of: $0) }.map { item($0, new.state(of: $0), isSent: isSent) }
  }

  private static func item(_ feature: GroupFeature, _ state: GroupFeatureState, isSent: Bool) -> CIContent {
    isSent
      ? .sndGroupFeature(
        groupFeature: feature, preference: state.preference, param: state.param, memberRole_: state.role)
      : .rcvGroupFeature(
        groupFeature: feature, preference: state.preference, param: state.param, memberRole_: state.role)
  }
}

extension GroupInfo {
  /// Whether a feature is on for the role of a member.
  public func isAllowed(_ feature: GroupFeature, for member: GroupMember) -> Bool {
    isAllowed(feature, for: member.memberRole)
  }

  /// Whether a feature is on for a role.
  public func isAllowed(_ feature: GroupFeature, for role: GroupMemberRole) -> Bool {
    let state = fullGroupPreferences.state(of: feature)
    return state.preference.on && state.role.map { role >= $0 } ?? true
  }

  /// Whether a feature is on at all.
  public func isOn(_ feature: GroupFeature) -> Bool { fullGroupPreferences.state(of: feature).preference.on }

  /// When a message sent by the user disappears; nil for never.
  /// - Parameters:
  ///   - ttl: seconds for this message; nil for those of the group.
  ///   - live: whether the message is still being written; its time begins when it is finished.
  public func timedForSent(ttl: Int?, live: Bool, now: Date) -> CITimed? {
    guard fullGroupPreferences.timedMessages.on, let ttl = ttl ?? fullGroupPreferences.timedMessages.ttl else {
      return nil
    }
    return CITimed(ttl: ttl, deleteAt: live ? nil : now.addingTimeInterval(Double(ttl)))
  }

  /// When a received message disappears, counted from reading it; nil for never.
  public func timedForReceived(ttl: Int?) -> CITimed? {
    guard fullGroupPreferences.timedMessages.on else { return nil }
    return ttl.map { CITimed(ttl: $0) }
  }

  /// The first feature that forbids an author with a role to send this content; nil where it is allowed.
  public func prohibition(of content: MsgContent, from role: GroupMemberRole, hasFile: Bool) -> GroupFeature? {
    if content.isVoice {
      if !isAllowed(.voice, for: role) { return .voice }
    } else if hasFile, !isAllowed(.files, for: role) {
      return .files
    }
    return prohibitsLinks(in: content, from: role) ? .simplexLinks : nil
  }

  /// Whether a content has SimpleX links, and an author with a role may not send any.
  public func prohibitsLinks(in content: MsgContent, from role: GroupMemberRole) -> Bool {
    !isAllowed(.simplexLinks, for: role) && content.hasSimplexLink
  }
}

extension MsgContent {
  /// Whether it has a SimpleX link, as a card or in its text.
  public var hasSimplexLink: Bool {
    if case .chat = self { return true }
    return Self.hasSimplexLink(text)
  }

  /// Whether a text contains a SimpleX link, even one with white space in it.
  public static func hasSimplexLink(_ text: String) -> Bool {
    Markdown.parse(text)?.contains { $0.format?.isSimplexLink ?? false } ?? false
      || SimplexLink.occursIgnoringSpaces(in: text)
  }
}

extension GroupInfo {
  /// The part of a member's profile that the group may see.
  public func redacted(_ profile: Profile, of member: GroupMember) -> Profile {
    var shown = withoutForbiddenLinks(profile, role: member.memberRole)
    if !isAllowed(.directMessages, for: member.memberRole), let line = shown.shortDescr,
      MsgContent.hasSimplexLink(line)
    {
      shown.shortDescr = nil
    }
    return Profile(
      displayName: shown.displayName, fullName: shown.fullName, shortDescr: shown.shortDescr, image: shown.image,
      contactLink: shown.contactLink, peerType: shown.peerType)
  }

  /// A profile without the links that a member with this role may not have in it.
  public func withoutForbiddenLinks(_ profile: Profile, role: GroupMemberRole) -> Profile {
    var shown = profile
    let allowsLinks = isAllowed(.simplexLinks, for: role)
    if !allowsLinks || !isAllowed(.directMessages, for: role) { shown.contactLink = nil }
    if !allowsLinks, let line = profile.shortDescr, MsgContent.hasSimplexLink(line) { shown.shortDescr = nil }
    return shown
  }
}
