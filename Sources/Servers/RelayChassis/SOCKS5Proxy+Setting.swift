import SMPProtocol
import SimplexTransport

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
