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

  /// A value of its members.
  public init(
    timedMessages: ContactUserPreference<TimedMessagesPreference>, fullDelete: ContactUserPreference<SimplePreference>,
    reactions: ContactUserPreference<SimplePreference>, voice: ContactUserPreference<SimplePreference>,
    files: ContactUserPreference<SimplePreference>, calls: ContactUserPreference<SimplePreference>,
    sessions: ContactUserPreference<SimplePreference>, commands: [ChatBotCommand]? = nil
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

/// For which of the two sides a feature is on.
public struct FeatureEnabled: JSONCodable, Hashable, Sendable {
  /// Whether the user may use it.
  public var forUser: Bool
  /// Whether the contact may use it.
  public var forContact: Bool

  /// A value of its members.
  public init(
    forUser: Bool, forContact: Bool
  ) {
    self.forUser = forUser
    self.forContact = forContact
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    forUser = try fields.get("forUser")
    forContact = try fields.get("forContact")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("forUser", forUser)
    json.field("forContact", forContact)
    json.endObject()
  }
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
