#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Sentences for the people who run a program.

extension TransportError: CustomStringConvertible {
  /// What went wrong, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .invalidAddress(let address): "\(address) is not an address that can be used"
    case .unreachable(let host, let port, let reason): "\(host):\(port) cannot be reached (\(Self.plain(reason)))"
    case .connectTimeout(.network): "connecting took too long"
    case .connectTimeout(.proxy): "the SOCKS proxy did not answer in time"
    case .connectTimeout(.tls): "the TLS handshake took too long"
    case .proxy(let error): "\(error)"
    case .tls(let error): "\(error)"
    case .truncatedBlock(let received): "the connection ended after \(received) bytes of a block"
    case .stalled: "the peer did not read what was sent"
    case .closed: "the connection is closed"
    case .cancelled: "cancelled"
    case .blockSize(let size): "\(size) bytes are not a block"
    case .system(_, let code): String(cString: strerror(code))
    case .other(let text): Self.plain(text)
    }
  }

  /// The system's words for the error number that the network library puts at the end of its texts.
  private static func plain(_ text: String) -> String {
    let last = text.lastIndex { !$0.isNumber && $0 != ")" }
    guard let last, text[...last].hasSuffix("errno: "),
      let code = Int32(text[text.index(after: last)...].prefix { $0.isNumber })
    else { return text }
    return String(cString: strerror(code))
  }
}

extension TLSError: CustomStringConvertible {
  /// What went wrong, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .certificate(.identityMismatch):
      "the server has another identity than the fingerprint in its address: check the address"
    case .certificate(let error): "the certificate of the server is not valid (\(error))"
    case .alert(let code): "the server ended the TLS handshake with alert \(code)"
    case .protocolViolation(let reason): "what the server sent is not valid TLS (\(reason))"
    case .handshakeInterrupted: "the connection ended during the TLS handshake"
    case .configuration(let reason): "TLS cannot be set up (\(reason))"
    }
  }
}

extension CertificateError: CustomStringConvertible {
  /// The defect of a certificate or key, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .malformedCertificate: "it is not an X.509 certificate"
    case .malformedKey: "it is not a private key in PEM form without a password"
    case .unsupportedKey: "its key is neither Ed25519 nor Ed448"
    case .keyMismatch: "the private key does not belong to the certificate"
    case .chainLength(let count): "a chain of \(count) certificates is too short or too long"
    case .identityMismatch: "the identity is not the one of the address"
    case .notYetValid: "a certificate is not valid yet: check the clock"
    case .expired: "a certificate has expired"
    case .notIssuedByNext: "a certificate was not issued by the next one of the chain"
    case .notAuthority: "a certificate was issued by one that is not an authority"
    case .untrusted(let reason): "the certificate is not trusted: \(reason)"
    case .file(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .fingerprintFileMismatch: "the file fingerprint does not match the certificate in ca.crt"
    case .library(let reason): reason
    }
  }
}

extension SOCKS5Error: CustomStringConvertible {
  /// What went wrong, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .malformedReply: "the proxy does not speak SOCKS5"
    case .noAcceptableMethod: "the SOCKS proxy asks for a user name and a password"
    case .authenticationFailed: "the SOCKS proxy refused the user name or the password"
    case .invalidParameter: "a host name, user name or password is too long for the SOCKS proxy"
    case .refused(let code): "the SOCKS proxy cannot connect (reply \(code))"
    case .interrupted: "the SOCKS proxy closed the connection"
    }
  }
}
