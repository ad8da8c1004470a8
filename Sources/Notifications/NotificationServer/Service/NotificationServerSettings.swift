import NotificationProtocol
import NotificationServerCore
import RelayChassis
import SMPClient
import SMPProtocol
import SimplexTransport
import WireCodec

/// The settings of an ini file: the server's configuration, and its services. Those that every relay has are members,
/// too (``RelayChassis/CommonSettings``).
@dynamicMemberLookup
public struct NotificationServerSettings: RelaySettings {
  /// The configuration of the server.
  public var server: NotificationServerConfiguration
  /// The settings that every relay has.
  public var common: CommonSettings
  /// Settings without effect, and what cannot be used, a sentence each.
  public var warnings: [String]
  /// The services that pushes are sent to, for the log.
  public let pushSummary: String
  /// The file that the settings are from.
  var ini: ServerINI
  /// The file that the server was started with.
  let startINI: ServerINI

  /// Reads settings and certificates.
  public init(_ ini: ServerINI, _ folders: NotificationServerFolders) throws(RelayError) {
    let credential = try folders.credential(program: "ntf-server")
    common = try CommonSettings(ini)
    let port = try ini.number("TRANSPORT", "port", default: 443, in: 0...65_535)
    server = NotificationServerConfiguration(host: common.bind, port: Int(port), credential: credential)
    server.share = common.share
    server.inactivity = common.inactivity.map { (.seconds($0.ttl), .seconds($0.interval)) }
    let apple = try AppleSettings(ini)
    server.senders = apple.senders
    server.limits.allowsTestDevices = apple.allowsTestDevices
    server.limits.subscriptionsPerToken = Int(
      try ini.number(
        "LIMITS", "subscriptions_per_token", default: Int64(server.limits.subscriptionsPerToken), in: 1...10_000_000))
    server.limits.relaysPerToken = Int(
      try ini.number("LIMITS", "relays_per_token", default: Int64(server.limits.relaysPerToken), in: 1...10_000))
    server.pushes.collectingTime = try ini.number(
      "APNS", "collecting_time", default: server.pushes.collectingTime, in: 0...60_000)
    try Self.subscriber(ini, &server)
    pushSummary = apple.summary
    warnings = Self.names.warnings(ini)
    if let problem = apple.problem { warnings.append("pushes to Apple's service fail: \(problem)") }
    self.ini = ini
    startINI = ini
  }

  /// The section `[SUBSCRIBER]`, with the names of the reference server, and `private_addresses`.
  private static func subscriber(
    _ ini: ServerINI, _ server: inout NotificationServerConfiguration
  ) throws(RelayError) {
    if let text = ini.text("SUBSCRIBER", "socks_proxy") {
      guard let proxy = SOCKS5Proxy(setting: text) else {
        throw .configuration("[SUBSCRIBER] socks_proxy must be [user:password@]host:port")
      }
      server.subscriber.socksProxy = proxy
    }
    switch ini.text("SUBSCRIBER", "socks_mode") {
    case nil, "onion": server.subscriber.socksMode = .onion
    case "always": server.subscriber.socksMode = .always
    case let other?: throw .configuration("[SUBSCRIBER] socks_mode is \(other), not onion or always")
    }
    switch ini.text("SUBSCRIBER", "host_mode") {
    case nil, "public": server.subscriber.hosts.preference = .publicHosts
    case "onion": server.subscriber.hosts.preference = .onionThroughProxy
    case let other?: throw .configuration("[SUBSCRIBER] host_mode is \(other), not public or onion")
    }
    server.subscriber.hosts.isRequired = try ini.isOn("SUBSCRIBER", "required_host_mode", default: false)
    if try ini.isOn("SUBSCRIBER", "private_addresses", default: false) { server.subscriber.addresses = .all }
    server.ownDomains = (ini.text("SUBSCRIBER", "own_server_domains") ?? "").split { $0 == " " || $0 == "," }
      .map(String.init)
  }

  /// A setting that every relay has.
  public subscript<Value>(dynamicMember path: WritableKeyPath<CommonSettings, Value>) -> Value {
    get { common[keyPath: path] }
    set { common[keyPath: path] = newValue }
  }

  /// The address that clients use: `ntf://fingerprint@host[,host][:port]`.
  ///
  /// - Parameter port: The port that is bound, where the system chose it.
  public func address(fingerprint: [UInt8], showsPassword: Bool = true, port bound: Int? = nil) -> String {
    common.address(
      "ntf", fingerprint: fingerprint, showsPassword: showsPassword, port: bound ?? server.port, usualPort: 443)
  }
}

extension NotificationServerSettings {
  private static let sqlite = "everything is kept in SQLite"

  /// The settings that are read.
  static let names = ForeignSettings(
    [
      "STORE_LOG": [
        "enable": .init(same: ["on"], here: sqlite), "db_connection": .init(here: sqlite),
        "db_schema": .init(here: sqlite), "db_pool_size": .init(here: sqlite), "db_deleted_ttl": .init(here: sqlite),
      ],
      "TRANSPORT": ["websockets": .init(same: ["off"], here: "there is no WebSocket server")],
      "SUBSCRIBER": [
        "use_service_credentials": .init(same: ["off"], here: "every queue is subscribed by itself")
      ],
    ],
    own: [
      "APNS": AppleSettings.names.union(["collecting_time"]),
      "LIMITS": ["subscriptions_per_token", "relays_per_token"],
      "SUBSCRIBER": [
        "socks_proxy", "socks_mode", "host_mode", "required_host_mode", "own_server_domains", "private_addresses",
      ],
    ])

  /// The settings that can change while the server runs, for new connections.
  private static let changeable: [String: Set<String>] = [
    "TRANSPORT": ["host"], "INFORMATION": Set(ServerInformation.names),
  ]

  /// These settings with the values from `new` of those that can change while the server runs, and the changes.
  ///
  /// - Parameter now: Unix seconds, for the validity of new certificates.
  /// - Throws: Where `new` has certificates of another identity, or new ones that clients would refuse.
  func reloaded(
    from new: NotificationServerSettings, now: Int64 = currentSeconds()
  ) throws(RelayError) -> (settings: NotificationServerSettings, changes: SettingsChanges) {
    var settings = self
    var changes = SettingsChanges()
    try changes.noteCertificate(server.credential, replacedBy: new.server.credential, now: now)
    changes.note(
      new.ini, current: ini, start: startINI, changeable: Self.changeable,
      isKnown: { Self.names.isKnown($0, $1) })
    settings.ini = new.ini
    settings.warnings = new.warnings
    settings.common.hosts = new.hosts
    settings.common.information = new.information
    settings.server.credential = new.server.credential
    return (settings, changes)
  }
}
