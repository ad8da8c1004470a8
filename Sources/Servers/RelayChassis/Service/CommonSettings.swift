import SMPProtocol
import SimplexTransport
import WireCodec

/// The settings that every relay has, from its ini file.
public struct CommonSettings: Sendable {
  /// The host names in the relay's address.
  public var hosts: [String]
  /// The address to listen on; nil for all.
  public var bind: String?
  /// The password for creating something; nil where none is needed.
  public var createPassword: BasicAuth?
  /// Whether a line of statistics is written every day.
  public var logsStatistics: Bool
  /// Seconds between writing the metrics file; nil for never.
  public var metricsInterval: Int64?
  /// The port of the control port on the loopback interface; nil for none.
  public var controlPort: Int?
  /// The port on the loopback interface on which the metrics are served; nil for none.
  public var metricsPort: Int?
  /// The password for all commands of the control port.
  public var adminPassword: BasicAuth?
  /// The password for the commands of the control port that change little.
  public var userPassword: BasicAuth?
  /// The information about the relay, its operator, and its source code.
  public var information: ServerInformation
  /// Whether failed TLS handshakes are logged.
  public var logsTLSErrors: Bool
  /// Seconds without traffic after which connections are closed, and seconds between checks; nil for never.
  public var inactivity: (ttl: Int64, interval: Int64)?

  /// The share of the connections that one address may have.
  public var share: ConnectionShare

  /// The maximum of settings in seconds: 30 years.
  public static let longestTime = Int64(1_000_000_000)

  /// Their sections and names.
  public static let names: [String: Set<String>] = [
    "INFORMATION": Set(ServerInformation.names),
    "STORE_LOG": ["log_stats", "prometheus_interval"],
    "AUTH": ["create_password", "control_port_admin_password", "control_port_user_password"],
    "TRANSPORT": [
      "host", "bind", "port", "control_port", "metrics_port", "log_tls_errors", "connections_per_address",
      "trusted_proxies",
    ],
    "INACTIVE_CLIENTS": ["disconnect", "ttl", "check_interval"],
    "WEB": WebSettings.names,
  ]

  /// Reads them.
  ///
  /// - Throws: Where a setting has a value that it cannot have.
  public init(_ ini: ServerINI) throws(RelayError) {
    hosts = (ini.text("TRANSPORT", "host") ?? "<hostnames>").split(separator: ",").map {
      String($0.drop { $0 == " " }.prefix { $0 != " " })
    }
    bind = ini.text("TRANSPORT", "bind")
    createPassword = try Self.password(ini, "create_password")
    logsStatistics = try ini.isOn("STORE_LOG", "log_stats", default: false)
    let seconds = try ini.number("STORE_LOG", "prometheus_interval", default: 0, in: 0...Self.longestTime)
    metricsInterval = seconds > 0 ? seconds : nil
    let port = try ini.number("TRANSPORT", "control_port", default: 0, in: 0...65_535)
    controlPort = port > 0 ? Int(port) : nil
    let metrics = try ini.number("TRANSPORT", "metrics_port", default: 0, in: 0...65_535)
    metricsPort = metrics > 0 ? Int(metrics) : nil
    adminPassword = try Self.password(ini, "control_port_admin_password")
    userPassword = try Self.password(ini, "control_port_user_password")
    information = try ServerInformation(ini)
    share = try Self.share(ini)
    logsTLSErrors = try ini.isOn("TRANSPORT", "log_tls_errors", default: false)
    // As in the reference servers, idle connections are kept by default.
    if try ini.isOn("INACTIVE_CLIENTS", "disconnect", default: false) {
      inactivity = (
        ttl: try ini.number("INACTIVE_CLIENTS", "ttl", default: 21_600, in: 1...Self.longestTime),
        interval: try ini.number("INACTIVE_CLIENTS", "check_interval", default: 3_600, in: 1...Self.longestTime)
      )
    }
  }

  /// The address that clients use: `scheme://fingerprint[:password]@host[,host][:port]`, without the usual port.
  public func address(
    _ scheme: String, fingerprint: [UInt8], showsPassword: Bool, port: Int?, usualPort: Int
  ) -> String {
    let text = showsPassword ? createPassword.map { ":" + String(decoding: $0.bytes, as: UTF8.self) } : nil
    let suffix = port.map { $0 == usualPort ? "" : ":\($0)" } ?? ""
    // Before a port, IPv6 addresses need brackets.
    let hosts = suffix.isEmpty ? hosts : hosts.map { IPv6Address($0[...]) == nil ? $0 : "[\($0)]" }
    return "\(scheme)://\(Base64URL.string(fingerprint))\(text ?? "")@\(hosts.joined(separator: ","))\(suffix)"
  }

  /// The services beside the relay, as lines of the log, with the ports that are bound.
  public func summary(of folders: some RelayFolders, _ services: RelayServices) -> [String] {
    let metrics =
      [
        metricsInterval.map { "\(folders.metricsFile), every \($0) seconds" },
        services.metricsPort.map { "http://127.0.0.1:\($0)/metrics" },
      ].compactMap { $0 }
    return [
      "Daily statistics: \(logsStatistics ? folders.statisticsFile : "off")",
      "Metrics: \(metrics.isEmpty ? "off" : metrics.joined(separator: "; "))",
      services.controlPort.map { "Control port: 127.0.0.1:\($0)" } ?? "Control port: off",
    ]
  }

  /// The information about the relay, as lines of the log.
  public var informationLines: [String] {
    information.text.split(separator: "\n").map { "Information: \($0)" }
  }

  private static func share(_ ini: ServerINI) throws(RelayError) -> ConnectionShare {
    var exempt: [AddressRange] = []
    for text in (ini.text("TRANSPORT", "trusted_proxies") ?? "").split(separator: ",") {
      let text = String(text.filter { $0 != " " })
      guard let range = AddressRange(text) else {
        throw .configuration(
          "[TRANSPORT] trusted_proxies has \(text), not an address such as 192.0.2.1 or 192.0.2.0/24")
      }
      exempt.append(range)
    }
    guard ini.text("TRANSPORT", "connections_per_address") != nil else { return ConnectionShare(exempt: exempt) }
    let limit = try ini.number("TRANSPORT", "connections_per_address", default: 0, in: 0...10_000_000)
    return ConnectionShare(limit: Int(limit), exempt: exempt)
  }

  private static func password(_ ini: ServerINI, _ key: String) throws(RelayError) -> BasicAuth? {
    guard let text = ini.text("AUTH", key) else { return nil }
    guard !text.isEmpty, let password = BasicAuth(Array(text.utf8)) else {
      throw .configuration("[AUTH] \(key) has characters that a password must not have")
    }
    return password
  }
}

/// Settings of the reference server that a relay does not have, by section and name.
public struct ForeignSettings: Sendable {
  /// One of them.
  public struct Setting: Sendable {
    /// The values with which both servers behave the same.
    let same: Set<String>
    /// The behaviour of this one.
    let here: String

    public init(same: Set<String> = [], here: String) {
      self.same = same
      self.here = here
    }
  }

  private let settings: [String: [String: Setting]]
  private let known: [String: Set<String>]
  /// Sections with warnings of their own.
  private let silent: Set<String>

  /// `own` are the settings that a relay has besides ``CommonSettings``.
  public init(_ settings: [String: [String: Setting]], own: [String: Set<String>], silent: Set<String> = []) {
    self.settings = settings
    known = CommonSettings.names.merging(own) { $0.union($1) }
    self.silent = silent.union(["WEB"])
  }

  /// Whether a setting is read.
  public func isKnown(_ section: String, _ key: String) -> Bool { known[section]?.contains(key) == true }

  /// The settings in a file that have no effect, a sentence each.
  public func warnings(_ ini: ServerINI) -> [String] {
    let warnings = ini.names.compactMap { section, key -> String? in
      if silent.contains(section) || isKnown(section, key) { return nil }
      guard let setting = settings[section]?[key] else { return "[\(section)] \(key) is unknown and has no effect" }
      let isSame = ini.text(section, key).map(setting.same.contains) == true
      return isSame ? nil : "[\(section)] \(key) has no effect: \(setting.here)"
    }
    return warnings + ini.repeated.map { "[\($0.section)] \($0.key) is set twice; the first value counts" }
  }
}
