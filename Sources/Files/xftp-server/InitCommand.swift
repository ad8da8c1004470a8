import ArgumentParser
import FileAccess
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPProtocol
import XFTPServer

/// Creates the identity, the certificates and the settings of a relay.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Initialize the server: certificates and settings.")

  @Option(name: [.customShort("p"), .long], help: "Folder for files.")
  var path: String
  @Option(name: [.customShort("q"), .long], help: "Size of all files together, such as 100gb.")
  var quota: String
  @Flag(name: [.customShort("l"), .long], help: "Accepted for compatibility; no effect: files are always stored.")
  var storeLog = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: files are always stored.")
  var disableStoreLog = false
  @Option(name: [.customShort("a"), .long], help: "Signature algorithm of the certificates: ED25519 or ED448.")
  var signAlgorithm: String = "ED448"
  @Option(name: .long, help: "Address of the server; a loopback address is also the address to listen on.")
  var ip: String = "127.0.0.1"
  @Option(name: [.customShort("n"), .long], help: "Host name of the server.")
  var fqdn: String?
  @Option(name: .long, help: "Port to listen on.")
  var port: UInt16 = 443
  @Option(name: .long, help: "Password for uploading files (default: none needed).")
  var password: String?
  @Option(name: .long, help: "Open a control port with random passwords.")
  var controlPort: UInt16?
  @Option(name: .long, help: "Folder for the pages of this server; browsers are shown its other files, too.")
  var webPath: String?

  func validate() throws {
    guard algorithm != nil else { throw ValidationError("--sign-algorithm must be ED25519 or ED448") }
    guard (try? FileSize.codec.decode(text: quota)) != nil else {
      throw ValidationError("--quota must be a size such as 100gb")
    }
    guard IPv4Address(ip) != nil || IPv6Address(ip[...]) != nil else {
      throw ValidationError("--ip: \(ip) is not an IP address")
    }
    if let password, password.isEmpty || BasicAuth(Array(password.utf8)) == nil {
      throw ValidationError("the password contains invalid characters (space, @, : and / are not allowed)")
    }
  }

  private var algorithm: CertificateKey.Algorithm? { CertificateKey.Algorithm(rawValue: signAlgorithm.uppercased()) }

  func run() throws {
    let folders = XFTPServerCommand.folders
    guard try WholeFile.text(folders.iniFile) == nil else {
      throw XFTPServerCommand.fail("already initialized (\(folders.iniFile) exists); run: xftp-server start")
    }
    let settings: FileServerSettings
    do {
      try Folder.create(folders.configuration)
      try Folder.create(folders.data)
      try folders.certificates.create(commonName: fqdn ?? ip, algorithm: algorithm ?? .ed448)
      // Whatever is refused leaves no settings behind: init can be repeated.
      settings = try FileServerSettings(ServerINI(text), folders)
      try WholeFile.replace(folders.iniFile, with: text.utf8)
    } catch {
      throw XFTPServerCommand.fail("not initialized: \(error)")
    }
    print("Server initialized; settings are in \(folders.iniFile)")
    print("Server address: \(settings.address(fingerprint: try folders.certificates.fingerprint()))")
    print("Move \(folders.certificates.authorityKeyFile) to a safe place:")
    print("anyone who has it can impersonate the server.")
    print("Start the server with: xftp-server start")
  }

  private var isLoopback: Bool { ip.hasPrefix("127.") || ip == "::1" }

  private func random() -> String {
    var random = SystemRandom()
    return Base64URL.string(random.bytes(24))
  }

  /// The text of the ini file.
  private var text: String {
    """
    [INFORMATION]
    # Where the source code of this server is, if it was changed (the AGPL asks for it).
    # source_code = URI
    # All that follows is optional; it is printed when the server starts.
    # server_country = code of two letters
    # operator = person or organization
    # operator_country = code of two letters
    # website = URI
    # admin_simplex, admin_email = contacts of the administrators
    # complaints_simplex, complaints_email = contacts for complaints
    # hosting = provider
    # hosting_country = code of two letters
    # hosting_type = virtual, dedicated, colocation or owned

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
    \(controlPort == nil ? "# control_port_admin_password =" : "control_port_admin_password = \(random())")
    \(controlPort == nil ? "# control_port_user_password =" : "control_port_user_password = \(random())")

    [TRANSPORT]
    # Host names in the server's address.
    host = \(fqdn ?? ip)
    # The address to listen on (default: all addresses).
    \(isLoopback ? "bind = \(ip)" : "# bind =")
    port = \(port)
    log_tls_errors = off
    \(controlPort.map { "control_port = \($0)" } ?? "# control_port = 5226")

    [FILES]
    path = \(path)
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
    \(webPath.map { "static_path = \($0)" } ?? "# static_path =")

    """
  }
}
