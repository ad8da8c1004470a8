import HTTP2Transport
import RemoteControlProtocol
import SimplexTransport

/// The limits and times of the drivers.
enum RemoteLimits {
  /// The number of TLS handshakes that a controller has in progress; further connections are closed at once.
  static let handshakes = 8
  /// The number of connections of a controller, in and after the handshake.
  static let connections = 16
  /// The number of them from one address.
  static let connectionsOfADevice = 3
  /// The time for the handshake of a host.
  static let handshakeTime = Duration.seconds(10)
  /// The number of requests that a controller has in progress, without polls.
  static let requests = 64
  /// The bytes of frames that are being received at the same time, without files.
  static let frameBytes = 4 * FrameHead.bodyLimit
  /// The bytes of long responses in JSON that a controller has from all hosts at the same time, until they are read.
  static let responseBytes = FrameContent.responseLimit
  /// The size of responses in bytes that are not counted: there are not many at a time.
  static let shortResponse = 1 << 20
  /// The bytes of commands in JSON that a host executes at the same time.
  static let commandBytes = 2 * FrameContent.commandLimit
  /// The bytes of files that a host receives at the same time.
  static let uploadBytes = Int(UInt32.max)
  /// The bytes of a file system that files which a host receives leave free.
  static let freeBytes: Int64 = 256 << 20
  /// The bytes of a part of a file that is read and sent at once.
  static let filePart = 64 << 10
  /// The number of datagrams that wait to be handled; further ones are dropped.
  static let datagrams = 64
  /// The time that a host has to answer a poll for events, in microseconds.
  static let pollMicroseconds = 10_000_000
  /// The pause after a poll that failed.
  static let pollPause = Duration.seconds(1)
  /// The number of polls that fail one after the other, after which the connection is closed.
  static let failedPolls = 5

  /// The limits of HTTP/2 at both sides.
  static var http2: HTTP2Limits {
    var limits = HTTP2Limits.client
    // Polls are not counted, and those of other controllers need not be ended before the next one.
    limits.streams = requests + 16
    return limits
  }
}
