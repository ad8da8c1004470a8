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
  public var support: GroupPreference
  /// Chat sessions.
  public var sessions: RoleGroupPreference
  /// Comments on messages.
  public var comments: CommentsGroupPreference
  /// Signed messages.
  public var signMessages: GroupPreference
  /// Commands and menus that bots offer.
  public var commands: [ChatBotCommand]

  /// A value of its members.
  public init(
    timedMessages: TimedMessagesGroupPreference, directMessages: RoleGroupPreference, fullDelete: RoleGroupPreference,
    reactions: GroupPreference, voice: RoleGroupPreference, files: RoleGroupPreference,
    simplexLinks: RoleGroupPreference, reports: GroupPreference, history: GroupPreference,
    support: GroupPreference = GroupPreference(enable: .on),
    sessions: RoleGroupPreference = RoleGroupPreference(enable: .off),
    comments: CommentsGroupPreference = CommentsGroupPreference(enable: .off),
    signMessages: GroupPreference = GroupPreference(enable: .off), commands: [ChatBotCommand] = []
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
    support = try fields.get("support", default: GroupPreference(enable: .on))
    sessions = try fields.get("sessions", default: RoleGroupPreference(enable: .off))
    comments = try fields.get("comments", default: CommentsGroupPreference(enable: .off))
    signMessages = try fields.get("signMessages", default: GroupPreference(enable: .off))
    commands = try fields.get("commands", default: [])
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
