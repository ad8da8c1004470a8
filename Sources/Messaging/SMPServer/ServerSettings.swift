import RelayChassis
import SMPProtocol
import SimplexTransport

/// The settings of an ini file: the relay's configuration, and its services. Those that every relay has are members,
/// too (``RelayChassis/CommonSettings``).
@dynamicMemberLookup
public struct ServerSettings: RelaySettings, PublishedPages {
  /// The configuration of the relay.
  public var server: SMPServerConfiguration
  /// The settings that every relay has.
  public var common: CommonSettings
  /// Whether queues are kept in the database; otherwise they are in memory.
  public var keepsQueues: Bool
  /// The number of queues that may be blocked per day; 0 for any number, -1 for none.
  public var dailyBlockQuota: Int64
  /// The folder into which the pages for browsers are written; nil for none.
  public var webFolder: String?
  /// Why they could not be written.
  public var pagesProblem: String?
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
  ///
  /// - Throws: Where a setting has a value that it cannot have, or the certificates cannot be read.
  public init(_ ini: ServerINI, _ folders: ServerFolders) throws(SMPServerError) {
    let credential = try folders.credential(program: "smp-server")
    let common = try CommonSettings(ini)
    self.common = common
    let ports = (ini.text("TRANSPORT", "port") ?? "5223").split(separator: ",").map {
      Int($0.split(separator: " ").joined()) ?? -1
    }
    guard !ports.isEmpty, ports.allSatisfy({ 0...65_535 ~= $0 }) else {
      throw .configuration("[TRANSPORT] port must be numbers from 0 to 65535, separated by commas")
    }
    server = SMPServerConfiguration(host: common.bind, ports: ports, credential: credential)
    if ini.text("TRANSPORT", "host") != nil, let host = common.hosts.first(where: { !HostName.isValid($0) }) {
      throw .configuration("[TRANSPORT] host is \(host), not a host name or an IP address")
    }
    server.threads = Int(try ini.number("TRANSPORT", "threads", default: Int64(server.threads), in: 1...64))
    server.acceptsServices = try ini.isOn("TRANSPORT", "accept_service_credentials", default: true)
    server.allowsNewQueues = try ini.isOn("AUTH", "new_queues", default: true)
    server.basicAuth = common.createPassword
    server.proxy = try ProxyConfiguration(ini)
    server.messageTTL = try ini.number("STORE_LOG", "expire_messages_days", default: 21, in: 0...100_000) * 86_400
    server.expiresMessagesOnStart = try ini.isOn("STORE_LOG", "expire_messages_on_start", default: true)
    server.expiresMessagesOnSend = try ini.isOn("STORE_LOG", "expire_messages_on_send", default: true)
    server.notificationTTL = try ini.number("STORE_LOG", "expire_ntfs_hours", default: 24, in: 0...1_000_000) * 3_600
    server.share = common.share
    server.inactivity = common.inactivity.map { .init(ttl: $0.ttl, checkInterval: $0.interval) }
    keepsQueues = try ini.isOn("STORE_LOG", "enable", default: true)
    server.notificationsFile = keepsQueues ? folders.notificationsFile : nil
    dailyBlockQuota = try ini.number("AUTH", "daily_block_queue_quota", default: 20, in: -1...Int64(Int32.max))
    let web = try WebSettings(ini, ports: ports, hiding: PrivatePlaces(folders))
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

  /// Keeps queues in the database, or in memory, whatever the file says. A relay with its queues in memory leaves the
  /// saved notifications to the next one with the database.
  public mutating func keepQueues(_ keeps: Bool, _ folders: ServerFolders) {
    keepsQueues = keeps
    server.notificationsFile = keeps ? folders.notificationsFile : nil
    let site = site
    server.web?.site = site
  }

  /// A setting that every relay has.
  public subscript<Value>(dynamicMember path: WritableKeyPath<CommonSettings, Value>) -> Value {
    get { common[keyPath: path] }
    set { common[keyPath: path] = newValue }
  }

  /// What the operator is told when the relay starts: the ignored settings, and why browsers are not served although
  /// they are to be.
  public var warnings: [String] {
    guard webPort != nil, case .failure(let problem) = webCertificate else { return ignored }
    return ignored + ["[WEB] https has no effect: \(problem.text)"]
  }

  /// The address that clients use: `smp://fingerprint[:password]@host[,host][:port]`.
  ///
  /// - Parameter port: The port that is bound, where the system chose it.
  public func address(fingerprint: [UInt8], showsPassword: Bool = true, port bound: Int? = nil) -> String {
    common.address(
      "smp", fingerprint: fingerprint, showsPassword: showsPassword, port: bound ?? server.ports.first, usualPort: 5223)
  }
}
