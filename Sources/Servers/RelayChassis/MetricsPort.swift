import NIOCore
import NIOPosix
import SimplexTransport

/// The figures over HTTP on the loopback interface, for Prometheus: `/metrics` with names of its conventions,
/// `/metrics/reference` with those of the reference server. Each connection is one request.
public final class MetricsPort: Sendable {
  /// The number of connections at once; further ones are closed when they are accepted.
  private static let connectionLimit = 16

  private let listener: any Channel

  private init(_ listener: any Channel) { self.listener = listener }

  /// Listens on a port; nil where there is none.
  public static func start(port: Int?, source: any MetricsSource) async throws(RelayError) -> MetricsPort? {
    guard let port else { return nil }
    let bootstrap = Connections.listener(limit: connectionLimit) { channel in
      try channel.pipeline.syncOperations.addHandler(MetricsHandler(source))
    }
    do { return MetricsPort(try await bootstrap.bind(host: "127.0.0.1", port: port).get()) } catch {
      throw .listening(host: "127.0.0.1", port: port, TransportError(error))
    }
  }

  /// The port that is bound.
  public var port: Int? { listener.localAddress?.port }

  /// Stops listening.
  public func stop() async { try? await listener.close() }
}

/// Answers the request of a connection, and closes it.
private final class MetricsHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let source: any MetricsSource
  private var head: [UInt8] = []
  private var isAnswered = false
  private var deadline: Scheduled<Void>?

  init(_ source: any MetricsSource) { self.source = source }

  func channelActive(context: ChannelHandlerContext) {
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: WebReceiver.deadline) {
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswered else { return }
    let searched = max(0, head.count - 3)
    head += unwrapInboundIn(data).readableBytesView
    guard let end = WebReceiver.end(of: head, from: searched) else {
      if head.count > WebReceiver.headLimit {
        answer(WebResponse(status: "431 Request Header Fields Too Large"), context)
      }
      return
    }
    isAnswered = true
    let request: WebRequest
    do throws(WebRequest.Refused) { request = try WebRequest(head[..<end]) } catch {
      return answer(WebResponse(error), context)
    }
    let response = context.eventLoop.makeFutureWithTask { [source] in await Self.response(to: request, source) }
    response.assumeIsolated().whenSuccess { self.answer($0, context) }
  }

  private static func response(to request: WebRequest, _ source: any MetricsSource) async -> WebResponse {
    let isStandard = request.path == "/metrics"
    guard isStandard || request.path == "/metrics/reference" else { return WebResponse(status: "404 Not Found") }
    let metrics: [Metric]
    do { metrics = try await source.metrics() } catch { return WebResponse(status: "503 Service Unavailable") }
    let text =
      isStandard
      ? MetricsText.standardText(of: metrics, prefix: source.prefix)
      : MetricsText.text(of: metrics, prefix: source.prefix)
    return WebResponse(metrics: text, isHead: request.isHead)
  }

  private func answer(_ response: WebResponse, _ context: ChannelHandlerContext) {
    isAnswered = true
    head = []
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: response.bytes)), promise: nil)
    context.close(promise: nil)
  }
}
