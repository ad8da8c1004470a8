import WireCodec

/// A web address in a message: an `http:` or `https:` URI (RFC 3986) with a host that has a dot in it.
///
/// Queries are read leniently, as browsers do: any character but `#` may stand in them.
public struct WebAddress: Hashable, Sendable {
  /// The address as it was written, in parts.
  public let uri: URIReference
  /// The host without user information and port.
  public let host: String

  /// The reason why a text is not a web address, with a description for users.
  public enum ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not a valid URI.
    case invalidURI
    /// It has another scheme than `http` and `https`.
    case unsupportedScheme(String)
    /// It names no host.
    case noHost
    /// Its host is not a name with a dot.
    case invalidHost(String)

    /// A one-line description for users.
    public var description: String {
      switch self {
      case .invalidURI: "Invalid URI"
      case .unsupportedScheme(let scheme): "Unsupported URI scheme: \(scheme)"
      case .noHost: "No URI host"
      case .invalidHost(let host): "Invalid URI host: \(host)"
      }
    }
  }

  /// Parses a web address, which has to be the whole text.
  public init(parsing text: String) throws(ParseError) {
    let uri = URIReference(splitting: text)
    guard let scheme = uri.scheme, Self.isWellFormed(uri) else { throw .invalidURI }
    guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
    guard let authority = uri.authority, !authority.isEmpty else { throw .noHost }
    guard let host = Self.host(of: authority) else { throw .invalidURI }
    guard host.utf8.contains(UInt8(ascii: ".")) else { throw .invalidHost(host) }
    self.uri = uri
    self.host = host
  }

  /// Parses a web address, which has to be the whole text; nil if it is not one.
  public init?(_ text: String) {
    do throws(ParseError) { try self.init(parsing: text) } catch { return nil }
  }

  private static let nameCharacters = ASCIISet("-._~!$&'()*+,;=").andAlphanumerics
  private static let pathCharacters = ASCIISet("-._~!$&'()*+,;=:@/").andAlphanumerics
  private static let fragmentCharacters = ASCIISet("-._~!$&'()*+,;=:@/?").andAlphanumerics

  private static func isWellFormed(_ uri: URIReference) -> Bool {
    isMadeOf(pathCharacters, uri.path) && isMadeOf(fragmentCharacters, uri.fragment ?? "")
      && (uri.authority == nil || uri.path.isEmpty || uri.path.hasPrefix("/"))
  }

  /// Only the given characters and percent-encoded bytes.
  private static func isMadeOf(_ set: ASCIISet, _ text: String) -> Bool {
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: "%") {
        guard bytes.next()?.isHexDigit == true, bytes.next()?.isHexDigit == true else { return false }
      } else if !set.contains(byte) {
        return false
      }
    }
    return true
  }

  /// The host of `user@host:port`; nil where a part has characters that it must not have.
  private static func host(of authority: String) -> String? {
    var rest = Substring(authority)
    if let at = rest.lastIndex(of: "@") {
      guard isMadeOf(ASCIISet("-._~!$&'()*+,;=:").andAlphanumerics, String(rest[..<at])) else { return nil }
      rest = rest[rest.index(after: at)...]
    }
    var hostEnd = rest.endIndex
    if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
      guard rest[colon...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
      hostEnd = colon
    }
    let host = String(rest[..<hostEnd])
    if host.hasPrefix("["), host.hasSuffix("]") { return host }
    return !host.isEmpty && isMadeOf(nameCharacters, host) ? host : nil
  }
}
