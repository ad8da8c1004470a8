import SimplexJSON

/// Features that a profile sets; absent ones have the defaults.
public struct Preferences: JSONCodable, Hashable, Sendable {
  /// Disappearing messages.
  public var timedMessages: TimedMessagesPreference?
  /// Deletion for everyone.
  public var fullDelete: SimplePreference?
  /// Reactions to messages.
  public var reactions: SimplePreference?
  /// Voice messages.
  public var voice: SimplePreference?
  /// Files and media.
  public var files: SimplePreference?
  /// Audio and video calls.
  public var calls: SimplePreference?
  /// Chat sessions.
  public var sessions: SimplePreference?
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand]?
}

/// Features of a profile with defaults filled in.
public struct FullPreferences: JSONCodable, Hashable, Sendable {
  /// Disappearing messages.
  public var timedMessages: TimedMessagesPreference
  /// Deletion for everyone.
  public var fullDelete: SimplePreference
  /// Reactions to messages.
  public var reactions: SimplePreference
  /// Voice messages.
  public var voice: SimplePreference
  /// Files and media.
  public var files: SimplePreference
  /// Audio and video calls.
  public var calls: SimplePreference
  /// Chat sessions.
  public var sessions: SimplePreference = .notAllowed
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand] = []
}

/// A feature that is only allowed or not.
public struct SimplePreference: JSONCodable, Hashable, Sendable {
  /// Who may use the feature.
  public var allow: FeatureAllowed

  /// Nobody may use the feature.
  public static let notAllowed = SimplePreference(allow: .no)
}

/// Disappearing messages.
public struct TimedMessagesPreference: JSONCodable, Hashable, Sendable {
  /// Who may use the feature.
  public var allow: FeatureAllowed
  /// Seconds from reading to disappearing.
  public var ttl: Int?
}

/// Who may use a feature.
public enum FeatureAllowed: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case always
  case yes
  case no
}
