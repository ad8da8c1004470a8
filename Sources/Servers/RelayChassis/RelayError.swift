import FileAccess
import SimplexTransport

/// Why a relay cannot start or be changed.
public enum RelayError: Error, Sendable {
  /// The credential has no certificate.
  case noCertificate
  /// Listening failed.
  case transport(TransportError)
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
    case .transport(.system(let operation, let code)):
      "cannot listen: \(TransportError.system(operation: operation, code: code)); "
        + "another program may use the port, or ports below 1024 are not allowed"
    case .transport(let error): "cannot listen: \(error)"
    case .configuration(let text): text
    case .file(let text): text
    }
  }
}
