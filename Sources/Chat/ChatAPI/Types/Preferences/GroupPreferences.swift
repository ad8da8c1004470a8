import SimplexJSON

/// Features that a group sets; absent ones have the defaults.
public struct GroupPreferences: JSONCodable, Hashable, Sendable {
  /// Disappearing messages.
  public var timedMessages: TimedMessagesGroupPreference?
  /// Direct messages between members.
  public var directMessages: RoleGroupPreference?
  /// Deletion for everyone.
  public var fullDelete: RoleGroupPreference?
  /// Reactions to messages.
  public var reactions: GroupPreference?
  /// Voice messages.
  public var voice: RoleGroupPreference?
  /// Files and media.
  public var files: RoleGroupPreference?
  /// SimpleX links in messages.
  public var simplexLinks: RoleGroupPreference?
  /// Reports to moderators.
  public var reports: GroupPreference?
  /// Recent messages for new members.
  public var history: GroupPreference?
  /// Members' conversations with moderators.
  public var support: GroupPreference?
  /// Chat sessions.
  public var sessions: RoleGroupPreference?
  /// Comments on messages.
  public var comments: CommentsGroupPreference?
  /// Signed messages.
  public var signMessages: GroupPreference?
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand]?
}

/// A feature that is only on or off.
public struct GroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled

  /// The feature is on.
  public static let on = GroupPreference(enable: .on)
  /// The feature is off.
  public static let off = GroupPreference(enable: .off)
}

/// A feature that may be limited to higher roles.
public struct RoleGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// Lowest role that may use it.
  public var role: GroupMemberRole?

  /// The feature is off.
  public static let off = RoleGroupPreference(enable: .off)
}

/// Disappearing messages in a group.
public struct TimedMessagesGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// Seconds from reading to disappearing.
  public var ttl: Int?
}

/// Comments on messages of a channel.
public struct CommentsGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// For how long, in seconds.
  public var duration: Int?

  /// Comments are off.
  public static let off = CommentsGroupPreference(enable: .off)
}

/// Whether a feature of a group is on.
public enum GroupFeatureEnabled: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case on
  case off
}

/// Features of groups.
public enum GroupFeature: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case timedMessages
  case directMessages
  case fullDelete
  case reactions
  case voice
  case files
  case simplexLinks
  case reports
  case history
  case support
  case sessions
  case comments
  case signMessages
}
