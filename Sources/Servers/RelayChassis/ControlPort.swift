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
  /// The number of connections at once; further ones are closed when they are accepted.
  private static let connectionLimit = 64

  private let listener: any Channel

  private init(_ listener: any Channel) { self.listener = listener }

  /// Listens on a port; nil where there is none. `greeting` is sent first, and `makeCommands` is called for each
  /// connection.
  public static func start(
    port: Int?, greeting: String, makeCommands: @escaping @Sendable () -> any ControlCommands
  ) async throws(RelayError) -> ControlPort? {
    guard let port else { return nil }
    let bootstrap = Connections.listener(limit: connectionLimit) { channel in
      try channel.pipeline.syncOperations.addHandler(ControlHandler(makeCommands(), greeting: greeting))
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

/// Splits input into lines and answers them in order, one at a time. It reads no further while a line is being
/// answered, while lines that were read wait, or while the client has not taken the answers before.
private final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest line in bytes; a longer one closes the connection.
  private static let lineLimit = 4096
  /// The bytes that are read at once.
  private static let readSize = 4096
  /// The bytes of answers that wait for the client, besides one answer.
  private static let unsentLimit = 32 << 10
  /// A client that takes nothing for this time is closed.
  private static let stall = TimeAmount.seconds(60)

  private let commands: any ControlCommands
  private let greeting: String
  private var line: [UInt8] = []
  /// The bytes that were read and are not in a complete line yet.
  private var rest = ByteBuffer()
  private var isAnswering = false
  /// Whether ``advance(_:)`` is running.
  private var isAdvancing = false
  /// Whether bytes were asked for.
  private var isReading = false
  private var stallDeadline: Scheduled<Void>?

  init(_ commands: any ControlCommands, greeting: String) {
    self.commands = commands
    self.greeting = greeting
  }

  func handlerAdded(context: ChannelHandlerContext) {
    guard let options = context.channel.syncOptions else { return }
    // They fail only on a closed channel.
    try? options.setOption(.autoRead, value: false)
    try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
    try? options.setOption(
      .writeBufferWaterMark, value: .init(low: Self.unsentLimit / 2, high: Self.unsentLimit))
  }

  func channelActive(context: ChannelHandlerContext) {
    answer(greeting, context)
    advance(context)
  }

  func channelInactive(context: ChannelHandlerContext) { stallDeadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var received = unwrapInboundIn(data)
    rest.writeBuffer(&received)
    isReading = false
  }

  func channelReadComplete(context: ChannelHandlerContext) { advance(context) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    stallDeadline?.cancel()
    stallDeadline =
      context.channel.isWritable
      ? nil
      : context.eventLoop.assumeIsolated().scheduleTask(in: Self.stall) { context.close(promise: nil) }
    advance(context)
  }

  /// Answers the lines that were read while the client takes the answers, then reads on.
  private func advance(_ context: ChannelHandlerContext) {
    guard !isAdvancing else { return }
    isAdvancing = true
    defer { isAdvancing = false }
    while !isAnswering, context.channel.isActive, context.channel.isWritable {
      guard let command = takeLine(context) else {
        guard rest.readableBytes == 0 else { return }
        rest.clear()
        if !isReading {
          isReading = true
          context.read()
        }
        return
      }
      begin(command, context)
    }
  }

  /// The next line; nil where its end has not arrived. Closes the connection where it is too long.
  private func takeLine(_ context: ChannelHandlerContext) -> String? {
    while let byte = rest.readInteger(as: UInt8.self) {
      if byte == UInt8(ascii: "\n") {
        defer { line = [] }
        return String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      }
      guard line.count < Self.lineLimit else {
        rest.clear()
        context.close(promise: nil)
        return nil
      }
      line.append(byte)
    }
    return nil
  }

  private func begin(_ command: String, _ context: ChannelHandlerContext) {
    switch commands.answer(command, on: context.eventLoop) {
    case .now(let text): finish(text, context)
    case .later(let answer):
      isAnswering = true
      answer.assumeIsolated().whenComplete { result in
        // Later in any case, so that many lines are not answered inside of each other.
        context.eventLoop.assumeIsolated().execute {
          self.isAnswering = false
          self.finish((try? result.get()) ?? nil, context)
          self.advance(context)
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

  private func answer(_ text: String, _ context: ChannelHandlerContext) {
    guard !text.isEmpty else { return }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\n")), promise: nil)
  }
}
