import NIOCore
import NIOHTTP2
import SimplexTransport

/// Why a request failed.
public enum HTTP2Error: Error, Hashable, Sendable {
  /// The connection failed or was closed.
  case connection(TransportError)
  /// The peer cancelled the request, with this code of RFC 9113 section 7.
  case reset(code: Int)
  /// The peer has answered before it had the whole request, and takes no more of it; the response can be read.
  case answered
  /// The request took longer than its deadline.
  case timeout
  /// The response of the peer is malformed or unexpected; the text is for the log.
  case protocolViolation(String)
}

extension HTTP2Error {
  /// The error that corresponds to one of the network library.
  init(_ error: any Error) {
    switch error {
    case let error as HTTP2Error: self = error
    case let error as NIOHTTP2Errors.StreamClosed: self = .reset(code: error.errorCode.networkCode)
    case let error as TransportError: self = .connection(error)
    case is NIOHTTP2Errors.IOOnClosedConnection: self = .connection(.closed)
    case is ChannelError, is CancellationError: self = .connection(TransportError(error))
    // The peer has announced the end of the connection, or one side violated the protocol: no further requests.
    case is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable:
      self = .connection(.closed)
    case let error as any NIOHTTP2Error: self = .connection(.other(String(describing: error)))
    default: self = .connection(TransportError(error))
    }
  }
}
