import SimplexJSON

/// What a contact and the user allow each other.
public struct ContactUserPreferences: JSONCodable, Hashable, Sendable {
  /// Disappearing messages.
  public var timedMessages: ContactUserPreference<TimedMessagesPreference>
  /// Deletion for everyone.
  public var fullDelete: ContactUserPreference<SimplePreference>
  /// Reactions to messages.
  public var reactions: ContactUserPreference<SimplePreference>
  /// Voice messages.
  public var voice: ContactUserPreference<SimplePreference>
  /// Files and media.
  public var files: ContactUserPreference<SimplePreference>
  /// Audio and video calls.
  public var calls: ContactUserPreference<SimplePreference>
  /// Chat sessions.
  public var sessions: ContactUserPreference<SimplePreference>
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand]?
}

/// For which of the two sides a feature is on.
public struct FeatureEnabled: JSONCodable, Hashable, Sendable {
  /// Whether the user may use it.
  public var forUser: Bool
  /// Whether the contact may use it.
  public var forContact: Bool
}

/// Features of conversations with contacts.
public enum ChatFeature: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case timedMessages
  case fullDelete
  case reactions
  case voice
  case files
  case calls
  case sessions
}
