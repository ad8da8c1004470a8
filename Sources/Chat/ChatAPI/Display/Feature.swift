/// A feature of conversations or groups.
public protocol Feature {
  /// The name, in words.
  var text: String { get }
  /// Whether it has a time.
  var hasParam: Bool { get }
  /// Whether it can be limited to higher roles.
  var hasRole: Bool { get }
}

extension ChatFeature: Feature {
  /// Whether it can be on for one side only.
  public var asymmetric: Bool { self != .timedMessages }
  /// Only disappearing messages have a time.
  public var hasParam: Bool { self == .timedMessages }
  /// Contacts have no roles.
  public var hasRole: Bool { false }

  /// The name, in words.
  public var text: String {
    switch self {
    case .timedMessages: "Disappearing messages"
    case .fullDelete: "Delete for everyone"
    case .reactions: "Message reactions"
    case .voice: "Voice messages"
    case .files: "Files and media"
    case .calls: "Calls"
    case .sessions: "Chat sessions"
    }
  }
}

extension GroupFeature: Feature {
  /// Only disappearing messages have a time.
  public var hasParam: Bool { self == .timedMessages }

  /// Whether it can be limited to higher roles.
  public var hasRole: Bool {
    switch self {
    case .directMessages, .voice, .files, .simplexLinks, .sessions: true
    case .timedMessages, .fullDelete, .reactions, .reports, .history, .support, .comments, .signMessages: false
    }
  }

  /// The name, in words.
  public var text: String {
    switch self {
    case .timedMessages: "Disappearing messages"
    case .directMessages: "Direct messages"
    case .fullDelete: "Delete for everyone"
    case .reactions: "Message reactions"
    case .voice: "Voice messages"
    case .files: "Files and media"
    case .simplexLinks: "SimpleX links"
    case .reports: "Reports to moderators"
    case .history: "History for new members"
    case .support: "Chats with moderators"
    case .sessions: "Chat sessions"
    case .comments: "Comments"
    case .signMessages: "Signed messages"
    }
  }
}

extension GroupMemberRole {
  /// The name, in words.
  public var text: String { rawValue }
}
