#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import ChatLogic
import SimpleXChat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the terminal program runs.
public struct TerminalOptions: Sendable {
  /// The events that are printed while a single command is executed.
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
  /// Whether a missing passphrase is read from the input where that is no terminal.
  var readsKey = false
  /// Whether newer tables are made without asking.
  public var confirmsMigrations = false
  /// Whether somebody agreed to import a profile of the reference in its place.
  var confirmsImport = false
  /// Whether somebody agreed to lose what cannot be imported.
  var acceptsLosses = false
  /// Relays that all users use in this start in place of their own, and new ones keep; none for their own.
  public var smpServers: [String] = []
  /// File servers that new users get instead of the preset ones.
  public var xftpServers: [String] = []
  /// The settings of the network as an argument of `/network`; nil to leave them.
  public var network: String?
  /// The command to execute instead of a session.
  public var command: String?
  /// Seconds to wait at most for what that command sends; nil for the usual time.
  public var commandDelay: Int?
  /// What to write meanwhile.
  public var executeLog = ExecuteLog.none
  /// Whether the standard output gets the response and events of that command as lines of JSON, and nothing else.
  public var writesJSON = false
  /// The port of the API for bots, instead of a session.
  public var serverPort: Int?
  /// The token that clients of that API must present.
  public var serverToken: String?
  /// Seconds after which a client of that API that neither reads nor answers pings is disconnected; 0 for never, nil
  /// for the usual time.
  public var serverTimeout: Int?
  /// Where files are kept.
  public var filesFolder: String?
  /// Where files are kept while they are encrypted.
  public var tempFolder: String?
  /// Files with fewer bytes are received without asking; 0 for none.
  public var acceptedFileSize: Int64 = 0
  /// A bot to create at the first start.
  public var newBot: NewBot?
  /// The name and version of the program, for the greeting of a session; nil to show that of the core only.
  public var programName: String?
  /// The name of the profile to create at the first start; nil to ask for it.
  public var displayName: String?
  /// The profile to create at the first start, in the place of one with nothing but a name.
  public var newProfile: Profile?
  /// Whether the first profile gets contact cards of the program's makers.
  public var addsPresetContacts = true
  /// Whether the chat is not started.
  public var isMaintenance = false
  /// Events that may wait to be shown before nothing more is received.
  public var eventLimit = 1_024
  /// Whether connections to relays are shown.
  public var tellsHosts = false
  /// The name of this device for desktops and mobile devices.
  public var deviceName = ""
  /// What a program as a phone does by itself to connect to desktops that it knows; nil for nothing.
  public var desktopSearch: KnownDesktopSearch.Settings?
  /// Whether typed lines are kept for the next start, beside the databases; never of encrypted ones.
  public var keepsHistory = true
  /// How much a session shows.
  public var session = TerminalSession.Options()
  /// Changes what the core is opened with, for what has no property here.
  public var adjustCore: @Sendable (inout ChatOptions) -> Void = { _ in }

  /// The usual options for these databases.
  public init(databasePrefix: String) {
    self.databasePrefix = databasePrefix
  }
}

extension TerminalOptions {
  /// Whether the profile to create at the first start is given.
  var createsProfile: Bool { newBot != nil || newProfile != nil || displayName != nil }

  /// Writes lines about the start to the standard output; with ``writesJSON`` to the standard error.
  func writeStartLines(_ lines: [String]) {
    let text = lines.map { $0 + "\n" }.joined()
    StandardOutput.write(text: text, to: writesJSON ? STDERR_FILENO : STDOUT_FILENO)
  }

  /// Whether there are databases.
  var isProfileThere: Bool { FileManager.default.fileExists(atPath: databasePrefix + "_chat.db") }

  /// The version of the chat core whose API and terminal this is.
  public static var coreVersion: String { "core \(ChatController.version)" }

  /// Whether a text is the address of a SOCKS proxy.
  public static func isProxy(_ text: String) -> Bool { SOCKSProxyAddress(text) != nil }

  /// The addresses in a text, which white space separates.
  public static func serverList(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The texts among server lists, separated by white space, that are not addresses of such servers.
  public static func invalidServers(smp: String, xftp: String) -> [String] {
    var options = ChatOptions(databasePrefix: "")
    options.smpServers = serverList(smp)
    options.xftpServers = serverList(xftp)
    return options.invalidServers
  }
}
