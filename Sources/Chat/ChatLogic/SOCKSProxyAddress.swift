/// The SOCKS proxy of a network configuration: `user:password@host:port`.
///
/// Before the `@` stand a name and a password; nothing before it says that none are shown, and without `@` each session
/// shows a name of its own, so that the proxy keeps sessions apart. Without host it is this machine, and without port
/// that of Tor.
public struct SOCKSProxyAddress: Hashable, Sendable {
  /// The credentials shown to the proxy.
  public enum Authentication: Hashable, Sendable {
    /// No credentials.
    case none
    /// A name and a password.
    case password(username: String, password: String)
    /// A user name for each session.
    case perSession
  }

  /// The credentials shown to the proxy.
  public var authentication: Authentication
  /// An IPv4 or IPv6 address, without brackets.
  public var host: String
  /// The port.
  public var port: UInt16

  /// Reads an address; nil for anything else.
  public init?(_ text: String) {
    var address = Substring(text)
    authentication = .perSession
    if let at = text.lastIndex(of: "@") {
      address = text[text.index(after: at)...]
      let shown = text[..<at]
      if shown.isEmpty {
        authentication = .none
      } else if let colon = shown.firstIndex(of: ":") {
        authentication = .password(
          username: String(shown[..<colon]), password: String(shown[shown.index(after: colon)...]))
      } else {
        return nil
      }
    }
    var digits: Substring?
    if address.hasPrefix("[") {
      guard let end = address.firstIndex(of: "]") else { return nil }
      host = String(address[address.index(after: address.startIndex)..<end])
      guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
      let rest = address[address.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":") else { return nil }
        digits = rest.dropFirst()
      }
    } else {
      let parts = address.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2, let first = parts.first else { return nil }
      if first.isEmpty {
        host = "127.0.0.1"
      } else {
        guard Self.isIPv4(first) else { return nil }
        host = String(first)
      }
      if parts.count == 2 { digits = parts[1] }
    }
    guard let digits else {
      port = 9050
      return
    }
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(digits), number > 0 else { return nil }
    port = number
  }

  private static func isIPv4(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in part.allSatisfy { $0.isASCII && $0.isNumber } && UInt8(part) != nil }
  }
}
