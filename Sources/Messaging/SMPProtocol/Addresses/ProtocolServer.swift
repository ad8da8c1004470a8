import WireCodec

/// A protocol that has relays: the scheme of their addresses.
public protocol ServerProtocol: Sendable {
  /// The scheme, such as `smp`.
  static var scheme: StaticString { get }
  /// The port of addresses that name none.
  static var defaultPort: UInt16 { get }
}

/// Message relays.
public enum SMPScheme: ServerProtocol {
  /// `smp`
  public static let scheme: StaticString = "smp"
  /// 5223
  public static let defaultPort: UInt16 = 5223
}

/// File relays.
public enum XFTPScheme: ServerProtocol {
  /// `xftp`
  public static let scheme: StaticString = "xftp"
  /// 443
  public static let defaultPort: UInt16 = 443
}

/// Notification servers.
public enum NotificationScheme: ServerProtocol {
  /// `ntf`
  public static let scheme: StaticString = "ntf"
  /// 443
  public static let defaultPort: UInt16 = 443
}

/// A message relay.
public typealias SMPServerAddress = ProtocolServer<SMPScheme>
/// A file relay.
public typealias XFTPServer = ProtocolServer<XFTPScheme>
/// A notification server.
public typealias NotificationServer = ProtocolServer<NotificationScheme>

/// The address of a relay and the fingerprint that authenticates it. Source: simplex-messaging.md, "Router address".
public struct ProtocolServer<Scheme: ServerProtocol>: Hashable, Sendable {
  /// Its hosts, at least one; all lead to the same relay.
  public let hosts: [TransportHost]
  /// Its port, if the address names one.
  public let port: UInt16?
  /// The SHA-256 fingerprint of its offline certificate; 32 bytes, but not checked here.
  public let keyHash: [UInt8]

  /// A relay; nil without hosts.
  public init?(hosts: [TransportHost], port: UInt16? = nil, keyHash: [UInt8]) {
    guard !hosts.isEmpty else { return nil }
    self.hosts = hosts
    self.port = port
    self.keyHash = keyHash
  }

  /// A relay with a single host.
  public init(_ host: TransportHost, port: UInt16? = nil, keyHash: [UInt8]) {
    hosts = [host]
    self.port = port
    self.keyHash = keyHash
  }

  /// The same relay with more hosts.
  public func adding(_ others: [TransportHost]) -> ProtocolServer {
    ProtocolServer(hosts: hosts + others, port: port, keyHash: keyHash) ?? self
  }

  /// The port to connect to.
  public var effectivePort: UInt16 { port ?? Scheme.defaultPort }
}

extension ProtocolServer {
  /// Hosts after a 1-byte count, port as text (empty for the default), and fingerprint.
  public static var codec: Codec<ProtocolServer> {
    TransportHost.codec.nonEmptyList.pair(portAndKeyHash, separator: "").compactMap(
      "a server", { ProtocolServer(hosts: $0, port: $1.0, keyHash: $1.1) }, { ($0.hosts, ($0.port, $0.keyHash)) })
  }

  static var portAndKeyHash: Codec<(UInt16?, [UInt8])> {
    let port = Codec<String>.shortText.compactMap(
      "a port",
      { text -> UInt16?? in
        if text.isEmpty { return .some(nil) }
        guard let port = UInt16(text), String(port) == text else { return nil }
        return port
      },
      { $0.map(String.init) ?? "" })
    return port.pair(.short, separator: "")
  }

  /// `smp://fingerprint@host,host:port`, up to the end or what cannot belong to it.
  public static var textCodec: Codec<ProtocolServer> {
    ServerWithAuth<Scheme>.textCodec.compactMap(
      "a server address without password", { $0.basicAuth == nil ? $0.server : nil },
      { ServerWithAuth(server: $0, basicAuth: nil) })
  }
}

extension ProtocolServer: CustomStringConvertible {
  /// The text form.
  public var description: String { "\(Scheme.scheme)://\(Base64URL.string(keyHash))@\(location)" }

  /// Hosts and port.
  fileprivate var location: String {
    guard let port else { return hosts.map(\.description).joined(separator: ",") }
    return hosts.map(\.bracketed).joined(separator: ",") + ":\(port)"
  }
}

/// A relay's address as it is shared between people: hosts, fingerprint, and the password, if it needs one.
public struct ServerWithAuth<Scheme: ServerProtocol>: Hashable, Sendable {
  /// The relay.
  public var server: ProtocolServer<Scheme>
  /// The password.
  public var basicAuth: BasicAuth?

  public init(server: ProtocolServer<Scheme>, basicAuth: BasicAuth?) {
    self.server = server
    self.basicAuth = basicAuth
  }

  /// `smp://fingerprint:password@host,host:port`, up to the end or what cannot belong to it.
  public static var textCodec: Codec<ServerWithAuth> {
    let hosts = TransportHost.textCodec.separated()
    let port = Codec<UInt16>.decimal.optional(after: ":")
    let password = BasicAuth.textCodec.optional(after: ":")
    return Codec(
      decode: { (reader) throws(WireError) -> ServerWithAuth in
        guard reader.take(Scheme.scheme), reader.take("://") else {
          throw reader.failure(.expected("\(Scheme.scheme)://"))
        }
        let keyHash = try Codec<[UInt8]>.base64url.decode(&reader)
        let basicAuth = try password.decode(&reader)
        guard reader.take("@") else { throw reader.failure(.expected("@")) }
        let start = reader.offset
        guard
          let server = ProtocolServer<Scheme>(
            hosts: try hosts.decode(&reader), port: try port.decode(&reader), keyHash: keyHash)
        else { throw WireError(.expected("a host"), offset: start) }
        return ServerWithAuth(server: server, basicAuth: basicAuth)
      },
      encode: { (address, writer) throws(WireError) in
        writer.append(literal: Scheme.scheme)
        writer.append(literal: "://")
        try Codec<[UInt8]>.base64url.encode(address.server.keyHash, &writer)
        try password.encode(address.basicAuth, &writer)
        writer.append(literal: "@")
        writer.append(address.server.location)
      })
  }
}
