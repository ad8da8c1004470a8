import NIOCore
import SimplexTransport

/// Joins TLS to handlers of NIO: decrypted bytes go up the pipeline, and written bytes are encrypted.
///
/// Stands directly after the TLS handler, on the same event loop.
final class PlaintextHandler: ChannelDuplexHandler, PlaintextReceiver {
  typealias InboundIn = Never
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = Never

  private let tls: TLSHandler
  private var context: ChannelHandlerContext?
  private var isClosed = false
  /// The plaintext of the next record.
  private var gathered: ByteBuffer?
  /// The writes that end in it.
  private var promises: [EventLoopPromise<Void>] = []
  /// When the peer last sent something.
  private(set) var lastReceived = NIODeadline.now()

  private let unread: UnreadFrames

  init(_ tls: TLSHandler, _ unread: UnreadFrames) {
    self.tls = tls
    self.unread = unread
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: From TLS

  /// As much as arrives from a socket at once; a whole number of records.
  private static let readSize = 4 * TLSEngine.recordSize

  func read(from engine: TLSEngine) throws(TLSError) -> Bool {
    lastReceived = .now()
    while engine.mayHaveInput, let context, !isClosed {
      var buffer = context.channel.allocator.buffer(capacity: Self.readSize)
      var failure: TLSError?
      var reading = TLSEngine.Reading.bytes(0)
      while failure == nil, case .bytes = reading, engine.mayHaveInput, buffer.writableBytes >= TLSEngine.recordSize {
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: TLSEngine.recordSize) { space in
          do throws(TLSError) { reading = try engine.read(into: space) } catch { failure = error }
          if failure == nil, case .bytes(let count) = reading { return count }
          return 0
        }
      }
      if buffer.readableBytes > 0 { receive(Self.fitted(buffer, context.channel), context) }
      if let failure { throw failure }
      switch reading {
      case .bytes: continue
      case .needsInput: return false
      case .ended: return true
      }
    }
    return false
  }

  private func receive(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
    context.fireChannelRead(wrapInboundOut(buffer))
    unread.note(buffer)
  }

  /// A buffer that is mostly empty is copied: frames are slices of it, and a peer that sends them byte by byte must not
  /// cost a whole buffer for each.
  private static func fitted(_ buffer: ByteBuffer, _ channel: any Channel) -> ByteBuffer {
    guard buffer.readableBytes <= buffer.capacity / 2 else { return buffer }
    var copy = channel.allocator.buffer(capacity: buffer.readableBytes)
    copy.writeImmutableBuffer(buffer)
    return copy
  }

  func readComplete() {
    context?.fireChannelReadComplete()
    // Streams whose handlers wait have taken their frames.
    if !unread.areWithinLimit() { context?.channel.close(promise: nil) }
  }

  func writabilityChanged(_ isWritable: Bool) { context?.fireChannelWritabilityChanged() }

  func connectionClosed(_ error: TransportError?) {
    guard !isClosed else { return }
    isClosed = true
    gathered = nil
    let waiting = promises
    promises = []
    for promise in waiting { promise.fail(error ?? TransportError.closed) }
    if let error { context?.fireErrorCaught(error) }
    context?.fireChannelInactive()
  }

  // MARK: To TLS

  // A frame is written as its head and its content: they are gathered, so that both are in one record. Whole records of
  // the content are encrypted where they are.

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosed else {
      promise?.fail(TransportError.closed)
      return
    }
    var buffer = unwrapOutboundIn(data)
    // The promise belongs to the record that holds the last byte of this write; those in `promises` to the next record.
    var promise = promise
    func noteEnd() { if buffer.readableBytes == 0, let promise = promise.take() { promises.append(promise) } }
    while buffer.readableBytes > 0 {
      let whole = buffer.readableBytes / TLSEngine.recordSize * TLSEngine.recordSize
      if gathered == nil, whole > 0, let records = buffer.readSlice(length: whole) {
        noteEnd()
        write(records)
        continue
      }
      var record = gathered.take() ?? context.channel.allocator.buffer(capacity: TLSEngine.recordSize)
      if var part = buffer.readSlice(length: min(buffer.readableBytes, TLSEngine.recordSize - record.readableBytes)) {
        record.writeBuffer(&part)
      }
      noteEnd()
      if record.readableBytes >= TLSEngine.recordSize { write(record) } else { gathered = record }
    }
    noteEnd()
  }

  func flush(context: ChannelHandlerContext) {
    writeRecord()
    tls.flush()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    writeRecord()
    context.close(mode: mode, promise: promise)
  }

  /// Encrypts what was gathered.
  private func writeRecord() {
    guard let record = gathered.take() else {
      let waiting = promises
      promises = []
      for promise in waiting { promise.succeed() }
      return
    }
    write(record)
  }

  /// Encrypts the next records. The writes that end in them are done when they were passed to the system.
  private func write(_ records: ByteBuffer) {
    let waiting = promises
    promises = []
    for promise in waiting.dropFirst() { waiting.first?.futureResult.cascade(to: promise) }
    do throws(TransportError) {
      try tls.write(records.readableBytesSpan, promise: waiting.first)
    } catch {
      waiting.first?.fail(error)
    }
  }
}
