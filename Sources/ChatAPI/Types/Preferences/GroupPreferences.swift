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

  /// A value of its members.
  public init(
    timedMessages: TimedMessagesGroupPreference? = nil, directMessages: RoleGroupPreference? = nil,
    fullDelete: RoleGroupPreference? = nil, reactions: GroupPreference? = nil, voice: RoleGroupPreference? = nil,
    files: RoleGroupPreference? = nil, simplexLinks: RoleGroupPreference? = nil, reports: GroupPreference? = nil,
    history: GroupPreference? = nil, support: GroupPreference? = nil, sessions: RoleGroupPreference? = nil,
    comments: CommentsGroupPreference? = nil, signMessages: GroupPreference? = nil, commands: [ChatBotCommand]? = nil
  ) {
    self.timedMessages = timedMessages
    self.directMessages = directMessages
    self.fullDelete = fullDelete
    self.reactions = reactions
    self.voice = voice
    self.files = files
    self.simplexLinks = simplexLinks
    self.reports = reports
    self.history = history
    self.support = support
    self.sessions = sessions
    self.comments = comments
    self.signMessages = signMessages
    self.commands = commands
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    timedMessages = try fields.get("timedMessages")
    directMessages = try fields.get("directMessages")
    fullDelete = try fields.get("fullDelete")
    reactions = try fields.get("reactions")
    voice = try fields.get("voice")
    files = try fields.get("files")
    simplexLinks = try fields.get("simplexLinks")
    reports = try fields.get("reports")
    history = try fields.get("history")
    support = try fields.get("support")
    sessions = try fields.get("sessions")
    comments = try fields.get("comments")
    signMessages = try fields.get("signMessages")
    commands = try fields.get("commands")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("timedMessages", timedMessages)
    json.field("directMessages", directMessages)
    json.field("fullDelete", fullDelete)
    json.field("reactions", reactions)
    json.field("voice", voice)
    json.field("files", files)
    json.field("simplexLinks", simplexLinks)
    json.field("reports", reports)
    json.field("history", history)
    json.field("support", support)
    json.field("sessions", sessions)
    json.field("comments", comments)
    json.field("signMessages", signMessages)
    json.field("commands", commands)
    json.endObject()
  }
}

/// A feature that is only on or off.
public struct GroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled

  /// A value of its members.
  public init(
    enable: GroupFeatureEnabled
  ) {
    self.enable = enable
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enable = try fields.get("enable")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enable", enable)
    json.endObject()
  }
}

/// A feature that may be limited to higher roles.
public struct RoleGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// Lowest role that may use it.
  public var role: GroupMemberRole?

  /// A value of its members.
  public init(
    enable: GroupFeatureEnabled, role: GroupMemberRole? = nil
  ) {
    self.enable = enable
    self.role = role
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enable = try fields.get("enable")
    role = try fields.get("role")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enable", enable)
    json.field("role", role)
    json.endObject()
  }
}

/// Disappearing messages in a group.
public struct TimedMessagesGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// Seconds from reading to disappearing.
  public var ttl: Int?

  /// A value of its members.
  public init(
    enable: GroupFeatureEnabled, ttl: Int? = nil
  ) {
    self.enable = enable
    self.ttl = ttl
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enable = try fields.get("enable")
    ttl = try fields.get("ttl")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enable", enable)
    json.field("ttl", ttl)
    json.endObject()
  }
}

/// Comments on messages of a channel.
public struct CommentsGroupPreference: JSONCodable, Hashable, Sendable {
  /// Whether the feature is on.
  public var enable: GroupFeatureEnabled
  /// For how long, in seconds.
  public var duration: Int?

  /// A value of its members.
  public init(
    enable: GroupFeatureEnabled, duration: Int? = nil
  ) {
    self.enable = enable
    self.duration = duration
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enable = try fields.get("enable")
    duration = try fields.get("duration")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enable", enable)
    json.field("duration", duration)
    json.endObject()
  }
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
