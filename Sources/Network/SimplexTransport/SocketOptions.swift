import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The times of TCP keep-alive: when a silent peer is probed, and when the connection is closed.
public struct KeepAlive: Hashable, Sendable {
  /// Seconds of silence before the first probe.
  public var idle: Int32
  /// Seconds between probes.
  public var interval: Int32
  /// Unanswered probes after which the connection is closed.
  public var count: Int32

  /// Probing with these times.
  public init(idle: Int32, interval: Int32, count: Int32) {
    self.idle = idle
    self.interval = interval
    self.count = count
  }

  /// 30 s, 15 s, 4 times: detects a dead server in a minute and a half.
  public static let client = KeepAlive(idle: 30, interval: 15, count: 4)
  /// 300 s, 30 s, 4 times: detects dead clients without waking sleeping ones, whose own probes come first.
  public static let server = KeepAlive(idle: 300, interval: 30, count: 4)
}

/// The socket options of both sides: no delay for small packets, buffers that are not kept.
func setSocketOptions(_ channel: any Channel, keepAlive: KeepAlive?) throws {
  guard let options = channel.syncOptions else { return }
  try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
  // Both together keep receive buffers out of the channel's pool; see TransientReceiveAllocator.
  try options.setOption(.maxMessagesPerRead, value: 1)
  try options.setOption(.recvAllocator, value: TransientReceiveAllocator())
  guard let keepAlive else { return }
  try options.setOption(.socketOption(.so_keepalive), value: 1)
  #if canImport(Darwin)
    try options.setOption(.tcpOption(.init(rawValue: TCP_KEEPALIVE)), value: .init(keepAlive.idle))
  #else
    try options.setOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: .init(keepAlive.idle))
  #endif
  try options.setOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: .init(keepAlive.interval))
  try options.setOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: .init(keepAlive.count))
}

/// Allocates a new buffer for each read, so that an idle connection owns none.
///
/// A channel keeps its first buffer forever, and with `maxMessagesPerRead` 1 no other one, provided it is told that the
/// next buffer may be larger. So the first one is small.
struct TransientReceiveAllocator: RecvByteBufferAllocator {
  private var isFirst = true
  private let size: Int

  /// Allocates buffers of `size` bytes, a power of two.
  init(size: Int = 65_536) { self.size = size }

  func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
    allocator.buffer(capacity: isFirst ? 32 : size)
  }

  mutating func record(actualReadBytes: Int) -> Bool {
    isFirst = false
    return true
  }
}
