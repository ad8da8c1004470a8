import NIOHTTP2

/// The limits of a connection.
public struct HTTP2Limits: Hashable, Sendable {
  /// The number of streams that the peer may have open.
  public var streams = 16
  /// The bytes of a stream that are received before somebody reads them: what a stream costs at most. A peer sends as
  /// many in each round trip.
  public var streamWindow = 256 << 10
  /// The bytes of all streams of a connection that may be on their way at once; what was received counts no more.
  public var connectionWindow = 1 << 20
  /// The bytes of a frame that the peer may send.
  public var frame = 64 << 10
  /// The number of frames of a stream that the peer may send before somebody reads: connections with more are closed.
  public var unreadFrames = 1 << 10
  /// The bytes of a head, decompressed.
  public var head = 16 << 10

  /// The default limits, which are those of a server: it has many connections.
  public init() {}

  /// The limits of a client, which has few connections, and may be far away from the server.
  public static var client: HTTP2Limits {
    var limits = HTTP2Limits()
    limits.streamWindow = 1 << 20
    limits.connectionWindow = 4 << 20
    limits.unreadFrames = 4 << 10
    return limits
  }

  var configuration: (NIOHTTP2Handler.ConnectionConfiguration, NIOHTTP2Handler.StreamConfiguration) {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: head),
      HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
      HTTP2Setting(parameter: .maxFrameSize, value: frame),
    ]
    connection.targetWindowSize = connectionWindow
    connection.maximumSequentialEmptyDataFrames = 16
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.targetWindowSize = streamWindow
    return (connection, stream)
  }
}
