import FileAccess
import NotificationProtocol
import NotificationServerCore
import RelayChassis
import SimplexCrypto
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The section `[APNS]`: the app and the key of its owner at Apple's service. The variables `APNS_TOPIC`,
/// `APNS_TEAM_ID`, `APNS_KEY_ID` and `APNS_KEY_FILE` of the environment have precedence.
struct AppleSettings: Sendable {
  /// The settings that are read.
  static let names: Set<String> = [
    "topic", "team_id", "key_id", "key_file", "host", "sandbox_host", "test_host", "ca_file", "padding", "connections",
  ]

  /// The services of devices, of which some may fail until they are set up.
  let senders: [PushService: any PushSender]
  /// Why pushes to Apple's service fail; nil where it is set up.
  let problem: String?
  /// Whether devices of the service for tests are accepted.
  let allowsTestDevices: Bool
  /// The service, for the log.
  let summary: String

  init(_ ini: ServerINI) throws(RelayError) {
    let value = { (key: String, variable: String) -> String? in
      let text = getenv(variable).map { String(cString: $0) } ?? ini.text("APNS", key)
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    let topic = value("topic", "APNS_TOPIC") ?? "chat.simplex.app"
    let paddedSize = Int(
      try ini.number("APNS", "padding", default: Int64(ApplePushBody.paddedSize), in: 1_024...4_096))
    let connections = Int(try ini.number("APNS", "connections", default: 2, in: 1...100))
    let authorities = ini.text("APNS", "ca_file").flatMap { $0.isEmpty ? nil : $0 }
    var hosts: [(PushService, String)] = [
      (.apple, ini.text("APNS", "host") ?? "api.push.apple.com"),
      (.appleDevelopment, ini.text("APNS", "sandbox_host") ?? "api.sandbox.push.apple.com"),
    ]
    let testHost = ini.text("APNS", "test_host").flatMap { $0.isEmpty ? nil : $0 }
    if let testHost { hosts.append((.appleTest, testHost)) }
    allowsTestDevices = testHost != nil

    var senders: [PushService: any PushSender] = [.null: NullSender()]
    guard let file = value("key_file", "APNS_KEY_FILE"), let identifier = value("key_id", "APNS_KEY_ID"),
      let team = value("team_id", "APNS_TEAM_ID")
    else {
      let problem = "[APNS] key_file, key_id and team_id are not set"
      for (service, _) in hosts { senders[service] = UnavailableSender(problem) }
      self.senders = senders
      self.problem = problem
      summary = "Pushes: none are sent, because \(problem)"
      return
    }
    let token = ProviderToken(try Self.key(file, identifier: identifier, team: team))
    for (service, place) in hosts {
      let (host, port) = try Self.hostAndPort(place)
      var configuration = AppleSender.Configuration(host: host, port: port, topic: topic)
      configuration.paddedSize = paddedSize
      configuration.connections = connections
      if let authorities { configuration.trust = .file(authorities) }
      do throws(TransportError) { senders[service] = try AppleSender(configuration, token: token) } catch {
        throw .configuration("[APNS] ca_file: \(error)")
      }
    }
    self.senders = senders
    problem = nil
    summary = "Pushes: app \(topic) at \(hosts.map(\.1).joined(separator: ", "))"
  }

  private static func key(_ file: String, identifier: String, team: String) throws(RelayError) -> AppleKey {
    var pem: [UInt8]
    do { pem = try WholeFile.read(file, limit: 1 << 16) } catch { throw .file("[APNS] key_file: \(error)") }
    defer { pem.withUnsafeMutableBytes { wipe($0) } }
    guard let key = try? ES256Key(pem: pem) else {
      throw .configuration("[APNS] key_file: \(file) has no private key of P-256 in PEM form")
    }
    guard let owner = AppleKey(team: team, identifier: identifier, key: key) else {
      throw .configuration("[APNS] team_id and key_id have letters and digits only")
    }
    return owner
  }

  private static func hostAndPort(_ text: String) throws(RelayError) -> (String, Int) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let port = parts.count == 2 ? UInt16(parts[1]) : 443
    guard parts.count <= 2, let name = parts.first, !name.isEmpty, HostName.isValid(name), let port, port > 0 else {
      throw .configuration("[APNS] \(text) is not a host name, or a host name and a port")
    }
    return (String(name), Int(port))
  }
}
