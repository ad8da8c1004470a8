import NIOHTTP2

/// The limits of a connection.
public struct HTTP2Limits: Hashable, Sendable {
  /// The number of streams that the peer may have open.
  public var streams = 16
  /// The bytes of a stream that are received before somebody reads them: what a stream costs at most.
  public var streamWindow = 128 << 10
  /// The bytes of all streams of a connection that may be on their way at once; what was received counts no more.
  public var connectionWindow = 1 << 20
  /// The bytes of a head, decompressed.
  public var head = 16 << 10

  /// The default limits.
  public init() {}

  var configuration: (NIOHTTP2Handler.ConnectionConfiguration, NIOHTTP2Handler.StreamConfiguration) {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: head),
      HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
    ]
    connection.targetWindowSize = connectionWindow
    connection.maximumSequentialEmptyDataFrames = 16
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.targetWindowSize = streamWindow
    return (connection, stream)
  }
}
