/// Why a SOCKS5 proxy did not connect us (RFC 1928, RFC 1929).
public enum SOCKS5Error: Error, Hashable, Sendable {
  /// The proxy's reply is not SOCKS5.
  case malformedReply
  /// The proxy accepts none of the offered authentication methods.
  case noAcceptableMethod
  /// User name or password were refused.
  case authenticationFailed
  /// A host name, user name or password has more than 255 bytes, or a name is empty.
  case invalidParameter
  /// The proxy refused to connect, with this reply code: 1 general failure, 2 not allowed, 3 network unreachable, 4
  /// host unreachable, 5 connection refused, 6 expired, 7 and 8 not supported.
  case refused(code: UInt8)
  /// The proxy closed the connection before it answered.
  case interrupted
}
