/// A SOCKS5 proxy, such as Tor's.
public struct SOCKS5Proxy: Hashable, Sendable {
  /// Host name or address of the proxy.
  public var host: String
  /// Port of the proxy.
  public var port: Int
  /// Offered if present; Tor uses a separate circuit for each pair.
  public var credentials: SOCKS5Credentials?

  /// A proxy at this address.
  public init(host: String, port: Int, credentials: SOCKS5Credentials? = nil) {
    self.host = host
    self.port = port
    self.credentials = credentials
  }
}

/// User name and password for a proxy (RFC 1929), at most 255 bytes each. The password may be empty: the RFC excludes
/// it, but Tor and most proxies accept it.
public struct SOCKS5Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The user name.
  public var username: String
  /// The password.
  public var password: String

  public init(username: String, password: String) {
    self.username = username
    self.password = password
  }

  /// Hides the content.
  public var description: String { "SOCKS5Credentials" }
  /// Hides the content.
  public var debugDescription: String { description }
}

/// The host that the proxy connects to.
enum SOCKS5Host: Hashable, Sendable {
  case ipv4([UInt8])
  case ipv6([UInt8])
  /// A name, which only the proxy resolves, so that nobody else learns it.
  case name(String)
}

/// The client's side of a SOCKS5 negotiation (RFC 1928), without any input or output.
///
/// Governs the bytes until the proxy is connected. Each step takes the proxy's bytes and returns the bytes to send.
struct SOCKS5Negotiation: Sendable {
  private enum State {
    case choosingMethod
    case authenticating
    case connecting
    case connected
  }

  private static let version: UInt8 = 5
  private static let withoutAuthentication: UInt8 = 0
  private static let usernameAndPassword: UInt8 = 2

  private let request: [UInt8]
  private let authentication: [UInt8]?
  private var state = State.choosingMethod
  private var received: [UInt8] = []

  /// Fails where names or credentials do not fit in the protocol's fields.
  init(host: SOCKS5Host, port: UInt16, credentials: SOCKS5Credentials?) throws(SOCKS5Error) {
    var request: [UInt8] = [Self.version, 1, 0]
    switch host {
    case .ipv4(let octets) where octets.count == 4: request += [1] + octets
    case .ipv6(let octets) where octets.count == 16: request += [4] + octets
    case .name(let name): request += [3] + (try Self.field(name))
    case .ipv4, .ipv6: throw .invalidParameter
    }
    self.request = request + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    authentication =
      if let credentials {
        [1] + (try Self.field(credentials.username)) + (try Self.field(credentials.password, mayBeEmpty: true))
      } else {
        nil
      }
  }

  /// The first bytes to send.
  var greeting: [UInt8] {
    authentication == nil
      ? [Self.version, 1, Self.withoutAuthentication]
      : [Self.version, 2, Self.withoutAuthentication, Self.usernameAndPassword]
  }

  /// The action that follows from the bytes received so far.
  enum Step: Equatable {
    /// Wait for more bytes.
    case wait
    /// Send this, then wait.
    case send([UInt8])
    /// The proxy is connected; these bytes came from the host behind it.
    case connected(rest: [UInt8])
  }

  /// Handles bytes from the proxy.
  mutating func receive(_ bytes: some Sequence<UInt8>) throws(SOCKS5Error) -> Step {
    received += bytes
    switch state {
    case .choosingMethod:
      guard let reply = try take(2) else { return .wait }
      guard reply[0] == Self.version else { throw .malformedReply }
      return try chooseMethod(reply[1])
    case .authenticating:
      guard let reply = try take(2) else { return .wait }
      guard reply[0] == 1 else { throw .malformedReply }
      guard reply[1] == 0 else { throw .authenticationFailed }
      state = .connecting
      return .send(request)
    case .connecting: return try readReply()
    case .connected: throw .malformedReply
    }
  }

  private mutating func chooseMethod(_ method: UInt8) throws(SOCKS5Error) -> Step {
    switch method {
    case Self.withoutAuthentication:
      state = .connecting
      return .send(request)
    case Self.usernameAndPassword:
      guard let authentication else { throw .malformedReply }
      state = .authenticating
      return .send(authentication)
    case 0xFF: throw .noAcceptableMethod
    default: throw .malformedReply
    }
  }

  /// version, code, reserved, type of address, address, port
  private mutating func readReply() throws(SOCKS5Error) -> Step {
    guard received.count >= 2 else { return .wait }
    guard received[0] == Self.version else { throw .malformedReply }
    guard received[1] == 0 else { throw .refused(code: received[1]) }
    guard received.count >= 5 else { return .wait }
    let addressLength: Int
    switch received[3] {
    case 1: addressLength = 4
    case 4: addressLength = 16
    case 3: addressLength = 1 + Int(received[4])
    default: throw .malformedReply
    }
    let length = 4 + addressLength + 2
    guard received.count >= length else { return .wait }
    state = .connected
    return .connected(rest: Array(received.dropFirst(length)))
  }

  /// The next bytes; nil until all of them were received. The proxy sends nothing more before our answer.
  private mutating func take(_ count: Int) throws(SOCKS5Error) -> [UInt8]? {
    guard received.count >= count else { return nil }
    guard received.count == count else { throw .malformedReply }
    defer { received = [] }
    return received
  }

  private static func field(_ text: String, mayBeEmpty: Bool = false) throws(SOCKS5Error) -> [UInt8] {
    guard let length = UInt8(exactly: text.utf8.count), length > 0 || mayBeEmpty else { throw .invalidParameter }
    return [length] + text.utf8
  }
}
