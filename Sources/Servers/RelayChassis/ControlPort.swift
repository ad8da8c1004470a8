import NIOCore
import NIOPosix
import SimplexTransport

/// The commands of a control port, for one connection. Used on one event loop.
public protocol ControlCommands: AnyObject {
  /// The answer to a line, on this event loop.
  func answer(_ line: String, on eventLoop: any EventLoop) -> ControlAnswer
}

/// The answer to a line of a control port; nil closes the connection.
public enum ControlAnswer {
  /// It is here.
  case now(String?)
  /// It has to be read; the event loop serves others until then.
  case later(EventLoopFuture<String?>)
}

/// The control port: lines of text on the loopback interface, for the operator.
public final class ControlPort: Sendable {
  private let listener: any Channel

  private init(_ listener: any Channel) { self.listener = listener }

  /// Listens on a port; nil where there is none. `greeting` is sent first, and `makeCommands` is called for each
  /// connection.
  public static func start(
    port: Int?, greeting: String, makeCommands: @escaping @Sendable () -> any ControlCommands
  ) async throws(RelayError) -> ControlPort? {
    guard let port else { return nil }
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = ControlHandler(makeCommands(), greeting: greeting)
          try channel.pipeline.syncOperations.addHandler(handler)
        }
      }
    do { return ControlPort(try await bootstrap.bind(host: "127.0.0.1", port: port).get()) } catch {
      throw .configuration(
        "cannot listen on the control port \(port): \(TransportError(error)); another program may use it")
    }
  }

  /// The port that is bound.
  public var port: Int? { listener.localAddress?.port }

  /// Stops listening.
  public func stop() async { try? await listener.close() }
}

/// Splits input into lines and answers them in order, one at a time; it reads no further while one is being answered.
private final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let lineLimit = 4096

  private let commands: any ControlCommands
  private let greeting: String
  private var line: [UInt8] = []
  /// What was received after a line that is being answered.
  private var rest = ByteBuffer()
  private var isAnswering = false

  init(_ commands: any ControlCommands, greeting: String) {
    self.commands = commands
    self.greeting = greeting
  }

  func channelActive(context: ChannelHandlerContext) {
    answer(greeting, context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var received = unwrapInboundIn(data)
    rest.writeBuffer(&received)
    takeLines(context)
  }

  private func takeLines(_ context: ChannelHandlerContext) {
    while !isAnswering, let byte = rest.readInteger(as: UInt8.self) {
      if byte == UInt8(ascii: "\n") {
        let command = String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        line = []
        begin(command, context)
      } else if line.count < Self.lineLimit {
        line.append(byte)
      } else {
        return context.close(promise: nil)
      }
    }
    if rest.readableBytes == 0 { rest.clear() }
  }

  private func begin(_ command: String, _ context: ChannelHandlerContext) {
    switch commands.answer(command, on: context.eventLoop) {
    case .now(let text): finish(text, context)
    case .later(let answer):
      isAnswering = true
      try? context.channel.syncOptions?.setOption(.autoRead, value: false)
      answer.assumeIsolated().whenComplete { result in
        // Later in any case, so that many lines are not answered inside of each other.
        context.eventLoop.assumeIsolated().execute {
          self.isAnswering = false
          self.finish((try? result.get()) ?? nil, context)
          self.takeLines(context)
          if !self.isAnswering { try? context.channel.syncOptions?.setOption(.autoRead, value: true) }
        }
      }
    }
  }

  private func finish(_ text: String?, _ context: ChannelHandlerContext) {
    guard let text else {
      rest.clear()
      return context.close(promise: nil)
    }
    answer(text, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func answer(_ text: String, _ context: ChannelHandlerContext) {
    guard !text.isEmpty else { return }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\n")), promise: nil)
  }
}
