import ArgumentParser
import FileAccess
import RelayCommands
import SimplexTransport

/// Creates the identity, the certificates and the settings of a server.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Initialize the server: certificates and settings.")

  @Flag(name: [.customShort("y"), .long], help: "Accepted, as by smp-server; nothing is asked in any case.")
  var yes = false
  @Flag(name: [.customShort("l"), .long], help: "Accepted for compatibility; no effect: everything is always stored.")
  var storeLog = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: everything is always stored.")
  var disableStoreLog = false
  @Option(name: [.customShort("a"), .long], help: "Signature algorithm of the certificates: ED25519 or ED448.")
  var signAlgorithm = CertificateKey.Algorithm.ed448
  @OptionGroup
  var place: HostOptions
  @Option(name: .long, help: "Port to listen on.")
  var port: UInt16 = 443
  @Option(name: .long, help: "Open a control port with random passwords.")
  var controlPort: UInt16?
  @OptionGroup(title: "Information")
  var information: InformationOptions
  @Option(name: .long, help: "Identifier of the app that pushes are for.")
  var topic: String?
  @Option(name: .long, help: "Identifier of the team that owns the app at Apple.")
  var teamID: String?
  @Option(name: .long, help: "Identifier of the team's key for Apple's push service.")
  var keyID: String?
  @Option(name: .long, help: .init("File with this key (PEM, .p8).", valueName: "path"))
  var keyFile: String?

  func run() throws {
    try NtfServerCommand.requireNotInitialized()
    try NtfServerCommand.initialize(
      host: place.host, isLoopback: place.isLoopback(host: place.host), algorithm: signAlgorithm, ini: text)
  }

  private func line(_ name: String, _ value: String?, example: String) -> String {
    value.map { "\(name) = \($0)" } ?? "# \(name) = \(example)"
  }

  /// The text of the ini file.
  private var text: String {
    let control = NewControlPort(controlPort, usualPort: 5227)
    let keyFile = keyFile.map { $0.hasPrefix("/") ? $0 : RealPath($0).text }
    return """
      \(information.section)

      [STORE_LOG]
      # A line of statistics every day.
      log_stats = off
      # Seconds between writing figures for Prometheus.
      # prometheus_interval = 60

      [AUTH]
      \(control.passwordLines)

      [TRANSPORT]
      # Host names in the server's address.
      host = \(place.host)
      # The address to listen on (default: all addresses).
      \(place.bindLine(host: place.host))
      port = \(port)
      log_tls_errors = off
      \(control.portLine)
      # Metrics for Prometheus: http://127.0.0.1:9227/metrics
      # metrics_port = 9227

      [APNS]
      # The app, and the key of its owner for Apple's push service. Without a key no pushes are sent. The variables
      # APNS_TOPIC, APNS_TEAM_ID, APNS_KEY_ID and APNS_KEY_FILE of the environment have precedence.
      \(line("topic", topic, example: "chat.simplex.app"))
      \(line("team_id", teamID, example: "ABCDE12345"))
      \(line("key_id", keyID, example: "ABCDE12345"))
      \(line("key_file", keyFile, example: "/etc/opt/simplex-notifications/AuthKey.p8"))
      # host = api.push.apple.com
      # sandbox_host = api.sandbox.push.apple.com
      # A service in place of Apple's for devices of tests (apns_test), and the authorities of its certificate.
      # test_host = localhost:2197
      # ca_file = ca.pem
      # The bytes of text in a push; Apple accepts bodies of 4,096 bytes.
      # padding = 2880
      # Notifications that arrive within this time after a push, in milliseconds, become one push.
      # collecting_time = 300
      # connections = 2

      [SUBSCRIBER]
      # Hosts of relays: public or onion.
      # host_mode = public
      # required_host_mode = off
      # socks_proxy = 127.0.0.1:9050
      # socks_mode = onion
      # Domains of relays that are counted as your own, with spaces between them.
      # own_server_domains =
      # Clients name the relays. on: also those at private addresses are connected to.
      # private_addresses = off

      [LIMITS]
      # subscriptions_per_token = 100000
      # relays_per_token = 50

      [INACTIVE_CLIENTS]
      # Connections without traffic are closed; times in seconds.
      disconnect = off
      # ttl = 43200
      # check_interval = 3600

      """
  }
}
