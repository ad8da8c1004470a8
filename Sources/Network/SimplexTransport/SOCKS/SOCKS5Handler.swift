import NIOCore

/// Runs a ``SOCKS5Negotiation`` on a connection to a proxy, then leaves the pipeline.
final class SOCKS5Handler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var negotiation: SOCKS5Negotiation
  /// Called once; on success it adds the next handlers.
  private var completion: ((Result<Void, SOCKS5Error>) -> Void)?

  init(_ negotiation: SOCKS5Negotiation, completion: @escaping (Result<Void, SOCKS5Error>) -> Void) {
    self.negotiation = negotiation
    self.completion = completion
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { send(negotiation.greeting, context) } else { complete(.failure(.interrupted)) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard completion != nil else { return context.fireChannelRead(data) }
    do {
      switch try negotiation.receive(unwrapInboundIn(data).readableBytesView) {
      case .wait: break
      case .send(let bytes): send(bytes, context)
      case .connected(let rest):
        complete(.success(()))
        if !rest.isEmpty { context.fireChannelRead(NIOAny(ByteBuffer(bytes: rest))) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
      }
    } catch {
      complete(.failure(error))
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    complete(.failure(.interrupted))
    context.fireChannelInactive()
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
  }

  private func complete(_ result: Result<Void, SOCKS5Error>) {
    let completion = self.completion
    self.completion = nil
    completion?(result)
  }
}
