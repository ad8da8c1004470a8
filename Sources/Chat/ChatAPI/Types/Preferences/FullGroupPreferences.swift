import SimplexJSON

/// Features of a group with defaults filled in.
public struct FullGroupPreferences: JSONCodable, Hashable, Sendable {
  /// Disappearing messages.
  public var timedMessages: TimedMessagesGroupPreference
  /// Direct messages between members.
  public var directMessages: RoleGroupPreference
  /// Deletion for everyone.
  public var fullDelete: RoleGroupPreference
  /// Reactions to messages.
  public var reactions: GroupPreference
  /// Voice messages.
  public var voice: RoleGroupPreference
  /// Files and media.
  public var files: RoleGroupPreference
  /// SimpleX links in messages.
  public var simplexLinks: RoleGroupPreference
  /// Reports to moderators.
  public var reports: GroupPreference
  /// Recent messages for new members.
  public var history: GroupPreference
  /// Members' conversations with moderators.
  public var support: GroupPreference = .on
  /// Chat sessions.
  public var sessions: RoleGroupPreference = .off
  /// Comments on messages.
  public var comments: CommentsGroupPreference = .off
  /// Signed messages.
  public var signMessages: GroupPreference = .off
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand] = []
}
