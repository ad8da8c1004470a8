import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexTransport
import WireCodec

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

extension SOCKS5Proxy {
  /// A proxy as text: `host:port`, `host`, `:port`, each after `user:password@` or `@`; nil where it is malformed. The
  /// default host is this machine, the default port 9050.
  public init?(setting text: String) {
    var rest = text[...]
    var credentials: SOCKS5Credentials?
    if let mark = rest.lastIndex(of: "@") {
      let pair = rest[..<mark]
      rest = rest[rest.index(after: mark)...]
      if !pair.isEmpty {
        guard let colon = pair.firstIndex(of: ":") else { return nil }
        credentials = SOCKS5Credentials(
          username: String(pair[..<colon]), password: String(pair[pair.index(after: colon)...]))
      }
    }
    var port = UInt16(9050)
    if let colon = rest.lastIndex(of: ":"), IPv6Address(rest) == nil {
      guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
      port = number
      rest = rest[..<colon]
    }
    if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
    guard rest.isEmpty || HostName.isValid(rest) else { return nil }
    self.init(host: rest.isEmpty ? "127.0.0.1" : String(rest), port: Int(port), credentials: credentials)
  }
}
