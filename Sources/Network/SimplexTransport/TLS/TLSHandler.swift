import NIOCore

/// The layer above TLS on a connection. It is called on the connection's event loop and pulls its plaintext from the
/// engine, so that bytes are decrypted straight into their destination.
package protocol PlaintextReceiver: AnyObject {
  /// Ciphertext arrived: read from the engine until it needs input. Returns whether the peer ended its side.
  func read(from engine: TLSEngine) throws(TLSError) -> Bool
  /// The peer has closed the connection: read what was left in the engine.
  func readRest(from engine: TLSEngine)
  /// All data that was received together was read.
  func readComplete()
  /// The peer takes data more slowly than we write, or has caught up.
  func writabilityChanged(_ isWritable: Bool)
  /// The connection was closed; called once. Without an error the peer or we closed it gracefully.
  func connectionClosed(_ error: TransportError?)
}

extension PlaintextReceiver {
  /// Nothing is left by a receiver that always reads everything.
  package func readRest(from engine: TLSEngine) {}
}

/// The deadlines of the steps of a connection.
struct TLSDeadlines: Sendable {
  /// For the handshake; nil where another component enforces it.
  var handshake: TimeAmount?
  /// For a peer that does not take what we send.
  var stall: TimeAmount
  /// For the transmission of the last bytes when a connection is closed.
  var close: TimeAmount = .seconds(5)
}

/// TLS on a NIO channel: drives a ``TLSEngine`` with what the socket receives and accepts.
///
/// Governs handshake, alerts, graceful close, deadlines and back-pressure. Knows nothing about the content. The
/// receiver does not exist before the handshake is finished, so it needs no state for it.
package final class TLSHandler: ChannelInboundHandler, ChannelOutboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias OutboundIn = Never
  package typealias OutboundOut = ByteBuffer

  /// Called once when the handshake has succeeded or failed. After success it creates the receiver, and may already
  /// write; nil closes the connection.
  typealias HandshakeEnded = (TLSHandler, Result<TLSSession, TransportError>) -> (any PlaintextReceiver)?

  private enum State {
    case idle(HandshakeEnded)
    case handshaking(HandshakeEnded, deadline: Scheduled<Void>?)
    /// The receiver is nil only while it is being created.
    case established((any PlaintextReceiver)?)
    /// Our side has ended, and its last bytes are being transmitted.
    case closing((any PlaintextReceiver)?)
    case closed
  }

  private let engine: TLSEngine
  private let deadlines: TLSDeadlines
  /// A server stops reading from a client that does not read. Clients must not do the same, or both would wait.
  private let readsOnlyWhileWritable: Bool

  /// With whom a server's handshakes share the event loop; nil for a client.
  private let turns: HandshakeTurns?
  /// Whether what has arrived waits for a turn.
  private var waitsForTurn = false

  private var state: State
  private var context: ChannelHandlerContext?
  private var hasPendingRead = false
  private var stallDeadline: Scheduled<Void>?
  /// Why the connection ends, unless it is closed gracefully.
  private var failure: TransportError?

  init(
    engine: TLSEngine, deadlines: TLSDeadlines, readsOnlyWhileWritable: Bool, turns: HandshakeTurns? = nil,
    handshakeEnded: @escaping HandshakeEnded
  ) {
    self.engine = engine
    self.deadlines = deadlines
    self.readsOnlyWhileWritable = readsOnlyWhileWritable
    self.turns = turns
    state = .idle(handshakeEnded)
  }

  // MARK: Lifecycle of the channel

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { startHandshake(context) }
  }

  package func channelActive(context: ChannelHandlerContext) { startHandshake(context) }

  package func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  package func channelInactive(context: ChannelHandlerContext) { end() }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(TransportError(error), context)
  }

  private func startHandshake(_ context: ChannelHandlerContext) {
    guard case .idle(let handshakeEnded) = state else { return }
    let deadline = deadlines.handshake.map { limit in
      context.eventLoop.assumeIsolated().scheduleTask(in: limit) { self.fail(.connectTimeout(.tls), context) }
    }
    state = .handshaking(handshakeEnded, deadline: deadline)
    advanceHandshake(context)
  }

  private func advanceHandshake(_ context: ChannelHandlerContext) {
    do {
      let session = try engine.handshake()
      flush(context)
      guard let session, case .handshaking(let handshakeEnded, let deadline) = state else { return }
      deadline?.cancel()
      state = .established(nil)
      establish(handshakeEnded(self, .success(session)), context)
    } catch {
      fail(.tls(error), context)
    }
  }

  private func establish(_ receiver: (any PlaintextReceiver)?, _ context: ChannelHandlerContext) {
    guard let receiver else {
      state = .closed
      return context.close(promise: nil)
    }
    // The receiver may have added handlers. Fails only on a closed channel.
    try? Connections.end(context.channel)
    switch state {
    case .established:
      state = .established(receiver)
      readPlaintext(context)
    case .closing: state = .closing(receiver)
    // The write of a receiver during its creation failed.
    case .idle, .handshaking, .closed: receiver.connectionClosed(failure)
    }
  }

  /// Ends with an error: sends the alert that TLS has for it, and closes the connection at once.
  private func fail(_ error: TransportError, _ context: ChannelHandlerContext) {
    if case .closed = state { return }
    if failure == nil { failure = error }
    flush(context)
    end()
    context.close(promise: nil)
  }

  private func end() {
    stallDeadline?.cancel()
    stallDeadline = nil
    let previous = state
    state = .closed
    switch previous {
    case .idle(let handshakeEnded): _ = handshakeEnded(self, .failure(failure ?? .closed))
    case .handshaking(let handshakeEnded, let deadline):
      deadline?.cancel()
      _ = handshakeEnded(self, .failure(failure ?? .tls(.handshakeInterrupted)))
    case .established(let receiver):
      receiver?.readRest(from: engine)
      receiver?.connectionClosed(failure)
    case .closing(let receiver): receiver?.connectionClosed(failure)
    case .closed: break
    }
  }

  // MARK: Receiving

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .handshaking:
      engine.receive(unwrapInboundIn(data))
      guard let turns else { return advanceHandshake(context) }
      guard !waitsForTurn else { return }
      waitsForTurn = true
      turns.add { [self] in
        waitsForTurn = false
        guard case .handshaking = state, let context = self.context else { return }
        advanceHandshake(context)
        // The handler may have read what followed the handshake.
        if case .established = state { channelReadComplete(context: context) }
        readIfPending(context)
      }
    case .established:
      engine.receive(unwrapInboundIn(data))
      readPlaintext(context)
    case .idle, .closing, .closed: break
    }
  }

  private func readPlaintext(_ context: ChannelHandlerContext) {
    guard case .established(let receiver?) = state else { return }
    do {
      if try receiver.read(from: engine) { close(context, promise: nil) }
    } catch {
      fail(.tls(error), context)
    }
  }

  /// Has another receiver take the place of the present one, which is called no more; it may have added handlers. What
  /// has arrived is not read before ``readHeld()``. On the event loop only.
  func replaceReceiver(_ receiver: any PlaintextReceiver) throws(TransportError) {
    guard case .established(.some) = state, let context else { throw failure ?? .closed }
    do { try Connections.end(context.channel) } catch { throw TransportError(error) }
    state = .established(receiver)
  }

  /// Has the receiver read what it left in the engine. On the event loop only.
  func readHeld() {
    guard let context else { return }
    readPlaintext(context)
    channelReadComplete(context: context)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    if case .established(let receiver?) = state { receiver.readComplete() }
    // Reading may have produced an answer of TLS itself, such as to a key update.
    flush(context)
  }

  package func read(context: ChannelHandlerContext) {
    let isPaused = waitsForTurn || readsOnlyWhileWritable && !context.channel.isWritable
    if isPaused { hasPendingRead = true } else { context.read() }
  }

  private func readIfPending(_ context: ChannelHandlerContext) {
    guard hasPendingRead else { return }
    hasPendingRead = false
    read(context: context)
  }

  // MARK: Sending

  /// Encrypts and queues bytes; `promise` is fulfilled when the system has accepted them. On the event loop only.
  package func write(_ plaintext: RawSpan, promise: EventLoopPromise<Void>? = nil) throws(TransportError) {
    guard case .established = state, let context else { throw failure ?? .closed }
    do { try engine.write(plaintext) } catch {
      let failure = TransportError.tls(error)
      fail(failure, context)
      throw failure
    }
    if let ciphertext = engine.outbound.take() {
      context.write(wrapOutboundOut(ciphertext), promise: promise)
    } else {
      promise?.succeed()
    }
  }

  /// Passes queued bytes to the system. On the event loop only.
  package func flush() { context?.flush() }

  private func flush(_ context: ChannelHandlerContext) {
    guard let ciphertext = engine.outbound.take() else { return }
    context.writeAndFlush(wrapOutboundOut(ciphertext), promise: nil)
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    let isWritable = context.channel.isWritable
    stallDeadline?.cancel()
    stallDeadline =
      isWritable
      ? nil
      : context.eventLoop.assumeIsolated().scheduleTask(in: deadlines.stall) { self.fail(.stalled, context) }
    readIfPending(context)
    if case .established(let receiver?) = state { receiver.writabilityChanged(isWritable) }
  }

  // MARK: Closing

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .all { close(context, promise: promise) } else { context.close(mode: mode, promise: promise) }
  }

  /// Closes gracefully: what was written is still transmitted, followed by TLS's close notification.
  private func close(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
    let receiver: (any PlaintextReceiver)?
    switch state {
    case .established(let current): receiver = current
    // The last bytes are being transmitted already, and should not be cut off.
    case .closing: return context.channel.closeFuture.cascade(to: promise)
    case .idle, .handshaking, .closed: return context.close(promise: promise)
    }
    state = .closing(receiver)
    engine.shutdown()
    let loop = context.eventLoop.assumeIsolated()
    let sent = context.eventLoop.makePromise(of: Void.self)
    let deadline = loop.scheduleTask(in: deadlines.close) { context.close(promise: nil) }
    sent.futureResult.assumeIsolated().whenComplete { _ in
      deadline.cancel()
      context.close(promise: promise)
    }
    context.writeAndFlush(wrapOutboundOut(engine.outbound.take() ?? ByteBuffer()), promise: sent)
  }
}
