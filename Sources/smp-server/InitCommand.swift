import ArgumentParser
import SMPProtocol
import SMPServer
import SimplexCrypto
import SimplexTransport
import WireCodec

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes the identity, the certificates and the settings of a relay.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Initialize the server: certificates and settings.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask; use the options and their defaults.")
  var yes = false
  @Flag(name: [.customShort("l"), .long], help: "Keep queues and messages (the default).")
  var storeLog = false
  @Flag(name: .long, help: "Keep nothing when the server stops.")
  var disableStoreLog = false
  @Flag(name: [.customShort("s"), .long], help: "Write a line of statistics every day.")
  var dailyStats = false
  @Option(name: [.customShort("a"), .long], help: "Signature algorithm of the certificates: ED25519 or ED448.")
  var signAlgorithm: String = "ED25519"
  @Option(name: .long, help: "Address of the server; a loopback address is also the only one it listens on.")
  var ip: String = "127.0.0.1"
  @Option(name: [.customShort("n"), .long], help: "Host name of the server.")
  var fqdn: String?
  @Option(name: .long, help: "Ports to listen on, separated by commas.")
  var port: String = "5223"
  @Flag(name: .long, help: "Let anybody create queues.")
  var noPassword = false
  @Option(name: .long, help: "Password for creating queues; a random one if neither this nor --no-password is given.")
  var password: String?
  @Option(name: .long, help: "Open a control port, with random passwords; on port 5224 if it stands without a number.")
  var controlPort: UInt16?
  @OptionGroup(title: "Forwarding to other servers")
  var proxy: ProxyOptions
  @OptionGroup(title: "Information")
  var information: InformationOptions
  @Flag(name: .long, help: "Accepted and not needed: this server has no web pages.")
  var disableWeb = false
  @Option(name: .long, help: "Accepted and not used: this server has no web pages.")
  var webPath: String?

  func validate() throws {
    guard algorithm != nil else { throw ValidationError("--sign-algorithm has to be ED25519 or ED448") }
    guard !(noPassword && password != nil) else { throw ValidationError("--password with --no-password") }
    if let password, !Self.isPassword(password) { throw ValidationError(Self.badPassword) }
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
    guard try TextFile.read(folders.iniFile) == nil else {
      throw SMPServerCommand.fail("already initialized (\(folders.iniFile) exists); run: smp-server start")
    }
    var answers = Answers(
      host: fqdn ?? ip, keepsQueues: !disableStoreLog, logsStatistics: dailyStats, password: newPassword())
    if !yes { try ask(&answers, folders) }
    try makeFolder(folders.configuration)
    try makeFolder(folders.data)
    let host = answers.host
    try folders.certificates.create(commonName: host, algorithm: algorithm ?? .ed25519)
    let ini = INITemplate(
      host: host, bind: isLoopback ? ip : nil, port: port, password: answers.password,
      keepsQueues: answers.keepsQueues, logsStatistics: answers.logsStatistics,
      control: controlPort.map { ($0, random(), random()) },
      information: information.section, proxy: proxy.section)
    try TextFile.write(ini.text, to: folders.iniFile)
    let settings = try SMPServerCommand.settings()
    print("Server initialized; settings are in \(folders.iniFile)")
    print("Server address: \(settings.address(fingerprint: try folders.certificates.fingerprint()))")
    print("Keep \(folders.certificates.authorityKeyFile) in a safe place and delete it here:")
    print("whoever has it can take the server's place.")
  }

  /// What is asked for where `--yes` is not given.
  private struct Answers {
    var host: String
    var keepsQueues: Bool
    var logsStatistics: Bool
    var password: String?
  }

  private func ask(_ answers: inout Answers, _ folders: ServerFolders) throws {
    print("A new server in \(folders.configuration) and \(folders.data); Enter leaves what stands in brackets.")
    answers.host = try SMPServerCommand.ask("Host name or address", answers.host)
    answers.keepsQueues = try askWhether("Keep queues and messages when the server stops", answers.keepsQueues)
    answers.logsStatistics = try askWhether("Write a line of statistics every day", answers.logsStatistics)
    let given = answers.password == nil ? "n" : password == nil ? "r" : "the one given"
    let text = try SMPServerCommand.ask(
      "Password for creating queues: r for a random one, n for none, or itself", given)
    switch text {
    case given: break
    case "r": answers.password = random()
    case "n": answers.password = nil
    default:
      guard Self.isPassword(text) else { throw SMPServerCommand.fail(Self.badPassword) }
      answers.password = text
    }
    guard try askWhether("Make it", true) else { throw SMPServerCommand.fail("not initialized") }
  }

  private func askWhether(_ question: String, _ usual: Bool) throws -> Bool {
    try SMPServerCommand.ask(question, usual ? "y" : "n").lowercased().hasPrefix("y")
  }

  private static let badPassword = "the password has characters that it must not have (space, @, : and /)"

  private static func isPassword(_ text: String) -> Bool { !text.isEmpty && BasicAuth(Array(text.utf8)) != nil }

  private var isLoopback: Bool { ip.hasPrefix("127.") || ip == "::1" }

  private func newPassword() -> String? { noPassword ? nil : password ?? random() }

  private func random() -> String {
    var random = SystemRandom()
    return Base64URL.string(random.bytes(24))
  }

  private func makeFolder(_ path: String) throws {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw SMPServerCommand.fail("\(made): \(String(cString: strerror(errno)))")
      }
    }
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

  var text: String {
    """
    \(information)

    [STORE_LOG]
    # on: queues and messages are in a database; what clients were told is done survives a power failure.
    # off: they are in memory and gone when the server stops.
    enable = \(keepsQueues ? "on" : "off")
    expire_messages_days = 21
    expire_messages_on_start = on
    expire_messages_on_send = off
    expire_ntfs_hours = 24
    # A line of statistics every day.
    log_stats = \(logsStatistics ? "on" : "off")
    # Seconds between writing the metrics for Prometheus.
    # prometheus_interval = 60

    [AUTH]
    # off: nobody may create queues.
    new_queues = on
    # Password for creating queues; part of the server's address.
    \(password.map { "create_password = \($0)" } ?? "# create_password =")
    \(control.map { "control_port_admin_password = \($0.admin)" } ?? "# control_port_admin_password =")
    \(control.map { "control_port_user_password = \($0.user)" } ?? "# control_port_user_password =")
    # How many queues may be blocked per day; 0 for any number, -1 for none.
    # daily_block_queue_quota = 20

    [TRANSPORT]
    # Host names in the server's address.
    host = \(host)
    # The address to listen on; all addresses where it is not set.
    \(bind.map { "bind = \($0)" } ?? "# bind =")
    port = \(port)
    \(control.map { "control_port = \($0.port)" } ?? "# control_port = 5224")

    \(proxy)

    [INACTIVE_CLIENTS]
    # Connections without subscriptions and traffic are closed; times in seconds.
    disconnect = on
    ttl = 21600
    check_interval = 3600

    """
  }
}
