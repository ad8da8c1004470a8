import RelayChassis
import SMPProtocol
import SimplexTransport
import WireCodec
import XFTPProtocol

/// The settings of an ini file: the relay's configuration, and its services.
public struct FileServerSettings: Sendable {
  /// The configuration of the relay.
  public var server: XFTPServerConfiguration
  /// The host names in the relay's address.
  public var hosts: [String]
  /// The folder for chunks.
  public var filesFolder: String
  /// The bytes that all chunks may have together; nil for any number.
  public var quota: Int64?
  /// Whether a line of statistics is written every day.
  public var logsStatistics: Bool
  /// Seconds between writing the metrics file; nil for never.
  public var metricsInterval: Int64?
  /// The port of the control port on the loopback interface; nil for none.
  public var controlPort: Int?
  /// The password for all commands of the control port.
  public var adminPassword: BasicAuth?
  /// The password for deleting and blocking files on the control port.
  public var userPassword: BasicAuth?
  /// The information about the relay, its operator, and its source code.
  public var information: ServerInformation
  /// Whether failed TLS handshakes are logged.
  public var logsTLSErrors: Bool
  /// Settings that this relay ignores, a sentence each.
  public var warnings: [String]

  /// Reads settings and certificates.
  public init(_ ini: ServerINI, _ folders: FileServerFolders) throws(RelayError) {
    let credential: TLSCredential
    do { credential = try folders.certificates.credential() } catch {
      throw .file(
        "the certificates in \(folders.configuration) cannot be read (\(error)); xftp-server cert renews them")
    }
    let port = try ini.number("TRANSPORT", "port", default: 443, in: 0...65_535)
    server = XFTPServerConfiguration(host: ini.text("TRANSPORT", "bind"), port: Int(port), credential: credential)
    server.webCredential = try Self.webCredential(ini)
    hosts = (ini.text("TRANSPORT", "host") ?? "<hostnames>").split(separator: ",").map {
      String($0.drop { $0 == " " }.prefix { $0 != " " })
    }
    guard let folder = ini.text("FILES", "path"), !folder.isEmpty else {
      throw .configuration("[FILES] path, the folder for files, is not set")
    }
    filesFolder = folder
    quota = try Self.quota(ini)
    server.allowsNewFiles = try ini.isOn("AUTH", "new_files", default: true)
    server.basicAuth = try Self.password(ini, "create_password")
    let hours = try ini.number(
      "STORE_LOG", "expire_files_hours", default: ChunkLifetime.seconds / 3600, in: 0...1_000_000)
    server.fileTTL = hours * 3600
    server.inactivity = try Self.inactivity(ini)
    logsStatistics = try ini.isOn("STORE_LOG", "log_stats", default: false)
    let interval = try ini.number("STORE_LOG", "prometheus_interval", default: 0, in: 0...Self.longestTime)
    metricsInterval = interval > 0 ? interval : nil
    let control = try ini.number("TRANSPORT", "control_port", default: 0, in: 0...65_535)
    controlPort = control > 0 ? Int(control) : nil
    adminPassword = try Self.password(ini, "control_port_admin_password")
    userPassword = try Self.password(ini, "control_port_user_password")
    information = try ServerInformation(ini)
    logsTLSErrors = try ini.isOn("TRANSPORT", "log_tls_errors", default: false)
    warnings = try Self.warnings(ini)
  }

  /// The maximum of settings in seconds: 30 years.
  private static let longestTime = Int64(1_000_000_000)

  private static func quota(_ ini: ServerINI) throws(RelayError) -> Int64? {
    guard let text = ini.text("FILES", "storage_quota") else { return nil }
    guard let quota = try? FileSize.codec.decode(text: text) else {
      throw .configuration("[FILES] storage_quota is \(text), not a size such as 100gb")
    }
    return quota
  }

  private static func password(_ ini: ServerINI, _ key: String) throws(RelayError) -> BasicAuth? {
    guard let text = ini.text("AUTH", key) else { return nil }
    guard !text.isEmpty, let password = BasicAuth(Array(text.utf8)) else {
      throw .configuration("[AUTH] \(key) has characters that a password must not have")
    }
    return password
  }

  private static func inactivity(_ ini: ServerINI) throws(RelayError) -> (ttl: Duration, interval: Duration)? {
    guard try ini.isOn("INACTIVE_CLIENTS", "disconnect", default: false) else { return nil }
    let ttl = try ini.number("INACTIVE_CLIENTS", "ttl", default: 21_600, in: 1...longestTime)
    let interval = try ini.number("INACTIVE_CLIENTS", "check_interval", default: 3_600, in: 1...longestTime)
    return (.seconds(ttl), .seconds(interval))
  }

  private static func webCredential(_ ini: ServerINI) throws(RelayError) -> TLSCredential? {
    guard let chain = ini.text("WEB", "cert"), let key = ini.text("WEB", "key") else { return nil }
    do { return try TLSCredential(chainFiles: [chain], keyFile: key) } catch {
      throw .file("[WEB] cert and key cannot be used: \(error)")
    }
  }

  /// The address that clients use: `xftp://fingerprint[:password]@host[,host][:port]`.
  ///
  /// - Parameter port: The port that is bound, where the system chose it.
  public func address(fingerprint: [UInt8], showsPassword: Bool = true, port bound: Int? = nil) -> String {
    let text = showsPassword ? server.basicAuth.map { ":" + String(decoding: $0.bytes, as: UTF8.self) } : nil
    let port = bound ?? server.port
    return "xftp://\(Base64URL.string(fingerprint))\(text ?? "")@\(hosts.joined(separator: ","))"
      + (port == 443 ? "" : ":\(port)")
  }
}

extension FileServerSettings {
  /// The settings that are read.
  private static let known: [String: Set<String>] = [
    "INFORMATION": Set(ServerInformation.names),
    "STORE_LOG": ["enable", "expire_files_hours", "log_stats", "prometheus_interval"],
    "AUTH": ["new_files", "create_password", "control_port_admin_password", "control_port_user_password"],
    "TRANSPORT": ["host", "bind", "port", "control_port", "log_tls_errors"],
    "FILES": ["path", "storage_quota"],
    "INACTIVE_CLIENTS": ["disconnect", "ttl", "check_interval"],
    "WEB": ["cert", "key"],
  ]

  /// The settings in the file that have no effect.
  private static func warnings(_ ini: ServerINI) throws(RelayError) -> [String] {
    var warnings: [String] = []
    if try !ini.isOn("STORE_LOG", "enable", default: true) {
      warnings.append("[STORE_LOG] enable = off has no effect: files and what is known about them are always stored")
    }
    for (section, key) in ini.names where known[section]?.contains(key) != true {
      switch (section, key, ini.text(section, key)) {
      case ("STORE_LOG", "store_files", "memory"), ("STORE_LOG", "db_store_log", "off"): break
      case ("STORE_LOG", _, _) where key == "store_files" || key.hasPrefix("db_"):
        warnings.append("[STORE_LOG] \(key) has no effect: what is known about files is kept in SQLite")
      case ("WEB", _, _): warnings.append("[WEB] \(key) has no effect: this server has no web pages")
      default: warnings.append("[\(section)] \(key) is unknown and has no effect")
      }
    }
    return warnings + ini.repeated.map { "[\($0.section)] \($0.key) is set twice; the first value counts" }
  }
}
