/// What an import or an export takes of a profile, and what it leaves: what is lost, and what is only skipped.
public struct ImportReport: Hashable, Sendable {
  /// Things that are taken.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case users = "users"
    case servers = "servers"
    case contacts = "contacts"
    case groups = "groups"
    case members = "members of groups"
    case addresses = "addresses"
    case requests = "requests to connect"
    case connections = "connections"
    case messages = "messages and events in chats"
    case files = "files of messages"
    case uploads = "files that are sent again from their beginning"
    case reactions = "reactions"
    case versions = "earlier versions of messages"
    case tags = "lists of chats"
    case outgoingMessages = "messages that wait to be sent"
    case incomingMessages = "received messages that are shown with the next start"
    case skippedKeys = "keys of skipped messages"
    case pendingMessages = "messages that wait for members who are not connected yet"
    case probes = "questions whether contacts and members are the same"
    case calls = "calls that ring"
    case pairings = "paired desktops and mobile devices"
    case tokens = "registrations for push notifications"
    case foreignRows =
      "rows about services, public groups, and devices and push notifications that cannot be read, kept for later versions"
  }

  /// Things that are left.
  public enum Left: Hashable, Sendable, CaseIterable {
    case publicGroups
    case pendingGroupMessages
    case handshakes
    case requests
    case outgoingMessages
    case incomingMessages
    case agentCommands
    case damagedConnections
    case damagedChats
    case damagedItems
    case mismatchedAgent
    case deletedConnections
    case files
    case transfers
    case deletedChunks
    case pendingReceipts
    case items
    case unreadableItems
    case duplicates
    case missingConnections
    case badgesAndNames
    case chatRelays
    case deletedUsers
    case earlyEvents
    case otherConfirmations
    case linkKeys
    case failedAttempts
    case earlierAttempts
    case foreignRows
    case damagedDetails

    /// Whether people would miss something: messages that are not delivered, or a conversation that ends.
    public var isLoss: Bool {
      switch self {
      case .publicGroups, .transfers, .pendingGroupMessages, .handshakes, .requests, .outgoingMessages,
        .incomingMessages, .agentCommands, .damagedConnections, .damagedChats, .damagedItems, .mismatchedAgent,
        .linkKeys, .earlierAttempts:
        true
      case .deletedConnections, .files, .deletedChunks, .pendingReceipts, .items, .unreadableItems,
        .duplicates,
        .missingConnections, .badgesAndNames,
        .chatRelays, .deletedUsers, .earlyEvents, .otherConfirmations, .failedAttempts, .foreignRows, .damagedDetails:
        false
      }
    }

    /// What it is, and why it is left.
    public var text: String {
      switch self {
      case .publicGroups: "public groups: not supported yet; their messages and connections are not kept"
      case .pendingGroupMessages:
        "messages that wait for members: to whom others are introduced, or whose content is missing"
      case .handshakes: "connections whose peer waits for an answer: start the program once, online"
      case .requests: "requests to connect whose address was deleted, or that cannot be read: accept or reject them"
      case .outgoingMessages: "connections with messages of an unknown kind that wait to be sent: let the app send them"
      case .incomingMessages: "received messages that the app has not shown, and whose content is missing: open the app"
      case .agentCommands: "operations on connections that are not finished: let the app finish them"
      case .damagedConnections:
        "connections without queue or keys, or with something that cannot be read: let the app finish it, or delete their contacts"
      case .damagedChats: "contacts, groups, notes and addresses with a value that cannot be used, and their messages"
      case .damagedItems: "messages, events and files with a value that cannot be used"
      case .mismatchedAgent:
        "connections that the agent's database does not have: it is not the one that belongs to the chat's"
      case .deletedConnections:
        "connections that were being deleted, or are not in use any more; their queues stay at the relays for a while"
      case .files: "files outside of messages: they stay where they are"
      case .transfers: "files that are being sent: let the app finish it, or cancel it"
      case .deletedChunks: "parts of cancelled files that were being deleted; they stay at the relays for two days"
      case .pendingReceipts: "receipts that wait to be sent"
      case .items: "messages and events of chats that were deleted"
      case .unreadableItems: "messages and events that cannot be read; they are taken, and shown as invalid"
      case .duplicates: "statuses and decisions in groups that are there twice, or refer to nothing"
      case .missingConnections: "connections that the app itself has lost"
      case .badgesAndNames: "badges and domain names of profiles"
      case .chatRelays: "relays of public groups"
      case .deletedUsers: "users that were being deleted"
      case .otherConfirmations: "further answers to an invitation, of which one is taken"
      case .earlyEvents: "events about messages and members that did not come yet"
      case .linkKeys: "keys of links that were opened, and that cannot be read: ask for new links"
      case .failedAttempts: "attempts to connect that failed: their links cannot be used again, ask for new ones"
      case .earlierAttempts:
        "attempts to connect that are made again, though the other side may have answered: start the app once, online"
      case .foreignRows:
        "rows about linked devices, push notifications and public groups that refer to what is not there any more"
      case .damagedDetails:
        "values that cannot be used: settings, lists of chats, quotations, reactions, earlier versions, statuses, "
          + "records of messages, keys of skipped ones, questions whether two people are the same"
      }
    }
  }

  /// How many things are taken; those of which there are none are absent.
  public internal(set) var taken: [Kind: Int] = [:]
  /// How many things are left; those of which there are none are absent.
  public internal(set) var left: [Left: Int] = [:]
  /// What is wrong with what cannot be used, a sentence for each; the first of them.
  public internal(set) var damages: [String] = []
  private static let damageCount = 50
  /// Whether an interrupted import or export was only finished, so that nothing is counted.
  public internal(set) var isResumed = false
  /// What was added to the names of the databases that were imported; nil where they were not.
  public internal(set) var suffix: String?
  /// The absolute path of the archive, if an interrupted export was finished; nil otherwise.
  public internal(set) var archive: String?

  /// What is left, alone.
  var remainder: ImportReport {
    var report = self
    report.taken = [:]
    return report
  }

  /// What people would miss: an import refuses unless it is told to leave this.
  public var losses: [Left: Int] { left.filter { $0.key.isLoss } }

  mutating func take(_ kind: Kind, _ count: Int = 1) { if count > 0 { taken[kind, default: 0] += count } }
  mutating func leave(_ kind: Left, _ count: Int = 1) { if count > 0 { left[kind, default: 0] += count } }

  /// Leaves something whose values cannot be used.
  mutating func leave(_ kind: Left, because error: ProfileImportError) {
    leave(kind)
    if damages.count < Self.damageCount { damages.append("\(error)") }
  }

  mutating func add(_ other: ImportReport) {
    for (kind, count) in other.taken { take(kind, count) }
    for (kind, count) in other.left { leave(kind, count) }
    damages += other.damages.prefix(max(0, Self.damageCount - damages.count))
  }

  /// A line for each kind of what people would miss.
  public var lossLines: [String] { Left.allCases.compactMap { kind in losses[kind].map { "\($0) \(kind.text)" } } }

  /// A line for each kind: what is imported, what is lost, and what else is skipped.
  public var lines: [String] { lines(taken: "Imported:") }

  /// The same with another title of what is taken.
  public func lines(taken title: String) -> [String] {
    func lines(_ title: String, _ isIncluded: (Left) -> Bool) -> [String] {
      let found = Left.allCases.compactMap { kind in
        isIncluded(kind) ? left[kind].map { "  \($0) \(kind.text)" } : nil
      }
      return found.isEmpty ? [] : [title] + found
    }
    let taken = Kind.allCases.compactMap { kind in self.taken[kind].map { "  \($0) \(kind.rawValue)" } }
    return (taken.isEmpty ? [] : [title] + taken) + lines("Lost:") { $0.isLoss }
      + damages.map { "    \($0)" } + lines("Skipped:") { !$0.isLoss }
  }
}
