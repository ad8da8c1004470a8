import ArgumentParser
import ChatTerminal
import FileAccess
import ProgramSupport
import SimpleXChat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the databases are.
struct DatabaseArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help:
      "Path prefix of the databases: PREFIX_chat.db and PREFIX_agent.db, or a folder with / at the end. (default: ~/.simplex/simplex_v1)"
  )
  var database: String?
  @Option(
    name: [.short, .long], help: "Passphrase of the databases. All users of this machine can see it: use --key-file.")
  var key: String?
  @Option(
    name: .customLong("key-file"),
    help: .init(
      "File with the passphrase in its first line; - for the standard input. (default: $SIMPLEX_CHAT_KEY, or the systemd credential simplex-chat.key)",
      valueName: "path"))
  var keyFile: String?
  @Flag(name: [.customShort("y"), .customLong("yes-migrate")], help: "Upgrade the databases without asking.")
  var confirmsMigrations = false
  @Flag(name: .customLong("disable-vacuum"), help: .hidden)
  var disablesVacuum = false
  @Flag(name: .customLong("disable-backup"), help: .hidden)
  var disablesBackup = false
  @Option(name: .customLong("backup-directory"), help: .hidden)
  var backupFolder: String?

  var notes: [String] {
    let backups =
      backupFolder == nil && !disablesBackup
      ? [] : ["--backup-directory and --disable-backup have no effect: a backup of the databases is made beside them"]
    return backups + SecretFile.notes([keyFile])
  }

  func validate() throws {
    if key != nil, keyFile != nil { throw ValidationError("--key and --key-file exclude each other") }
  }

  /// The passphrase; empty for none. Reads the standard input where that is its source.
  func passphrase() throws -> String {
    if let key { return key }
    let source = SecretSource(file: keyFile, environment: "SIMPLEX_CHAT_KEY", credential: "simplex-chat.key")
    return try SecretFile.read(source) ?? ""
  }

  /// The prefix, whose folder exists then.
  func prefix() throws -> String {
    if let database {
      // A folder, not the beginning of a name.
      let isFolder = database.hasSuffix("/") || database == "." || database == ".."
      return isFolder ? (database.hasSuffix("/") ? database : database + "/") + "simplex_v1" : database
    }
    // FileManager asks the system's list of users first; people who set HOME mean it.
    let home = ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
    let folder = (home ?? FileManager.default.homeDirectoryForCurrentUser).appending(path: ".simplex")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "simplex_v1").path
  }

  func apply(to options: inout TerminalOptions) throws {
    options.key = try passphrase()
    options.confirmsMigrations = confirmsMigrations
  }
}

/// Which servers, and how to reach them.
struct NetworkArguments: ParsableArguments {
  @Option(
    name: [.customShort("s"), .customLong("server")],
    help:
      "Relays of this start for all profiles, separated by spaces; a new profile keeps them. (default: $SIMPLEX_SMP_SERVERS, or those of the profile)"
  )
  var smpServers: String?
  @Option(
    name: .customLong("xftp-server"),
    help:
      "File servers of a new profile, separated by spaces; /xftp changes those of an existing one. (default: $SIMPLEX_XFTP_SERVERS, or the preset ones)"
  )
  var xftpServers: String?
  @Option(
    name: .customLong("server-file"),
    help: .init(
      "File with more addresses for --server (smp://) and --xftp-server (xftp://): all users of this machine can see passwords in those.",
      valueName: "path"))
  var serverFile: String?
  @Flag(name: .customShort("x"), help: "Use the SOCKS5 proxy at :9050.")
  var usesLocalProxy = false
  @Option(name: .customLong("socks-proxy"), help: "Use the SOCKS5 proxy at ipv4:port or :port.")
  var socksProxy: String?
  @Option(name: .customLong("socks-mode"), help: "always, or onion (for onion hosts only).")
  var socksMode: String?
  @Option(name: .customLong("smp-proxy"), help: "Private routing: always, unknown, unprotected, never.")
  var smpProxy: String?
  @Option(
    name: .customLong("smp-proxy-fallback"), help: "Connect directly where private routing fails: no, protected, yes.")
  var smpProxyFallback: String?
  @Option(name: .customLong("tcp-timeout"), help: "Time limit of connections, in seconds.")
  var tcpTimeout: Int?
  @Option(name: .customLong("host-mode"), help: "Hosts of relays to prefer: public, or onion.")
  var hostMode: String?
  @Flag(name: .customLong("required-host-mode"), help: "Connect to no other hosts than the preferred ones.")
  var requiresHostMode = false
  @Flag(name: .customLong("smp-web-port"), help: "Use port 443 of relays whose address names none.")
  var usesWebPort = false
  @Option(name: .customLong("smp-web-port-servers"), help: "Of which relays: all, preset, off.")
  var webPortServers: String?

  /// The texts of the options, and of the environment where an option is missing.
  private var servers: (smp: String, xftp: String) {
    let environment = ProcessInfo.processInfo.environment
    return (
      smpServers ?? environment[ChatOptions.smpServersVariable] ?? "",
      xftpServers ?? environment[ChatOptions.xftpServersVariable] ?? ""
    )
  }

  func validate() throws {
    let choices = [
      ("--socks-mode", socksMode, ["always", "onion"]), ("--host-mode", hostMode, ["public", "onion"]),
      ("--smp-proxy", smpProxy, ["always", "unknown", "unprotected", "never"]),
      ("--smp-proxy-fallback", smpProxyFallback, ["no", "protected", "yes"]),
      ("--smp-web-port-servers", webPortServers, ["all", "preset", "off"]),
    ]
    let smp = TerminalOptions.invalidServers(smp: servers.smp, xftp: "")
    let xftp = TerminalOptions.invalidServers(smp: "", xftp: servers.xftp)
    if let server = smp.first ?? xftp.first {
      let variable = smp.isEmpty ? ChatOptions.xftpServersVariable : ChatOptions.smpServersVariable
      let source = (smp.isEmpty ? xftpServers : smpServers) == nil ? "\(variable): " : ""
      throw ValidationError(
        "\(source)\(server) is not the address of a server, such as smp://FINGERPRINT@HOST:PORT")
    }
    if let socksProxy, !TerminalOptions.isProxy(socksProxy) {
      throw ValidationError("--socks-proxy must be IPV4:PORT or :PORT, such as 127.0.0.1:9050")
    }
    for (name, value, words) in choices {
      if let value, !words.contains(value) {
        throw ValidationError("\(name) must be one of \(words.joined(separator: ", "))")
      }
    }
    if let tcpTimeout, tcpTimeout < 0 { throw ValidationError("--tcp-timeout must be a number of seconds") }
  }

  func apply(to options: inout TerminalOptions) throws {
    let more = try serverFile.map(SecretFile.servers) ?? []
    let fileServers = more.filter { $0.hasPrefix("xftp:") }
    options.smpServers = TerminalOptions.serverList(servers.smp) + more.filter { !fileServers.contains($0) }
    options.xftpServers = TerminalOptions.serverList(servers.xftp) + fileServers
    let timeout = tcpTimeout.flatMap { $0 == 0 ? nil : String($0) }
    // In the order that the command has.
    let settings = [
      socksMode.map { "socks-mode=\($0)" }, hostMode.map { "host-mode=\($0)" },
      requiresHostMode ? "required-host-mode" : nil,
      // What the terminal of the reference does without these options: it hides the address from unknown relays.
      "smp-proxy=\(smpProxy ?? "unknown")", "smp-proxy-fallback=\(smpProxyFallback ?? "protected")",
      (webPortServers ?? (usesWebPort ? "all" : nil)).map { "smp-web-port-servers=\($0)" },
      timeout.map { "timeout=\($0)" },
    ].compactMap(\.self)
    let proxy = socksProxy ?? (usesLocalProxy ? "on" : nil)
    options.network = (["socks=\(proxy ?? "off")"] + settings).joined(separator: " ")
  }
}

/// Session, single command, or API for bots.
struct RunningArguments: ParsableArguments {
  @Option(
    name: [.customShort("e"), .customLong("execute")],
    help: "Execute this command, wait until its messages are sent, and end.")
  var command: String?
  @Option(
    name: [.customShort("t"), .customLong("time")],
    help: "Seconds to wait at most until its messages are sent; with --execute-log, to log. (default: 10; 3 to log)")
  var delay: Int?
  @Option(name: .customLong("execute-log"), help: "Log during that command: all, messages, none.")
  var executeLog = "none"
  @Flag(
    name: .customLong("json"),
    help: "Write the response, and logged events, as lines of JSON like those of the WebSocket API.")
  var writesJSON = false
  @Option(
    name: [.customShort("p"), .customLong("chat-server-port")],
    help: "Serve the WebSocket API on this port of the loopback address.")
  var port: Int?
  @Option(
    name: .customLong("chat-server-token"),
    help:
      "What clients of that API must present: Authorization: Bearer TOKEN, or ?token=TOKEN. All users of this machine can see it: use --token-file."
  )
  var token: String?
  @Option(
    name: .customLong("token-file"),
    help: .init(
      "File with the token of the WebSocket API in its first line; - for the standard input. (default: $SIMPLEX_CHAT_TOKEN, the systemd credential simplex-chat.token, or PREFIX_token for programs of other users)",
      valueName: "path"))
  var tokenFile: String?
  @Option(
    name: .customLong("chat-server-timeout"),
    help: "Seconds after which a client that neither reads nor answers pings is disconnected; 0: never. (default: 900)")
  var serverTimeout: Int?
  @Flag(name: .customLong("create-bot-client-service"), help: .hidden)
  var botUsesClientService = false
  @Option(name: .customLong("display-name"), help: "Name of the profile that the first start creates.")
  var displayName: String?
  @Option(name: .customLong("create-bot-display-name"), help: "Name of the bot that the first start creates.")
  var botName: String?
  @Flag(name: .customLong("create-bot-allow-files"), help: "Let contacts of that bot send files.")
  var botAllowsFiles = false
  @Flag(name: .customLong("no-preset-contacts"), help: "Do not add the preset contacts to the first profile.")
  var hasNoPresetContacts = false
  @Flag(name: [.short, .long], help: "Do not start the chat; /_start does.")
  var maintenance = false

  func validate() throws {
    if botAllowsFiles && botName == nil {
      throw ValidationError("--create-bot-allow-files needs --create-bot-display-name")
    }
    if token != nil, tokenFile != nil {
      throw ValidationError("--chat-server-token and --token-file exclude each other")
    }
    if botUsesClientService { throw ValidationError("--create-bot-client-service is not supported yet") }
    if let port, !(0...65_535).contains(port) { throw ValidationError("--chat-server-port must be from 0 to 65535") }
    if let serverTimeout, !(0...86_400).contains(serverTimeout) {
      throw ValidationError("--chat-server-timeout must be from 0 to 86400")
    }
    if let delay, delay < 0 { throw ValidationError("--time must be a number of seconds") }
    if writesJSON, command == nil { throw ValidationError("--json needs --execute") }
    if TerminalOptions.ExecuteLog(rawValue: executeLog) == nil {
      throw ValidationError("--execute-log must be all, messages or none")
    }
  }

  func apply(to options: inout TerminalOptions) throws {
    options.command = command.flatMap { $0.isEmpty ? nil : $0 }
    options.commandDelay = delay
    options.writesJSON = writesJSON
    options.executeLog = TerminalOptions.ExecuteLog(rawValue: executeLog) ?? .none
    options.serverPort = port
    if port != nil {
      let source = SecretSource(file: tokenFile, environment: "SIMPLEX_CHAT_TOKEN", credential: "simplex-chat.token")
      options.serverToken = try token ?? SecretFile.read(source)
    }
    options.serverTimeout = serverTimeout
    options.displayName = displayName
    options.addsPresetContacts = !hasNoPresetContacts
    options.newBot = botName.map { .init(displayName: $0, allowsFiles: botAllowsFiles) }
    options.isMaintenance = maintenance
  }
}

/// Files with secrets that options name.
enum SecretFile {
  /// The secret; nil where there is none.
  static func read(_ source: SecretSource) throws -> String? {
    do throws(SecretSourceError) { return try source.secret() } catch {
      SimplexChatCommand.note("\(error)")
      throw ExitCode.failure
    }
  }

  /// The addresses in a file, separated by white space. Errors do not repeat them, since they may have passwords.
  static func servers(_ path: String) throws -> [String] {
    let text: String?
    do throws(FileError) { text = try WholeFile.text(path) } catch {
      SimplexChatCommand.note("the addresses cannot be read: \(error)")
      throw ExitCode.failure
    }
    guard let text else {
      SimplexChatCommand.note("the addresses cannot be read: \(path) does not exist")
      throw ExitCode.failure
    }
    let servers = text.split(whereSeparator: \.isWhitespace).map(String.init)
    for (index, server) in servers.enumerated() {
      let isFileServer = server.hasPrefix("xftp:")
      guard
        TerminalOptions.invalidServers(smp: isFileServer ? "" : server, xftp: isFileServer ? server : "").isEmpty
      else {
        SimplexChatCommand.note(
          "address \(index + 1) in \(path) is not the address of a server, such as smp://FINGERPRINT@HOST:PORT")
        throw ExitCode.failure
      }
    }
    return servers
  }

  /// Warnings about files that others can read.
  static func notes(_ paths: [String?]) -> [String] {
    paths.compactMap { path in
      guard let path, SecretSource(file: path).isReadableByOthers else { return nil }
      return "other users of this machine can read \(path): chmod 600 keeps the secret in it"
    }
  }
}

/// Where files are kept.
struct FileArguments: ParsableArguments {
  @Option(name: .customLong("files-folder"), help: "Folder of sent and received files.")
  var filesFolder: String?
  @Option(name: .customLong("temp-folder"), help: "Folder of temporary encrypted files.")
  var tempFolder: String?
  @Flag(name: [.customShort("f"), .customLong("allow-instant-files")], help: .hidden)
  var allowsInstantFiles = false
  @Flag(name: .customShort("a"), help: "Receive files below 1 MB without asking.")
  var acceptsSmallFiles = false
  @Option(
    name: .customLong("auto-accept-files"),
    help: .init("Receive files with fewer bytes than this without asking.", valueName: "bytes"))
  var acceptedSize: Int64?

  var notes: [String] {
    allowsInstantFiles ? ["-f has no effect: files are not sent in messages"] : []
  }

  func validate() throws {
    if let acceptedSize, acceptedSize < 0 { throw ValidationError("--auto-accept-files must be a number of bytes") }
  }

  func apply(to options: inout TerminalOptions) {
    options.filesFolder = filesFolder
    options.tempFolder = tempFolder
    options.acceptedFileSize = acceptedSize ?? (acceptsSmallFiles ? 1_048_576 : 0)
  }
}

/// What is shown and logged.
struct OutputArguments: ParsableArguments {
  @Flag(name: .customShort("v"), help: "Show the version, as --version does.")
  var showsVersion = false
  @Flag(name: .customLong("no-history"), help: "Keep no history of typed lines for the next start.")
  var keepsNoHistory = false
  @Flag(help: "Show reactions to messages.")
  var reactions = false
  @Flag(name: [.customShort("r"), .customLong("mark-read")], help: "Mark shown messages as read.")
  var marksRead = false
  @Flag(help: "Do not ring, show notifications or count unread messages in the window's title.")
  var mute = false
  @Option(name: [.customShort("l"), .customLong("log-level")], help: "debug, info, warn, error, important.")
  var logLevel = "important"
  @Flag(name: .customLong("log-tls-errors"), help: .hidden)
  var logsTLSErrors = false
  // Failures of subscriptions are always logged.
  @Flag(name: [.customShort("c"), .customLong("connections")], help: .hidden)
  var logsConnections = false
  @Flag(name: .customLong("log-hosts"), help: "Log connections to servers; so does -l info.")
  var logsHosts = false
  @Flag(name: .customLong("log-agent"), help: .hidden)
  var logsAgent = false
  @Option(name: .customLong("log-file"), help: "Write the log of servers and connections to this file.")
  var logFile: String?
  @Option(name: [.customShort("q"), .customLong("queue-size")], help: "Events that may wait to be shown.")
  var queueSize = 1024
  @Option(name: .customLong("device-name"), help: "The name of this device for desktops and mobile devices.")
  var deviceName: String?
  @Flag(
    name: .customLong("find-desktops"),
    help: "As a phone: look for known desktops, connect, and verify without comparing codes, also after a loss.")
  var findsDesktops = false
  @Flag(help: .hidden)
  var relay = false
  @Flag(help: .hidden)
  var ha = false

  func validate() throws {
    guard ChatView.LogLevel(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level must be debug, info, warn, error or important")
    }
    guard queueSize > 0 else { throw ValidationError("--queue-size must be at least 1") }
    if relay { throw ValidationError("--relay is not supported yet") }
  }

  var notes: [String] {
    let ignored = [
      ("--log-tls-errors", logsTLSErrors), ("--log-agent", logsAgent), ("--ha", ha),
    ].filter { $0.1 }.map(\.0)
    return ignored.map { "\($0) has no effect yet" }
  }

  func apply(to options: inout TerminalOptions) {
    options.session.showsReactions = reactions
    options.keepsHistory = !keepsNoHistory
    options.session.marksRead = marksRead
    options.session.alerts = !mute
    options.eventLimit = queueSize
    options.deviceName = deviceName ?? ""
    if findsDesktops { options.desktopSearch = .init(searches: true, connects: true, comparesCodes: false) }
    options.session.findsDesktops = findsDesktops
    let level = ChatView.LogLevel(rawValue: logLevel) ?? .important
    options.session.logLevel = level
    options.session.logFile = logFile
    options.tellsHosts = logsHosts || level <= .info
  }
}
