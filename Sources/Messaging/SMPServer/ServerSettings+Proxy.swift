import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexTransport

extension ProxyConfiguration {
  /// The section `[PROXY]`: `socks_proxy`, `socks_mode`, `host_mode`, `required_host_mode`, `own_server_domains`,
  /// `client_concurrency`, `private_addresses`.
  init(_ ini: ServerINI) throws(SMPServerError) {
    self.init()
    if let text = ini.text("PROXY", "socks_proxy") {
      guard let proxy = SOCKS5Proxy(setting: text) else {
        throw .configuration("[PROXY] socks_proxy must be [user:password@]host:port")
      }
      client.socksProxy = proxy
    }
    switch ini.text("PROXY", "socks_mode") {
    case nil, "onion": client.socksMode = .onion
    case "always": client.socksMode = .always
    case let other?: throw .configuration("[PROXY] socks_mode is \(other), not onion or always")
    }
    switch ini.text("PROXY", "host_mode") {
    case nil, "public": client.hosts.preference = .publicHosts
    case "onion": client.hosts.preference = .onionThroughProxy
    case let other?: throw .configuration("[PROXY] host_mode is \(other), not public or onion")
    }
    client.hosts.isRequired = try ini.isOn("PROXY", "required_host_mode", default: false)
    allowsPrivateAddresses = try ini.isOn("PROXY", "private_addresses", default: false)
    ownDomains = (ini.text("PROXY", "own_server_domains") ?? "").split { $0 == " " || $0 == "," }.map(String.init)
    clientConcurrency = Int(
      try ini.number("PROXY", "client_concurrency", default: Int64(clientConcurrency), in: 1...10_000))
  }
}
