import NIOCore
import NIOPosix
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexTransport
import WireCodec

/// The control port: lines of text on the loopback interface, for the operator. `auth PASSWORD` first; `help` lists the
/// commands.
final class ControlPort: Sendable {
  private let listener: any Channel

  private init(_ listener: any Channel) { self.listener = listener }

  /// Listens if the settings name a port; nil otherwise.
  static func start(_ settings: CurrentSettings, _ server: RelayServer) async throws(SMPServerError) -> ControlPort? {
    guard let port = settings.value.controlPort else { return nil }
    let attempts = SharedAttempts()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = ControlHandler(ControlSession(settings, server, attempts: attempts))
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
    do { return ControlPort(try await bootstrap.bind(host: "127.0.0.1", port: port).get()) } catch {
      throw .configuration(
        "cannot listen on the control port \(port): \(TransportError(error)); another program may use it")
    }
  }

  /// The port that is bound.
  var port: Int? { listener.localAddress?.port }

  func stop() async { try? await listener.close() }
}

/// Splits input into lines and answers them in order.
private final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let lineLimit = 4096

  private let session: ControlSession
  private var line: [UInt8] = []

  init(_ session: ControlSession) { self.session = session }

  func channelActive(context: ChannelHandlerContext) {
    answer("SMP server control port\n'help' for supported commands", context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for byte in unwrapInboundIn(data).readableBytesView {
      if byte == UInt8(ascii: "\n") {
        let command = String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        line = []
        guard let text = session.answer(command) else { return context.close(promise: nil) }
        answer(text, context)
      } else if line.count < Self.lineLimit {
        line.append(byte)
      } else {
        return context.close(promise: nil)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func answer(_ text: String, _ context: ChannelHandlerContext) {
    guard !text.isEmpty else { return }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\n")), promise: nil)
  }
}
