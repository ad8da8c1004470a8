import ArgumentParser
import FileAccess
import RelayCommands
import SimplexTransport
import XFTPProtocol

/// Creates the identity, the certificates and the settings of a relay.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Initialize the server: certificates and settings.")

  @Flag(name: [.customShort("y"), .long], help: "Accepted, as by smp-server; nothing is asked in any case.")
  var yes = false
  @Option(name: [.customShort("p"), .long], help: "Folder for files.")
  var path: String
  @Option(name: [.customShort("q"), .long], help: "Size of all files together, such as 100gb.")
  var quota: String
  @Flag(name: [.customShort("l"), .long], help: "Accepted for compatibility; no effect: files are always stored.")
  var storeLog = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: files are always stored.")
  var disableStoreLog = false
  @Option(name: [.customShort("a"), .long], help: "Signature algorithm of the certificates: ED25519 or ED448.")
  var signAlgorithm = CertificateKey.Algorithm.ed448
  @OptionGroup
  var place: HostOptions
  @Option(name: .long, help: "Port to listen on.")
  var port: UInt16 = 443
  @Option(name: .long, help: "Password for uploading files (default: none needed).")
  var password: String?
  @Option(
    name: .long,
    help: .init(
      "File with the password for uploading files in its first line; - for the standard input. All users of this machine can see --password.",
      valueName: "path"))
  var passwordFile: String?
  @Option(name: .long, help: "Open a control port with random passwords.")
  var controlPort: UInt16?
  @OptionGroup(title: "Information")
  var information: InformationOptions
  @Option(name: .long, help: "Folder for the pages of this server; browsers are shown its other files, too.")
  var webPath: String?

  func validate() throws {
    guard (try? FileSize.codec.decode(text: quota)) != nil else {
      throw ValidationError("--quota must be a size such as 100gb")
    }
    if let password, !ServerPassword.isValid(password) { throw ValidationError(ServerPassword.problem) }
    guard password == nil || passwordFile == nil else {
      throw ValidationError("--password and --password-file exclude each other")
    }
  }

  func run() throws {
    try XFTPServerCommand.requireNotInitialized()
    try XFTPServerCommand.initialize(
      host: place.host, isLoopback: place.isLoopback(host: place.host), algorithm: signAlgorithm,
      ini: text(password ?? ServerPassword.read(from: passwordFile)))
  }

  /// The text of the ini file.
  private func text(_ password: String?) -> String {
    let control = NewControlPort(controlPort, usualPort: 5226)
    return """
      \(information.section)

      [STORE_LOG]
      # Files are deleted after this time.
      expire_files_hours = 48
      # A line of statistics every day.
      log_stats = off
      # Seconds between writing figures for Prometheus.
      # prometheus_interval = 60

      [AUTH]
      # off: no new files are accepted; those that are here can still be downloaded.
      new_files = on
      # The password for uploading files; clients use the address with :PASSWORD before the @.
      \(password.map { "create_password = \($0)" } ?? "# create_password =")
      \(control.passwordLines)

      [TRANSPORT]
      # Host names in the server's address.
      host = \(place.host)
      # The address to listen on (default: all addresses).
      \(place.bindLine(host: place.host))
      port = \(port)
      log_tls_errors = off
      \(control.portLine)
      # Metrics for Prometheus: http://127.0.0.1:9226/metrics
      # metrics_port = 9226

      [FILES]
      path = \(Self.fromRoot(path))
      storage_quota = \(quota)

      [INACTIVE_CLIENTS]
      # Connections without traffic are closed; times in seconds.
      disconnect = off
      # ttl = 21600
      # check_interval = 3600

      [WEB]
      # The certificate for browsers, which upload and download through the same port, and are shown pages about it.
      # cert = \(XFTPServerCommand.folders.configuration)/web.crt
      # key = \(XFTPServerCommand.folders.configuration)/web.key
      # A folder into which the pages are written; browsers are shown its other files, too.
      \(webPath.map { "static_path = \(Self.fromRoot($0))" } ?? "# static_path =")

      """
  }

  /// A path that means the same wherever the server is started.
  private static func fromRoot(_ path: String) -> String { path.hasPrefix("/") ? path : RealPath(path).text }
}
