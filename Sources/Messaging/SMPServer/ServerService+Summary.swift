import SMPProtocol
import SimplexTransport

extension ServerService {
  /// The settings in effect as lines of the log. The password is left out, because others may read the log.
  ///
  /// - Parameter database: The file of the queues; nil if they are in memory.
  public func summary(database: String?) -> [String] {
    let settings = settings
    var lines = [
      "Settings: \(folders.iniFile)",
      "Server address: \(settings.address(fingerprint: server.fingerprint, showsPassword: false, port: server.ports.first))",
      Self.creation(settings.server),
    ]
    if let database {
      lines.append("Queues and messages are kept in \(database)")
    } else {
      lines.append("Queues and messages are in memory and lost when the server stops")
    }
    let expiry = settings.server.messageTTL.map { "after \($0 / 86_400) days" } ?? "never"
    lines.append(
      "Undelivered messages are deleted \(expiry), notifications after \(settings.server.notificationTTL / 3_600) hours"
    )
    lines.append(Self.forwarding(settings.server))
    if let inactivity = settings.server.inactivity {
      lines.append("Clients without subscriptions are disconnected after \(inactivity.ttl) seconds without traffic")
    } else {
      lines.append("Inactive clients are not disconnected")
    }
    lines.append(
      "At most \(settings.server.connectionLimit) connections; services with certificates are "
        + (settings.server.acceptsServices ? "accepted" : "refused"))
    lines += settings.common.summary(of: folders, services)
    if let web = settings.server.web,
      let port = zip(settings.server.ports, server.ports).first(where: { $0.0 == web.port })?.1
    {
      lines.append("Pages for browsers: on port \(port)")
    }
    lines += settings.pagesSummary + settings.common.informationLines
    let ports = server.ports.map(String.init).joined(separator: ", ")
    return lines + ["Listening on \(settings.server.host ?? "all addresses"), port \(ports)"]
  }

  private static func creation(_ server: SMPServerConfiguration) -> String {
    guard server.allowsNewQueues else { return "Nobody can create queues" }
    return server.basicAuth == nil
      ? "Anybody can create queues"
      : "Creating queues needs the password: clients use the address with :PASSWORD before the @"
  }

  private static func forwarding(_ server: SMPServerConfiguration) -> String {
    guard let proxy = server.proxy else { return "Messages are not forwarded to other servers" }
    let who = server.basicAuth == nil ? "anybody" : "clients that know the password"
    let targets = proxy.allowsPrivateAddresses ? "other servers, also at private addresses," : "other servers"
    guard let socks = proxy.client.socksProxy else { return "Messages to \(targets) are forwarded for \(who)" }
    let use = proxy.client.socksMode == .always ? "" : " (for onion hosts)"
    return "Messages to \(targets) are forwarded for \(who), through the SOCKS proxy \(socks.host):\(socks.port)\(use)"
  }
}
