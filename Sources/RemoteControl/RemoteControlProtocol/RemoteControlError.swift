import SimplexJSON

/// Errors of the connection between a host (phone) and its controller (desktop). Source: XRCP 1; the reference's type
/// `RCErrorType`, which its API shows as `RCP` errors.
public enum RemoteControlError: Error, Hashable, Sendable {
  /// A defect of the program.
  case `internal`(String)
  /// A certificate, fingerprint or identity key is not that of the known peer.
  case identity
  /// The controller has no address that a host could reach.
  case noLocalAddress
  /// A new host cannot be announced to: it has no key yet.
  case newController
  /// No known controller announced itself in time.
  case notDiscovered
  /// The controller's listener could not be started.
  case tlsStartFailed
  /// An error of the network or the system.
  case exception(String)
  /// A signature of a command is not valid.
  case controllerAuthorization
  /// An announcement is for none of the known controllers.
  case controllerNotFound
  /// The controller answered HELLO with this error.
  case controllerError(String)
  /// An invitation is malformed, or its signatures are not valid.
  case invitation
  /// The peers have no version of the protocol in common.
  case version
  /// A message could not be encrypted.
  case encrypt
  /// A message could not be decrypted.
  case decrypt
  /// A block does not have 16,384 bytes, or its padding is malformed.
  case blockSize
  /// A message of the handshake is malformed.
  case syntax(String)
}

extension RemoteControlError: JSONDecodable, JSONEncodable {
  /// Reads the error, in any spelling of sums.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "internal": self = try .internal(fields.get("internalErr"))
    case "identity": self = .identity
    case "noLocalAddress": self = .noLocalAddress
    case "newController": self = .newController
    case "notDiscovered": self = .notDiscovered
    case "tLSStartFailed": self = .tlsStartFailed
    case "exception": self = try .exception(fields.get("exception"))
    case "ctrlAuth": self = .controllerAuthorization
    case "ctrlNotFound": self = .controllerNotFound
    case "ctrlError": self = try .controllerError(fields.get("ctrlErr"))
    case "invitation": self = .invitation
    case "version": self = .version
    case "encrypt": self = .encrypt
    case "decrypt": self = .decrypt
    case "blockSize": self = .blockSize
    case "syntax": self = try .syntax(fields.get("syntaxErr"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the error with the reference's names.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .internal(let text): json.sum("internal", "internalErr", text)
    case .identity: json.tag("identity")
    case .noLocalAddress: json.tag("noLocalAddress")
    case .newController: json.tag("newController")
    case .notDiscovered: json.tag("notDiscovered")
    case .tlsStartFailed: json.tag("tLSStartFailed")
    case .exception(let text): json.sum("exception", "exception", text)
    case .controllerAuthorization: json.tag("ctrlAuth")
    case .controllerNotFound: json.tag("ctrlNotFound")
    case .controllerError(let text): json.sum("ctrlError", "ctrlErr", text)
    case .invitation: json.tag("invitation")
    case .version: json.tag("version")
    case .encrypt: json.tag("encrypt")
    case .decrypt: json.tag("decrypt")
    case .blockSize: json.tag("blockSize")
    case .syntax(let text): json.sum("syntax", "syntaxErr", text)
    }
  }
}
