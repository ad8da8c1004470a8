import SMPProtocol
import SimplexTransport
import WireCodec

/// The settings of an ini file: the relay's configuration, and its services.
public struct ServerSettings: Sendable {
  /// The configuration of the relay.
  public var server: SMPServerConfiguration
  /// The host names in the relay's address.
  public var hosts: [String]
  /// Whether queues are kept in the database; otherwise they are in memory.
  public var keepsQueues: Bool
  /// Whether a line of statistics is written every day.
  public var logsStatistics: Bool
  /// Seconds between writing the metrics file; nil for never.
  public var metricsInterval: Int64?
  /// The port of the control port on the loopback interface; nil for none.
  public var controlPort: Int?
  /// The password for all commands of the control port.
  public var adminPassword: BasicAuth?
  /// The password for the commands of the control port that change nothing except blocking.
  public var userPassword: BasicAuth?
  /// The information about the relay, its operator, and its source code.
  public var information: ServerInformation
  /// The number of queues that may be blocked per day; 0 for any number, -1 for none.
  public var dailyBlockQuota: Int64
  /// Whether failed TLS handshakes are logged.
  public var logsTLSErrors: Bool
  /// The folder into which the pages for browsers are written; nil for none.
  public var webFolder: String?
  /// Why they could not be written.
  var pagesProblem: String?
  /// The port on which browsers are to be served; nil for none. It is fixed when the relay starts.
  let webPort: Int?
  /// The certificate for them, as the files have it.
  let webCertificate: Result<TLSCredential, WebSettings.Problem>
  /// Settings that this relay ignores, a sentence each.
  public var ignored: [String]
  /// The file that the settings are from.
  var ini: ServerINI
  /// The file that the relay was started with.
  let startINI: ServerINI

  /// Reads settings and certificates.
  public init(_ ini: ServerINI, _ folders: ServerFolders) throws(SMPServerError) {
    let credential: TLSCredential
    do { credential = try folders.certificates.credential() } catch {
      throw .file("the certificates in \(folders.configuration) cannot be read (\(error)); smp-server cert renews them")
    }
    let ports = (ini.text("TRANSPORT", "port") ?? "5223").split(separator: ",").map {
      Int($0.split(separator: " ").joined()) ?? -1
    }
    guard !ports.isEmpty, ports.allSatisfy({ 0...65_535 ~= $0 }) else {
      throw .configuration("[TRANSPORT] port must be numbers from 0 to 65535, separated by commas")
    }
    server = SMPServerConfiguration(host: ini.text("TRANSPORT", "bind"), ports: ports, credential: credential)
    let names = ini.text("TRANSPORT", "host")
    hosts = (names ?? "<hostnames>").split(separator: ",").map {
      String($0.drop { $0 == " " }.prefix { $0 != " " })
    }
    if names != nil, let host = hosts.first(where: { !Self.isHost($0) }) {
      throw .configuration("[TRANSPORT] host is \(host), not a host name or an IP address")
    }
    server.acceptsServices = try ini.isOn("TRANSPORT", "accept_service_credentials", default: true)
    server.allowsNewQueues = try ini.isOn("AUTH", "new_queues", default: true)
    server.basicAuth = try Self.password(ini, "create_password")
    server.proxy = try ProxyConfiguration(ini)
    server.messageTTL = try ini.number("STORE_LOG", "expire_messages_days", default: 21, in: 0...100_000) * 86_400
    server.expiresMessagesOnStart = try ini.isOn("STORE_LOG", "expire_messages_on_start", default: true)
    server.expiresMessagesOnSend = try ini.isOn("STORE_LOG", "expire_messages_on_send", default: true)
    server.notificationTTL = try ini.number("STORE_LOG", "expire_ntfs_hours", default: 24, in: 0...1_000_000) * 3_600
    server.inactivity = try Self.inactivity(ini)
    keepsQueues = try ini.isOn("STORE_LOG", "enable", default: true)
    server.notificationsFile = keepsQueues ? folders.notificationsFile : nil
    logsStatistics = try ini.isOn("STORE_LOG", "log_stats", default: false)
    let interval = try ini.number("STORE_LOG", "prometheus_interval", default: 0, in: 0...Self.longestTime)
    metricsInterval = interval > 0 ? interval : nil
    let port = try ini.number("TRANSPORT", "control_port", default: 0, in: 0...65_535)
    controlPort = port > 0 ? Int(port) : nil
    adminPassword = try Self.password(ini, "control_port_admin_password")
    userPassword = try Self.password(ini, "control_port_user_password")
    information = try ServerInformation(ini)
    dailyBlockQuota = try ini.number("AUTH", "daily_block_queue_quota", default: 20, in: -1...Int64(Int32.max))
    logsTLSErrors = try ini.isOn("TRANSPORT", "log_tls_errors", default: false)
    let web = try WebSettings(ini, ports: ports)
    webFolder = web.folder
    webPort = web.port
    webCertificate = web.credential
    ignored = Self.ignored(ini) + web.warnings
    self.ini = ini
    startINI = ini
    if let webPort, case .success(let credential) = webCertificate {
      server.web = .init(port: webPort, credential: credential, site: site)
    }
  }

  /// What the operator is told when the relay starts: the ignored settings, and why browsers are not served although
  /// they are to be.
  public var warnings: [String] {
    guard webPort != nil, case .failure(let problem) = webCertificate else { return ignored }
    return ignored + ["[WEB] https has no effect: \(problem.text)"]
  }

  /// Whether a text is a host name, or an IP address.
  public static func isHost(_ text: String) -> Bool {
    if IPv4Address(text) != nil || IPv6Address(text[...]) != nil { return true }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    // Numbers alone are an IP address that is none.
    guard text.utf8.count <= 253, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }
  }

  /// The maximum of settings in seconds: 30 years.
  private static let longestTime = Int64(1_000_000_000)

  private static func password(_ ini: ServerINI, _ key: String) throws(SMPServerError) -> BasicAuth? {
    guard let text = ini.text("AUTH", key) else { return nil }
    guard !text.isEmpty, let password = BasicAuth(Array(text.utf8)) else {
      throw .configuration("[AUTH] \(key) has characters that a password must not have")
    }
    return password
  }

  private static func inactivity(_ ini: ServerINI) throws(SMPServerError) -> SMPServerConfiguration.Inactivity? {
    // As in the reference server, idle connections are kept by default.
    guard try ini.isOn("INACTIVE_CLIENTS", "disconnect", default: false) else { return nil }
    return SMPServerConfiguration.Inactivity(
      ttl: try ini.number("INACTIVE_CLIENTS", "ttl", default: 21_600, in: 1...longestTime),
      checkInterval: try ini.number("INACTIVE_CLIENTS", "check_interval", default: 3_600, in: 1...longestTime))
  }

  /// The address that clients use: `smp://fingerprint[:password]@host[,host][:port]`.
  ///
  /// - Parameter port: The port that is bound, where the system chose it.
  public func address(fingerprint: [UInt8], showsPassword: Bool = true, port bound: Int? = nil) -> String {
    let text = showsPassword ? server.basicAuth.map { ":" + String(decoding: $0.bytes, as: UTF8.self) } : nil
    let password = text ?? ""
    let port = (bound ?? server.ports.first).map { $0 == 5223 ? "" : ":\($0)" } ?? ""
    return "smp://\(Base64URL.string(fingerprint))\(password)@\(hosts.joined(separator: ","))\(port)"
  }
}
