import NIOCore

/// An established connection that carries blocks of one size over TLS.
///
/// A connection costs no task and no thread: its ``BlockHandler`` is called on the event loop. Methods that are marked
/// accordingly may be called only there; ``perform(_:)`` dispatches to it from elsewhere.
///
/// Unchecked: all mutable state is used on the event loop alone, which is asserted.
public final class BlockConnection: @unchecked Sendable {
  /// The result of the TLS handshake.
  public let session: TLSSession
  /// The size of a block in bytes.
  public let blockSize: Int
  private let channel: any Channel
  private let tls: TLSHandler
  private var handler: (any BlockHandler)?
  /// The incoming block, and the number of its bytes received; owns no memory between blocks.
  private var block: UnsafeMutableRawBufferPointer?
  private var filled = 0
  /// The deadline for the rest of a block; nil for none.
  private let blockTimeout: TimeAmount?
  /// When the block that has arrived in part began, or reading was resumed since; nil between blocks.
  private var partialSince: NIODeadline?
  /// Whether a check of the deadline is scheduled: one serves all blocks that begin meanwhile.
  private var isCheckScheduled = false
  private var isReading = true
  /// Whether ciphertext that has arrived waits until reading is resumed.
  private var isHolding = false
  private var isResuming = false
  /// Whether the peer has closed: what has arrived is delivered, whether reading is paused or not.
  private var isEnding = false

  /// The handler is made by `makeHandler`, on the event loop.
  init(
    session: TLSSession, channel: any Channel, tls: TLSHandler, blockSize: Int = transportBlockSize,
    blockTimeout: Duration? = nil,
    makeHandler: (BlockConnection) -> any BlockHandler
  ) {
    self.session = session
    self.channel = channel
    self.tls = tls
    self.blockSize = blockSize
    self.blockTimeout = blockTimeout.map(TimeAmount.init)
    limitMemory()
    handler = makeHandler(self)
  }

  deinit { block?.deallocate() }

  /// The event loop that the handler is called on.
  public var eventLoop: any EventLoop { channel.eventLoop }

  /// The address of the peer, or of the proxy if there is one; nil where it is not known.
  public var peerAddress: String? { channel.remoteAddress?.ipAddress }

  /// Runs `body` on the event loop, in the order of calls from one thread.
  public func perform(_ body: @escaping @Sendable () -> Void) { channel.eventLoop.execute(body) }

  /// Whether the peer keeps up. Writing still works when it does not, but takes memory. From any thread.
  public var isWritable: Bool { channel.isWritable }

  /// Encrypts and queues a block of ``blockSize`` bytes; nothing is transmitted before ``flush()``. On the
  /// event loop only.
  public func write(_ block: RawSpan) throws(TransportError) { try write(block, promise: nil) }

  func write(_ block: RawSpan, promise: EventLoopPromise<Void>?) throws(TransportError) {
    channel.eventLoop.preconditionInEventLoop()
    guard block.byteCount == blockSize else { throw .blockSize(block.byteCount) }
    try tls.write(block, promise: promise)
  }

  /// Transmits the blocks that were written. On the event loop only.
  public func flush() {
    channel.eventLoop.preconditionInEventLoop()
    tls.flush()
  }

  /// Stops or resumes the delivery of blocks: what has arrived in one is still delivered. On the event loop only.
  public func setReading(_ isReading: Bool) {
    channel.eventLoop.preconditionInEventLoop()
    self.isReading = isReading
    if isReading, partialSince != nil { partialSince = .now() }
    guard isReading, isHolding else { return setAutoRead(isReading) }
    guard !isResuming else { return }
    isResuming = true
    // Not at once: the caller may be the handler of the block that is delivered right now.
    channel.eventLoop.assumeIsolated().execute { self.resume() }
  }

  /// What a peer that reads nothing, or whose blocks are not read, can make this side keep: two blocks each way.
  private func limitMemory() {
    let size = 2 * blockSize
    // Fails only on a closed channel.
    try? channel.syncOptions?.setOption(.recvAllocator, value: TransientReceiveAllocator(size: size))
    try? channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: size / 2, high: size))
  }

  /// Delivers what has arrived, then reads on.
  private func resume() {
    isResuming = false
    guard isReading, handler != nil else { return }
    tls.readHeld()
    if isReading { setAutoRead(true) }
  }

  /// Ends the reading and writing of blocks: another layer takes the connection over, with the byte after the last
  /// block that was delivered. The handler is called no more. On the event loop only.
  /// - Parameter establish: adds the handlers of the layer to the channel, and returns the receiver of its bytes.
  /// - Throws: `truncatedBlock` if a part of a block was read: reading has to be paused from the last block on;
  ///   `closed`, after which the connection is closed.
  package func handOver(
    _ establish: (any Channel, TLSHandler) throws -> any PlaintextReceiver
  ) throws(TransportError) {
    channel.eventLoop.preconditionInEventLoop()
    handler = nil
    do {
      guard filled == 0 else { throw TransportError.truncatedBlock(received: filled) }
      try tls.replaceReceiver(establish(channel, tls))
      try channel.syncOptions?.setOption(.recvAllocator, value: TransientReceiveAllocator())
    } catch {
      close()
      throw TransportError(error)
    }
    channel.eventLoop.assumeIsolated().execute { [self] in
      tls.readHeld()
      setAutoRead(true)
    }
  }

  private func setAutoRead(_ isOn: Bool) {
    // Fails only on a closed channel.
    try? channel.syncOptions?.setOption(.autoRead, value: isOn)
  }

  /// Calls `body` when the connection is closed, also after ``handOver(_:)``; at once where it is. On any thread.
  public func whenClosed(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

  /// Closes gracefully: blocks that were written are still transmitted. From any thread.
  public func close() { channel.close(promise: nil) }
}

extension BlockConnection: PlaintextReceiver {
  package func read(from engine: TLSEngine) throws(TLSError) -> Bool {
    defer {
      releaseEmptyBlock()
      watch(engine)
    }
    isHolding = false
    while engine.mayHaveInput, handler != nil {
      guard isReading || isEnding else {
        isHolding = true
        return false
      }
      let block = self.block ?? .allocate(byteCount: blockSize, alignment: 16)
      self.block = block
      let reading = try engine.read(into: UnsafeMutableRawBufferPointer(rebasing: block[filled...]))
      switch reading {
      case .bytes(let count):
        filled += count
        if filled == blockSize { deliver(block) }
      case .needsInput: return false
      case .ended: return true
      }
    }
    return false
  }

  private func deliver(_ block: UnsafeMutableRawBufferPointer) {
    filled = 0
    partialSince = nil
    var span = block.mutableBytes
    handler?.blockReceived(&span)
  }

  private func releaseEmptyBlock() {
    guard filled == 0 else { return }
    block?.deallocate()
    block = nil
  }

  /// Notes whether a part of a block, or of a TLS record, has arrived. A peer that never sends the rest would keep its
  /// memory for ever.
  private func watch(_ engine: TLSEngine) {
    guard let blockTimeout, handler != nil else { return }
    guard filled > 0 || engine.hasPartialRecord else { return partialSince = nil }
    let since = partialSince ?? .now()
    partialSince = since
    if !isCheckScheduled { scheduleCheck(at: since + blockTimeout) }
  }

  private func scheduleCheck(at deadline: NIODeadline) {
    isCheckScheduled = true
    channel.eventLoop.scheduleTask(deadline: deadline) { [weak self] in self?.checkDeadline() }
  }

  /// Closes the connection if its block is late. The deadline does not run while reading is paused.
  private func checkDeadline() {
    isCheckScheduled = false
    guard let blockTimeout, let since = partialSince, handler != nil else { return }
    let now = NIODeadline.now()
    let deadline = (isReading ? since : now) + blockTimeout
    if deadline > now { scheduleCheck(at: deadline) } else { close() }
  }

  package func readRest(from engine: TLSEngine) {
    guard isHolding else { return }
    isEnding = true
    // What cannot be decrypted is lost with the connection.
    _ = try? read(from: engine)
  }

  package func readComplete() { handler?.blocksComplete() }

  package func writabilityChanged(_ isWritable: Bool) { handler?.writabilityChanged(isWritable) }

  package func connectionClosed(_ error: TransportError?) {
    // The memory of the block is kept: the handler may be reading it right now.
    let handler = self.handler
    self.handler = nil
    handler?.connectionClosed(error ?? (filled > 0 ? .truncatedBlock(received: filled) : nil))
  }
}
