import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A TCP server that does one thing with each connection. Nothing is read before `autoRead` is enabled.
struct PlainServer {
  private let listener: any Channel

  init(_ accepted: @escaping @Sendable (any Channel) throws -> Void) async throws {
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try accepted(channel) } }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { listener.localAddress?.port ?? 0 }

  func close() async { try? await listener.close() }
}

/// Passes bytes between two channels; each end is handed to the other.
final class Relay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let other: any Channel
  private let change: @Sendable (ByteBuffer) -> ByteBuffer?

  init(to other: any Channel, change: @escaping @Sendable (ByteBuffer) -> ByteBuffer? = { $0 }) {
    self.other = other
    self.change = change
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let bytes = change(unwrapInboundIn(data)) {
      other.writeAndFlush(bytes, promise: nil)
    } else {
      other.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}

/// Connects to a local port and joins the two channels; `change` sees what goes to that port.
func join(
  _ channel: any Channel, port: Int, change: @escaping @Sendable (ByteBuffer) -> ByteBuffer? = { $0 }
) -> EventLoopFuture<Void> {
  ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: port).flatMapThrowing { target in
    try target.pipeline.syncOperations.addHandler(Relay(to: channel))
    try channel.pipeline.syncOperations.addHandler(Relay(to: target, change: change))
    try channel.syncOptions?.setOption(.autoRead, value: true)
  }
}

/// Forwards bytes, and can corrupt those that go to the server.
final class TamperingProxy: Sendable {
  private let server: PlainServer
  private let change: NIOLockedValueBox<@Sendable (ByteBuffer) -> ByteBuffer?>

  init(target: Int) async throws {
    let change = NIOLockedValueBox<@Sendable (ByteBuffer) -> ByteBuffer?>({ $0 })
    self.change = change
    server = try await PlainServer { channel in
      _ = join(channel, port: target) { bytes in change.withLockedValue { $0 }(bytes) }
    }
  }

  var port: Int { server.port }

  func transform(_ body: @escaping @Sendable (ByteBuffer) -> ByteBuffer) { change.withLockedValue { $0 = body } }

  /// Lets this many bytes through, then closes.
  func truncate(after count: Int) {
    let left = NIOLockedValueBox(count)
    change.withLockedValue { change in
      change = { bytes in
        left.withLockedValue { left in
          let part = bytes.getSlice(at: bytes.readerIndex, length: min(left, bytes.readableBytes))
          left -= part?.readableBytes ?? 0
          return (part?.readableBytes ?? 0) > 0 ? part : nil
        }
      }
    }
  }

  /// Lets this many bytes through and keeps the rest, without closing.
  func hold(after count: Int) {
    let left = NIOLockedValueBox(count)
    transform { bytes in
      left.withLockedValue { left in
        let part = bytes.getSlice(at: bytes.readerIndex, length: min(left, bytes.readableBytes)) ?? ByteBuffer()
        left -= part.readableBytes
        return part
      }
    }
  }

  func close() async { await server.close() }
}

/// Runs `openssl s_client` against a local port: sends `input` once connected, then exits; or, where it `stays`, when
/// the server closes. Returns its output.
@discardableResult
func openSSLClient(
  port: Int, input: [UInt8], _ arguments: [String] = [], stays: Bool = false
) async throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments =
    ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-alpn", "smp/1", "-nocommands", "-no_ign_eof"] + arguments
  let (stdin, stdout) = (Pipe(), Pipe())
  process.standardInput = stdin
  process.standardOutput = stdout
  process.standardError = stdout
  try process.run()
  try stdin.fileHandleForWriting.write(contentsOf: Data(input))
  if !stays { try stdin.fileHandleForWriting.close() }
  let output = stdout.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  if stays { try stdin.fileHandleForWriting.close() }
  return String(decoding: output, as: UTF8.self)
}
