import SimplexJSON
import WireCodec

/// What a relay or notification server is used for: the scheme of its address.
public enum ServerProtocol: String, JSONCodable, CaseIterable, Hashable, Sendable {
  case smp, xftp, ntf
}

/// The address of a server: `smp://<key hash>[:<password>]@<host>[,<host>…][:<port>]`.
public struct ServerAddress: Hashable, Sendable {
  /// What the server is used for.
  public var serverProtocol: ServerProtocol
  /// Its host names and IP addresses, the preferred one first; IPv6 addresses without brackets.
  public var hostnames: [String]
  /// Its port in decimal digits; empty for the protocol's own one.
  public var port: String
  /// Hash of its certificate's key, base64url.
  public var keyHash: String
  /// The password for creating queues or files; empty for none.
  public var basicAuth: String

  public init(
    serverProtocol: ServerProtocol, hostnames: [String], port: String, keyHash: String, basicAuth: String = ""
  ) {
    self.serverProtocol = serverProtocol
    self.hostnames = hostnames
    self.port = port
    self.keyHash = keyHash
    self.basicAuth = basicAuth
  }

  /// Parses an address, which has to be the whole text; the error says what was expected and where.
  public init(parsing text: String) throws(WireError) {
    self = try Self.codec.decode(text: text)
  }

  /// The address as text.
  public var uri: String {
    let auth = basicAuth.isEmpty ? "" : ":" + basicAuth
    let hosts = port.isEmpty ? hostnames : hostnames.map { $0.contains(":") ? "[\($0)]" : $0 }
    let port = port.isEmpty ? "" : ":" + port
    return "\(serverProtocol.rawValue)://\(keyHash)\(auth)@\(hosts.joined(separator: ","))\(port)"
  }

  /// Whether it names at least one host and none twice.
  public var valid: Bool { !hostnames.isEmpty && Set(hostnames).count == hostnames.count }

  /// Whether the key hash has the 32 bytes of one, so that the server can be connected to. Reading accepts any number.
  public var hasFingerprint: Bool { keyHash.prefix { $0 != "=" }.utf8.count == 43 }

  /// The textual form. Reading accepts a key hash without padding and IPv6 addresses in brackets; writing adds the
  /// padding, and brackets only where a port follows: without them, `::1:5223` is read as another address.
  public static let codec = Codec<ServerAddress>(
    decode: { (reader) throws(WireError) -> ServerAddress in
      let scheme = try Codec.word(endingAt: ":").decode(&reader)
      guard let serverProtocol = ServerProtocol(rawValue: scheme), reader.take("://") else {
        throw WireError(.expected("smp://, xftp:// or ntf://"))
      }
      let keyHash = try Codec.base64url.decode(&reader)
      let basicAuth = try password.optional(after: ":").decode(&reader)
      guard reader.take("@") else { throw reader.failure(.expected("\"@\"")) }
      let hosts = try HostName.codec.separated().decode(&reader)
      let port = try Codec<UInt64>.decimal.optional(after: ":").decode(&reader)
      return ServerAddress(
        serverProtocol: serverProtocol, hostnames: hosts, port: port.map(String.init) ?? "",
        keyHash: Base64URL.string(keyHash), basicAuth: basicAuth ?? "")
    },
    encode: { (address, writer) throws(WireError) in writer.append(address.uri) })

  private static let password = Codec.word(endingAt: "@").validated("a password without spaces, \":\" and \"/\"") {
    $0.unicodeScalars.allSatisfy { $0 > " " && !$0.isSpace && $0 != ":" && $0 != "/" && $0 != "\u{7F}" }
  }
}

/// One host in server addresses and links.
enum HostName {
  /// An IPv6 address, with or without brackets, or a name.
  static let codec = Codec<String>(
    decode: { (reader) throws(WireError) -> String in
      if reader.take("[") {
        let start = reader.offset
        let address = try Codec.word(endingAt: "]").decode(&reader)
        guard isIPv6(address), reader.take("]") else { throw WireError(.expected("an IPv6 address"), offset: start) }
        return address
      }
      var ahead = reader
      if let address = String(validating: ahead.span(while: { $0.isHexDigit || $0 == UInt8(ascii: ":") })),
        isIPv6(address)
      {
        reader = ahead
        return address
      }
      return try name.decode(&reader)
    },
    encode: { (host, writer) throws(WireError) in writer.append(host) })

  private static let name = Codec.word(endingAt: ":#,;/ \n\r\t").validated("a host name") { host in
    !host.hasSuffix(".onion") || host.utf8.dropLast(6).allSatisfy { $0.isASCIIDigit || $0 > 0x60 && $0.isASCIILetter }
  }

  /// Eight groups of up to four hexadecimal digits, one run of zero groups shortened to `::`.
  static func isIPv6(_ text: String) -> Bool {
    let gap = text.firstRange(ofText: "::")
    let halves = gap.map { [text[..<$0.lowerBound], text[$0.upperBound...]] } ?? [text[...]]
    let groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
    guard groups.allSatisfy({ 1...4 ~= $0.utf8.count && $0.utf8.allSatisfy(\.isHexDigit) }) else { return false }
    return gap == nil ? groups.count == 8 : groups.count < 8
  }
}
