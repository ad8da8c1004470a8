/// State that a peer causes and the user does not see. Its sum for each connection has a limit, the budget. State is
/// charged to the connection by which the message came, so forwarding the messages of others does not multiply it.
///
/// The numbers are stored. docs/limits.md lists them; a test compares the two, and fills each budget.
public enum HiddenState: Int, CaseIterable, Sendable {
  /// Reactions to messages that have not come, and may never come.
  case earlyReactions = 1
  /// Records of messages of groups that show nothing by themselves, by which copies are found: edits, deletions,
  /// reactions, profiles, parts of descriptions, and what is done with members.
  case silentMessages = 2
  /// Deletions of messages that have not come.
  case earlyDeletions = 3
  /// Decisions about members who are not known.
  case earlyDecisions = 4
  /// Probes, and hashes of them.
  case probes = 5
  /// Parts of descriptions of files before their turn, or before the message with the file.
  case earlyDescriptions = 6
  /// Messages, or parts of them, that this version does not understand.
  case keptMessages = 7
  /// Members who were announced, or whose messages are forwarded, and who are not connected.
  case announcedMembers = 8
  /// Members who asked to join by a link of the user and are not connected.
  case joiningMembers = 9
  /// Requests to connect by an address that are not accepted, or not connected.
  case contactRequests = 10
  /// Files in messages that are received without being asked for and are not complete.
  case inlineFiles = 11

  /// The maximum state of one kind that is kept for a connection.
  public struct Limit: Hashable, Sendable {
    /// The maximum number of rows.
    public var rows: Int
    /// The maximum size of the columns whose content the peer chooses, in bytes; 0 for rows without such columns.
    public var bytes: Int
  }

  /// The maximum of this state that is kept for a connection.
  public var limit: Limit {
    switch self {
    case .earlyReactions: Limit(rows: 1_000, bytes: 1 << 20)
    case .silentMessages: Limit(rows: 20_000, bytes: 4 << 20)
    case .earlyDeletions, .earlyDecisions: Limit(rows: 1_000, bytes: 1 << 20)
    case .probes: Limit(rows: 100, bytes: 1 << 16)
    case .earlyDescriptions: Limit(rows: 1_024, bytes: 4 << 20)
    case .keptMessages: Limit(rows: 1_000, bytes: 4 << 20)
    case .announcedMembers: Limit(rows: 5_000, bytes: 0)
    case .joiningMembers, .contactRequests: Limit(rows: 1_000, bytes: 0)
    case .inlineFiles: Limit(rows: 32, bytes: 0)
    }
  }

  /// The text of the event that reports the first row that is dropped.
  public var report: String {
    switch self {
    case .earlyReactions: "x.msg.react: too many reactions to unknown messages"
    case .silentMessages: "too many changes of messages"
    case .earlyDeletions: "x.msg.del: too many deletions of unknown messages"
    case .earlyDecisions: "too many decisions about unknown members"
    case .probes: "x.info.probe: too many probes"
    case .earlyDescriptions: "x.msg.file.descr: too many parts without a message"
    case .keptMessages: "too many messages that this version does not understand"
    case .announcedMembers: "x.grp.mem.new: too many members to connect with"
    case .joiningMembers: "too many requests to join"
    case .contactRequests: "too many requests to connect"
    case .inlineFiles: "too many files that are not complete"
    }
  }
}

/// The limits of what one message, or one turn, may cause.
public enum StepLimit: Int, CaseIterable, Sendable {
  /// The files that a turn creates for files in messages.
  case createdFiles = 8
  /// The names that are tried for a received file before the user is told that there is none: a few numbers in order,
  /// then random ones.
  case triedNames = 16
  /// The milliseconds after which a turn is reported as a long one.
  case longTurn = 100
}
