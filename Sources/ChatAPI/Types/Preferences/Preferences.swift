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

  /// A value of its members.
  public init(
    timedMessages: TimedMessagesPreference? = nil, fullDelete: SimplePreference? = nil,
    reactions: SimplePreference? = nil, voice: SimplePreference? = nil, files: SimplePreference? = nil,
    calls: SimplePreference? = nil, sessions: SimplePreference? = nil, commands: [ChatBotCommand]? = nil
  ) {
    self.timedMessages = timedMessages
    self.fullDelete = fullDelete
    self.reactions = reactions
    self.voice = voice
    self.files = files
    self.calls = calls
    self.sessions = sessions
    self.commands = commands
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    timedMessages = try fields.get("timedMessages")
    fullDelete = try fields.get("fullDelete")
    reactions = try fields.get("reactions")
    voice = try fields.get("voice")
    files = try fields.get("files")
    calls = try fields.get("calls")
    sessions = try fields.get("sessions")
    commands = try fields.get("commands")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("timedMessages", timedMessages)
    json.field("fullDelete", fullDelete)
    json.field("reactions", reactions)
    json.field("voice", voice)
    json.field("files", files)
    json.field("calls", calls)
    json.field("sessions", sessions)
    json.field("commands", commands)
    json.endObject()
  }
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
  public var sessions: SimplePreference
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand]

  /// A value of its members.
  public init(
    timedMessages: TimedMessagesPreference, fullDelete: SimplePreference, reactions: SimplePreference,
    voice: SimplePreference, files: SimplePreference, calls: SimplePreference,
    sessions: SimplePreference = SimplePreference(allow: .no), commands: [ChatBotCommand] = []
  ) {
    self.timedMessages = timedMessages
    self.fullDelete = fullDelete
    self.reactions = reactions
    self.voice = voice
    self.files = files
    self.calls = calls
    self.sessions = sessions
    self.commands = commands
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    timedMessages = try fields.get("timedMessages")
    fullDelete = try fields.get("fullDelete")
    reactions = try fields.get("reactions")
    voice = try fields.get("voice")
    files = try fields.get("files")
    calls = try fields.get("calls")
    sessions = try fields.get("sessions", default: SimplePreference(allow: .no))
    commands = try fields.get("commands", default: [])
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("timedMessages", timedMessages)
    json.field("fullDelete", fullDelete)
    json.field("reactions", reactions)
    json.field("voice", voice)
    json.field("files", files)
    json.field("calls", calls)
    json.field("sessions", sessions)
    json.field("commands", commands)
    json.endObject()
  }
}

/// A feature that is only allowed or not.
public struct SimplePreference: JSONCodable, Hashable, Sendable {
  /// Who may use the feature.
  public var allow: FeatureAllowed

  /// A value of its members.
  public init(
    allow: FeatureAllowed
  ) {
    self.allow = allow
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    allow = try fields.get("allow")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("allow", allow)
    json.endObject()
  }
}

/// Disappearing messages.
public struct TimedMessagesPreference: JSONCodable, Hashable, Sendable {
  /// Who may use the feature.
  public var allow: FeatureAllowed
  /// Seconds from reading to disappearing.
  public var ttl: Int?

  /// A value of its members.
  public init(
    allow: FeatureAllowed, ttl: Int? = nil
  ) {
    self.allow = allow
    self.ttl = ttl
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    allow = try fields.get("allow")
    ttl = try fields.get("ttl")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("allow", allow)
    json.field("ttl", ttl)
    json.endObject()
  }
}

/// Who may use a feature.
public enum FeatureAllowed: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case always
  case yes
  case no
}
