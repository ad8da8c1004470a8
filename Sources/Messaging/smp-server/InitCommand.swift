import ArgumentParser
import FileAccess
import SMPProtocol
import SMPServer
import SimplexCrypto
import SimplexTransport
import WireCodec

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
  var signAlgorithm: String = "ED25519"
  @Option(name: .long, help: "Address of the server; a loopback address is also the address to listen on.")
  var ip: String = "127.0.0.1"
  @Option(name: [.customShort("n"), .long], help: "Host name of the server.")
  var fqdn: String?
  @Option(name: .long, help: "Ports to listen on, separated by commas.")
  var port: String = "5223"
  @Flag(name: .long, help: "Allow creating queues without a password.")
  var noPassword = false
  @Option(name: .long, help: "Password for creating queues (default: a random one).")
  var password: String?
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
    guard algorithm != nil else { throw ValidationError("--sign-algorithm must be ED25519 or ED448") }
    guard !(noPassword && password != nil) else {
      throw ValidationError("--password and --no-password exclude each other")
    }
    if let password, !Self.isPassword(password) { throw ValidationError(Self.badPassword) }
    let ports = port.split(separator: ",", omittingEmptySubsequences: false).map { UInt16($0) }
    guard !ports.isEmpty, !ports.contains(nil) else {
      throw ValidationError("--port must be numbers from 0 to 65535, separated by commas")
    }
    guard IPv4Address(ip) != nil || IPv6Address(ip[...]) != nil else {
      throw ValidationError("--ip: \(ip) is not an IP address")
    }
    if let fqdn,
      let host = fqdn.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        .first(where: { !ServerSettings.isHost($0) })
    {
      throw ValidationError("--fqdn: \(host.isEmpty ? "an empty name" : host) is not a host name")
    }
  }

  private var algorithm: CertificateKey.Algorithm? {
    switch signAlgorithm.uppercased() {
    case "ED25519": .ed25519
    case "ED448": .ed448
    default: nil
    }
  }

  func run() async throws {
    let folders = SMPServerCommand.folders
    guard try WholeFile.text(folders.iniFile) == nil else {
      throw SMPServerCommand.fail("already initialized (\(folders.iniFile) exists); run: smp-server start")
    }
    var answers = Answers(
      host: fqdn ?? ip, keepsQueues: !disableStoreLog, logsStatistics: dailyStats, password: newPassword())
    if !yes { try ask(&answers, folders) }
    let host = answers.host
    let ini = INITemplate(
      host: host, bind: isLoopback ? ip : nil, port: port, password: answers.password,
      keepsQueues: answers.keepsQueues, logsStatistics: answers.logsStatistics,
      control: controlPort.map { ($0, random(), random()) },
      information: information.section, proxy: proxy.section(isLoopback: isLoopback), webFolder: webPath)
    let settings: ServerSettings
    do {
      try Folder.create(folders.configuration)
      try Folder.create(folders.data)
      try folders.certificates.create(commonName: host, algorithm: algorithm ?? .ed25519)
      // Whatever is refused leaves no settings behind: init can be repeated.
      settings = try ServerSettings(ServerINI(ini.text), folders)
      try WholeFile.replace(folders.iniFile, with: ini.text.utf8)
    } catch {
      throw SMPServerCommand.fail("not initialized: \(error)")
    }
    print("Server initialized; settings are in \(folders.iniFile)")
    print("Server address: \(settings.address(fingerprint: try folders.certificates.fingerprint()))")
    print("Move \(folders.certificates.authorityKeyFile) to a safe place:")
    print("anyone who has it can impersonate the server.")
    print("Start the server with: smp-server start")
  }

  /// The answers to the questions that are asked without `--yes`.
  private struct Answers {
    var host: String
    var keepsQueues: Bool
    var logsStatistics: Bool
    var password: String?
  }

  private func ask(_ answers: inout Answers, _ folders: ServerFolders) throws {
    print("A new server in \(folders.configuration) and \(folders.data); press Enter to accept the value in brackets.")
    answers.host = try SMPServerCommand.ask("Host name or address", answers.host)
    guard answers.host.split(separator: ",").allSatisfy({ ServerSettings.isHost(String($0)) }) else {
      throw SMPServerCommand.fail("not initialized: \(answers.host) is not a host name or an IP address")
    }
    answers.keepsQueues = try askWhether("Keep queues and messages when the server stops", answers.keepsQueues)
    answers.logsStatistics = try askWhether("Write a line of statistics every day", answers.logsStatistics)
    let given = answers.password == nil ? "n" : password == nil ? "r" : "as given"
    let text = try SMPServerCommand.ask(
      "Password for creating queues (r: random, n: none, or the password itself)", given)
    switch text {
    case given: break
    case "r": answers.password = random()
    case "n": answers.password = nil
    default:
      guard Self.isPassword(text) else { throw SMPServerCommand.fail(Self.badPassword) }
      answers.password = text
    }
    guard try askWhether("Create the server", true) else { throw SMPServerCommand.fail("not initialized") }
  }

  private func askWhether(_ question: String, _ usual: Bool) throws -> Bool {
    try SMPServerCommand.ask(question, usual ? "y" : "n").lowercased().hasPrefix("y")
  }

  private static let badPassword = "the password contains invalid characters (space, @, : and / are not allowed)"

  private static func isPassword(_ text: String) -> Bool { !text.isEmpty && BasicAuth(Array(text.utf8)) != nil }

  private var isLoopback: Bool { ip.hasPrefix("127.") || ip == "::1" }

  private func newPassword() -> String? { noPassword ? nil : password ?? random() }

  private func random() -> String {
    var random = SystemRandom()
    return Base64URL.string(random.bytes(24))
  }
}

/// The text of a new ini file.
struct INITemplate {
  var host: String
  var bind: String?
  var port: String
  var password: String?
  var keepsQueues: Bool
  var logsStatistics: Bool
  var control: (port: UInt16, admin: String, user: String)?
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
    \(control.map { "control_port_admin_password = \($0.admin)" } ?? "# control_port_admin_password =")
    \(control.map { "control_port_user_password = \($0.user)" } ?? "# control_port_user_password =")
    # Limit of queues blocked per day; 0: no limit, -1: none may be blocked.
    # daily_block_queue_quota = 20

    [TRANSPORT]
    # Host names in the server's address.
    host = \(host)
    # The address to listen on (default: all addresses).
    \(bind.map { "bind = \($0)" } ?? "# bind =")
    port = \(port)
    \(control.map { "control_port = \($0.port)" } ?? "# control_port = 5224")

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
