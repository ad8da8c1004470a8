import FileAccess
import HTTP2Transport
import SMPProtocol
import SimplexTransport
import XFTPProtocol

/// Why a command to a file relay failed.
public enum FileClientError: Error, Hashable, Sendable {
  /// The connection could not be established, or was lost.
  case network(TransportError)
  /// No response came in time.
  case timeout
  /// The relay gave up this command, and not the connection.
  case reset
  /// The relay answered with this error.
  case relay(XFTPErrorType)
  /// The response is malformed, or is not one to this command.
  case unexpectedResponse(String)
  /// None of the relay's hosts can be used with this configuration.
  case noHost
  /// There is no common version of the protocol.
  case version
  /// The handshake failed: the relay has another identity.
  case handshake(String)
  /// The chunk that came is not the one that the description says.
  case received(XFTPErrorType)
  /// A local file failed, or the caller stopped the transfer; the text is for people.
  case local(String)
  /// A local file cannot be written because the disk is full; the text is for people.
  case diskFull(String)
}

extension FileClientError {
  /// The error of reading or writing the bytes of a chunk.
  init(local error: any Error) {
    let isFull = (error as? FileError)?.isDiskFull == true
    self = isFull ? .diskFull("\(error)") : .local("\(error)")
  }

  init(_ error: HTTP2Error) {
    switch error {
    case .connection(let error): self = .network(error)
    case .timeout: self = .timeout
    case .reset, .answered: self = .reset
    case .protocolViolation(let text): self = .unexpectedResponse(text)
    }
  }

  /// Whether a later attempt may succeed.
  public var isTemporary: Bool {
    switch self {
    case .network, .timeout, .reset, .diskFull: true
    case .relay(let error): error == .TIMEOUT || error == .INTERNAL || error == .SESSION || error == .HANDSHAKE
    // Damaged on the way or at the relay; another attempt tells.
    case .received(let error): error == .SIZE || error == .CRYPTO
    case .noHost, .version, .unexpectedResponse, .handshake, .local: false
    }
  }

  /// Whether nothing came in time, from a relay or from the network on the way to it.
  public var isTimeout: Bool {
    switch self {
    case .timeout, .network(.connectTimeout), .network(.stalled): true
    default: false
    }
  }

  /// Whether the connection is the reason, and another one may work.
  public var isOfConnection: Bool {
    switch self {
    case .network, .timeout, .handshake, .relay(.SESSION), .relay(.HANDSHAKE): true
    default: false
    }
  }
}

extension FileClientError: CustomStringConvertible {
  /// What went wrong, as a phrase.
  public var description: String {
    switch self {
    case .network(let error): "\(error)"
    case .timeout: "the server did not answer in time"
    case .reset: "the server gave up the request"
    // The protocol has one error for all of these.
    case .relay(.AUTH):
      "the server refused (AUTH): it accepts no new files, its password is wrong, or the file was deleted or expired"
    case .relay(let error): "the server refused (\(error))"
    case .unexpectedResponse(let text): "unexpected response of the server: \(text)"
    case .noHost: "the server has no host that can be used with these settings of the network"
    case .version: "the server has no version of the protocol in common with this client"
    case .handshake(let text): "the handshake failed: \(text)"
    case .received(let error): "the received part of the file is damaged (\(error))"
    case .local(let text), .diskFull(let text): text
    }
  }
}
