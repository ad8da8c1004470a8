import ChatAPI

/// How the terminal program runs.
public struct TerminalOptions: Sendable {
  /// What is written while a single command is carried out.
  public enum ExecuteLog: String, CaseIterable, Sendable {
    /// All events.
    case all
    /// New messages.
    case messages
    /// Nothing but the response.
    case none
  }

  /// A bot to create at the first start.
  public struct NewBot: Sendable {
    /// Its name.
    public var displayName: String
    /// Whether its contacts may send files.
    public var allowsFiles: Bool

    /// A bot.
    public init(displayName: String, allowsFiles: Bool) {
      self.displayName = displayName
      self.allowsFiles = allowsFiles
    }
  }

  /// Folder and beginning of the names of the databases.
  public var databasePrefix: String
  /// The passphrase of the databases; empty if they are not encrypted.
  public var key = ""
  /// Whether newer tables are made without asking.
  public var confirmsMigrations = false
  /// Relays for users who chose none.
  public var smpServers: [String] = []
  /// File servers for users who chose none.
  public var xftpServers: [String] = []
  /// The settings of the network as an argument of `/network`; nil to leave them.
  public var network: String?
  /// The command to carry out instead of a session.
  public var command: String?
  /// Seconds to wait after that command.
  public var commandDelay = 3
  /// What to write meanwhile.
  public var executeLog = ExecuteLog.none
  /// The port of the API for bots, instead of a session.
  public var serverPort: Int?
  /// What clients of that API must present.
  public var serverToken: String?
  /// Where files are kept.
  public var filesFolder: String?
  /// Where files are kept while they are encrypted.
  public var tempFolder: String?
  /// A bot to create at the first start.
  public var newBot: NewBot?
  /// The name of the profile to create at the first start; asked for if nil.
  public var displayName: String?
  /// Whether the first profile gets contact cards of the program's makers.
  public var addsPresetContacts = true
  /// Whether the chat is not started.
  public var isMaintenance = false
  /// Events that may wait to be shown before nothing more is received.
  public var eventLimit = 1_024
  /// Whether connections to relays are told.
  public var tellsHosts = false
  /// How much a session shows.
  public var session = TerminalSession.Options()

  /// The usual options for these databases.
  public init(databasePrefix: String) {
    self.databasePrefix = databasePrefix
  }
}
