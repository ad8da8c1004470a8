import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A client of the WebSocket API, as bots have one.
final class WebSocketClient: Sendable {
  struct Closed: Error {}

  private let channel: any Channel
  private let inbox: Inbox

  private init(_ channel: any Channel, _ inbox: Inbox) {
    self.channel = channel
    self.inbox = inbox
  }

  static func connect(port: Int, target: String = "/") async throws -> WebSocketClient {
    let inbox = Inbox()
    let (channel, upgraded) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture { (channel, try upgrade(channel, target, inbox)) }
      }
    try await upgraded.get()
    return WebSocketClient(channel, inbox)
  }

  private static func upgrade(_ channel: any Channel, _ target: String, _ inbox: Inbox) throws -> EventLoopFuture<Void>
  {
    let upgrader = NIOTypedWebSocketClientUpgrader<Void>(maxFrameSize: 1 << 24) { channel, _ in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(inbox)) }
    }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: target, headers: ["host": "127.0.0.1", "content-length": "0"])
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: head, upgraders: [upgrader],
        notUpgradingCompletionHandler: { $0.eventLoop.makeFailedFuture(Closed()) }))
    // Frames may come together with the answer.
    configuration.leftOverBytesStrategy = .forwardBytes
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
  }

  func send(_ text: String) async throws {
    let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
    try await channel.writeAndFlush(frame)
  }

  /// The next text; nil if none comes in this time, or the connection is closed.
  func next(within time: Duration) async throws -> String? {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      let (text, isClosed) = inbox.take()
      if let text { return text }
      if isClosed { return nil }
      try await Task.sleep(for: .milliseconds(1))
    }
    return nil
  }

  func close() async { try? await channel.close() }

  /// Texts that came and were not asked for yet.
  private final class Inbox: Sendable {
    private let state = Mutex<(texts: [String], isClosed: Bool)>(([], false))

    func add(_ text: String) { state.withLock { $0.texts.append(text) } }
    func close() { state.withLock { $0.isClosed = true } }
    func take() -> (String?, Bool) {
      state.withLock { ($0.texts.isEmpty ? nil : $0.texts.removeFirst(), $0.isClosed) }
    }
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let inbox: Inbox
    private var part = ByteBuffer()

    init(_ inbox: Inbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      guard frame.opcode == .text || frame.opcode == .continuation else { return }
      var bytes = frame.unmaskedData
      part.writeBuffer(&bytes)
      guard frame.fin else { return }
      inbox.add(String(buffer: part))
      part.clear()
    }

    func channelInactive(context: ChannelHandlerContext) { inbox.close() }
  }
}
