import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import RemoteControl
import SMPClient
import SQLiteKit

/// What a controller is opened with.
public struct ChatOptions: Sendable {
  /// What to do when a database was made by another version of the schema.
  public typealias Confirmation = MigrationConfirmation

  /// Folder and beginning of the names of the databases: `<prefix>_chat.db` and `<prefix>_agent.db`.
  public var databasePrefix: String
  /// The passphrase of the databases; empty for databases that are not encrypted.
  public var key: String
  /// Whether the passphrase is kept, so that the databases can be opened again after they were closed.
  public var keepsKey = false
  /// What to do when a database was made by another version of the schema.
  public var confirmation = Confirmation.yesUp
  /// Whether databases of the reference may be imported where upgrades are confirmed. Extensions of an app have too
  /// little memory and time for it.
  public var importsReferenceProfiles = true
  /// Called with 10, 20, … 100 when as many percent of the messages of such a profile were imported. It is called while
  /// the controller is being opened, which takes that long.
  public var importProgress: (@Sendable (Int) -> Void)?
  /// Relays that all users use in place of those they chose, as `smp://…` addresses; none to let them choose.
  public var smpServers: [String] = []
  /// File servers that new users get instead of the preset ones, as `xftp://…` addresses.
  public var xftpServers: [String] = []
  /// The notification servers, as `ntf://…` addresses; a device that is registered takes one of them.
  public var notificationServers = PresetServers.notificationServers
  /// Relays and file servers that new users get.
  public var presetServers = PresetServers.standard
  /// Addresses of relays that short links name by their host alone, in place of those of ``presetServers``; for tests,
  /// whose relays have other keys than those of the public network.
  package var shortLinkServers: [String]?
  /// The versions of the chat protocol that are announced to contacts; the highest common one is used with each.
  public var chatVersions = ChatVersion.supported
  /// How the agent behaves.
  public var agent = AgentConfiguration()
  /// How relays are connected to.
  public var network = SMPClientConfiguration()
  /// Whether a new user gets a card of the program's makers in the list of contacts.
  public var addsPresetContacts = true
  /// The number of events that wait to be read before nothing more is received.
  public var eventLimit = 1_024
  /// Whether events tell of connections to relays, and of their ends.
  public var tellsHosts = true
  /// The name by which desktops and mobile devices show this device; `/set device name` changes it for this process.
  public var deviceName = ""
  /// Whether a desktop that controls this device gets the events in place of those who read the queue itself, as the
  /// reference's terminal and apps do; those who have to see all events, such as bots, set it to false.
  public var movesEventsToDesktop = true
  /// How desktops in the local network are found; nil for multicast.
  package var remoteDiscovery: (any RemoteDiscovery)?
  /// Has desktops announced in another group, by one interface only; for tests of several programs on a machine.
  package mutating func announce(inGroup group: String, port: UInt16, interface: String) {
    remoteDiscovery = MulticastDiscovery(group: group, port: port, interface: interface)
  }
  /// How often messages whose time came are looked for, in milliseconds.
  public var cleanupInterval: Int64 = 30 * 60_000
  /// The minimum time between two emptyings of the databases' logs, which have copies of what was deleted, while the
  /// databases are open, in milliseconds.
  public var logInterval: Int64 = 60_000
  /// Files smaller than this, in bytes, are received without being asked for.
  public var autoAcceptFileSize: Int64 = 0
  /// The characters of a file's description in one message; fewer for tests.
  package var descriptionPartSize = FileRules.descriptionPartSize
  /// The number of members that one turn is about where the work is divided into several; fewer for tests.
  package var membersPerTurn = 50
  /// The number of records of received messages that one turn deletes: each costs a tenth of a member.
  var recordsPerTurn: Int { membersPerTurn * 10 }
  /// The number of messages, items or members of a command that one turn handles; fewer for tests.
  package var itemsPerTurn = 100
  /// The time that everything the chat core stores has; another one for tests.
  package var clock: @Sendable () -> Date = { Date() } {
    didSet { elapsed = nil }
  }
  /// The time since the start, including the sleep of the device, which changes of the wall clock do not move; nil to
  /// measure it by ``clock``, as in tests that move that.
  package var elapsed: (@Sendable () -> Duration)? = { [start = ContinuousClock.now] in ContinuousClock.now - start }
  /// Gets a line of each command that ended, each event and each error; nil for no log.
  ///
  /// It is called synchronously, also within a transaction of the database, and must not block.
  public var logger: (@Sendable (ChatLogLine) -> Void)?
  /// Decides who may join a group of a user by its link, for example by the profile; nil where everybody may.
  ///
  /// It is called with the group, the role that the link gives and the profile of who asks, within a transaction of the
  /// database: it must answer at once.
  public var decideAboutJoining: (@Sendable (GroupInfo, GroupMemberRole, Profile) -> GroupJoinDecision)?
  /// Whether each event and message of the agent is handled twice, to test that the second time changes nothing.
  package var repeatsEvents = false
  /// A commit of one of the databases after which both end as if the process had been killed; for tests.
  package var crashPoint: CrashPoint?
  /// Measures the transactions of the databases; for benchmarks.
  package var transactionTimes: TransactionTimes?

  /// Options with the usual values for everything else.
  public init(databasePrefix: String, key: String = "") {
    self.databasePrefix = databasePrefix
    self.key = key
  }

  /// The file of the chats.
  public var chatDatabase: String { databasePrefix + "_chat.db" }
  /// The file of the connections.
  public var agentDatabase: String { databasePrefix + "_agent.db" }

  /// The texts among ``smpServers``, ``xftpServers`` and ``notificationServers`` that are not addresses of such
  /// servers.
  public var invalidServers: [String] {
    func invalid(_ servers: [String], _ kind: ServerProtocol) -> [String] {
      servers.filter { server in
        guard let address = try? ServerAddress(parsing: server) else { return true }
        return address.serverProtocol != kind || !address.valid || !address.hasFingerprint
      }
    }
    return invalid(smpServers, .smp) + invalid(xftpServers, .xftp) + invalid(notificationServers, .ntf)
  }
}

/// Why the databases could not be opened.
public struct ChatOpeningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The result for callers of the C interface; never `ok`.
  public var result: DBMigrationResult
  /// The addresses in the options that cannot be used, where those are the reason.
  public var invalidServers: [String] = []

  /// The error of a result.
  public init(_ result: DBMigrationResult) { self.result = result }

  /// The error of addresses that cannot be used.
  init(invalidServers: [String]) {
    let text = "no address of a server: \(invalidServers.joined(separator: " "))"
    result = .agentError(agentError: .CMD(cmdErr: .SYNTAX, errContext: text))
    self.invalidServers = invalidServers
  }

  /// The reason, for users.
  public var description: String {
    invalidServers.isEmpty ? result.text : "not addresses of servers: \(invalidServers.joined(separator: ", "))"
  }
}
