import ArgumentParser
import RelayCommands
import SMPServer
import SimplexTransport

/// Creates the identity, the certificates and the settings of a relay.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Initialize the server: certificates and settings.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask; use the options and their defaults.")
  var yes = false
  @Flag(name: [.customShort("l"), .long], help: "Keep queues and messages (the default).")
  var storeLog = false
  @Flag(name: .long, help: "Keep queues and messages in memory only.")
  var disableStoreLog = false
  @Flag(name: [.customShort("s"), .long], help: "Write a line of statistics every day.")
  var dailyStats = false
  @Option(name: [.customShort("a"), .long], help: "Signature algorithm of the certificates: ED25519 or ED448.")
  var signAlgorithm = CertificateKey.Algorithm.ed25519
  @OptionGroup
  var place: HostOptions
  @Option(name: .long, help: "Ports to listen on, separated by commas.")
  var port: String = "5223"
  @Flag(name: .long, help: "Allow creating queues without a password.")
  var noPassword = false
  @Option(name: .long, help: "Password for creating queues (default: a random one).")
  var password: String?
  @Option(
    name: .long,
    help: .init(
      "File with the password for creating queues in its first line; - for the standard input. All users of this machine can see --password.",
      valueName: "path"))
  var passwordFile: String?
  @Option(name: .long, help: "Open a control port with random passwords (default port: 5224).")
  var controlPort: UInt16?
  @OptionGroup(title: "Forwarding to other servers")
  var proxy: ProxyOptions
  @OptionGroup(title: "Information")
  var information: InformationOptions
  @Flag(name: .long, help: "Accepted for compatibility: pages for browsers are off until [WEB] is set.")
  var disableWeb = false
  @Option(name: .long, help: "Folder into which the pages for browsers are written.")
  var webPath: String?

  func validate() throws {
    guard [noPassword, password != nil, passwordFile != nil].count(where: { $0 }) < 2 else {
      throw ValidationError("--password, --password-file and --no-password exclude each other")
    }
    if let password, !ServerPassword.isValid(password) { throw ValidationError(ServerPassword.problem) }
    let ports = port.split(separator: ",", omittingEmptySubsequences: false).map { UInt16($0) }
    guard !ports.isEmpty, !ports.contains(nil) else {
      throw ValidationError("--port must be numbers from 0 to 65535, separated by commas")
    }
  }

  func run() async throws {
    try SMPServerCommand.requireNotInitialized()
    let password = try password ?? ServerPassword.read(from: passwordFile)
    var answers = Answers(
      host: place.host, keepsQueues: !disableStoreLog, logsStatistics: dailyStats,
      password: noPassword ? nil : password ?? ServerPassword.random())
    if !yes { try ask(&answers, password) }
    let ini = INITemplate(
      host: answers.host, bindLine: place.bindLine(host: answers.host), port: port, password: answers.password,
      keepsQueues: answers.keepsQueues, logsStatistics: answers.logsStatistics,
      control: NewControlPort(controlPort, usualPort: 5224), information: information.section,
      proxy: proxy.section(isLoopback: place.isLoopback(host: answers.host)), webFolder: webPath)
    try SMPServerCommand.initialize(
      host: answers.host, isLoopback: place.isLoopback(host: answers.host), algorithm: signAlgorithm, ini: ini.text)
  }

  /// The answers to the questions that are asked without `--yes`.
  private struct Answers {
    var host: String
    var keepsQueues: Bool
    var logsStatistics: Bool
    var password: String?
  }

  private func ask(_ answers: inout Answers, _ password: String?) throws {
    let folders = SMPServerCommand.folders
    print("A new server in \(folders.configuration) and \(folders.data); press Enter to accept the value in brackets.")
    print("Clients connect to this host name or address. 127.0.0.1 is this machine itself: nobody else can reach it.")
    answers.host = try ServerConsole.ask("Host name or address", place.proposedHost)
    guard HostName.firstInvalid(in: answers.host) == nil else {
      throw SMPServerCommand.fail("not initialized: \(answers.host) is not a host name or an IP address")
    }
    answers.keepsQueues = try askWhether("Keep queues and messages when the server stops", answers.keepsQueues)
    answers.logsStatistics = try askWhether("Write a line of statistics every day", answers.logsStatistics)
    let given = answers.password == nil ? "n" : password == nil ? "r" : "as given"
    let text = try ServerConsole.ask(
      "Password for creating queues (r: random, n: none, or the password itself)", given)
    switch text {
    case given: break
    case "r": answers.password = ServerPassword.random()
    case "n": answers.password = nil
    default:
      guard ServerPassword.isValid(text) else { throw SMPServerCommand.fail(ServerPassword.problem) }
      answers.password = text
    }
    guard try askWhether("Create the server", true) else { throw SMPServerCommand.fail("not initialized") }
  }

  private func askWhether(_ question: String, _ usual: Bool) throws -> Bool {
    try ServerConsole.ask(question, usual ? "y" : "n").lowercased().hasPrefix("y")
  }
}

/// The text of a new ini file.
struct INITemplate {
  var host: String
  var bindLine: String
  var port: String
  var password: String?
  var keepsQueues: Bool
  var logsStatistics: Bool
  var control: NewControlPort
  var information: String
  var proxy: String
  var webFolder: String?

  var text: String {
    """
    \(information)

    [STORE_LOG]
    # on: queues and messages are in a database; acknowledged operations survive a power failure.
    # off: they are in memory and lost when the server stops.
    enable = \(keepsQueues ? "on" : "off")
    expire_messages_days = 21
    expire_messages_on_start = on
    expire_messages_on_send = off
    expire_ntfs_hours = 24
    # Append a line of statistics every day.
    log_stats = \(logsStatistics ? "on" : "off")
    # Seconds between writing the metrics for Prometheus.
    # prometheus_interval = 60

    [AUTH]
    # off: creating queues is disabled.
    new_queues = on
    # Password for creating queues; part of the server's address.
    \(password.map { "create_password = \($0)" } ?? "# create_password =")
    \(control.passwordLines)
    # Limit of queues blocked per day; 0: no limit, -1: none may be blocked.
    # daily_block_queue_quota = 20

    [TRANSPORT]
    # Host names in the server's address.
    host = \(host)
    # The address to listen on (default: all addresses).
    \(bindLine)
    port = \(port)
    \(control.portLine)
    # Metrics for Prometheus: http://127.0.0.1:9224/metrics
    # metrics_port = 9224
    # Threads that serve connections (default: as many as processors, from 2 to 8).
    # threads = 2

    \(proxy)

    [INACTIVE_CLIENTS]
    # Idle connections without subscriptions are closed; times in seconds.
    disconnect = on
    ttl = 21600
    check_interval = 3600

    [WEB]
    # Pages for browsers: information about the server, and QR codes of contact links. One of the ports above serves them
    # beside clients (port = 5223,443), with a certificate that browsers accept:
    # https = 443
    # cert = /etc/opt/simplex/web.crt
    # key = /etc/opt/simplex/web.key
    # A folder into which they are written, for another web server:
    \(webFolder.map { "static_path = \($0)" } ?? "# static_path =")

    """
  }
}
