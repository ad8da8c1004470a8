import FileAccess
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why a relay cannot start or be changed.
public enum RelayError: Error, Sendable {
  /// The credential has no certificate.
  case noCertificate
  /// The certificates cannot be used for connections.
  case transport(TransportError)
  /// Listening failed; `host` is nil for all addresses.
  case listening(host: String?, port: Int, TransportError)
  /// The settings are invalid; the text says which and why.
  case configuration(String)
  /// A file cannot be read or written; the text names it.
  case file(String)

  /// The error of a file operation.
  public init(_ error: FileError) { self = .file(error.description) }
}

extension RelayError: CustomStringConvertible {
  /// What is wrong and what to do, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .noCertificate: "there is no certificate; the command init creates one"
    case .transport(let error): "the certificates cannot be used: \(error)"
    case .listening(let host, let port, let error):
      "cannot listen on \(host.map { "\($0), " } ?? "")port \(port): \(Self.reason(error, host: host, port: port))"
    case .configuration(let text): text
    case .file(let text): text
    }
  }

  /// Why a port cannot be bound, and what to do.
  private static func reason(_ error: TransportError, host: String?, port: Int) -> String {
    guard case .system(_, let code) = error else { return "\(error)" }
    switch code {
    case EADDRINUSE: return "another program uses it (ss -ltnp names it)"
    case EACCES, EPERM:
      return port < 1024
        ? "ports below 1024 need root or CAP_NET_BIND_SERVICE, which the units of deploy give" : "\(error)"
    case EADDRNOTAVAIL: return "this machine does not have the address \(host ?? "") ([TRANSPORT] bind)"
    default: return "\(error)"
    }
  }
}
