import NIOCore

/// A ``BlockConnection`` for tasks: blocks arrive as an asynchronous sequence with back-pressure.
public final class AsyncBlockConnection: Sendable {
  fileprivate typealias Producer = NIOThrowingAsyncSequenceProducer<
    [UInt8], any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, ReadingSwitch
  >

  /// The blocks that arrive, in order; ends when the connection is closed gracefully, and otherwise throws a
  /// ``TransportError``. To be iterated once.
  public struct Blocks: AsyncSequence, Sendable {
    fileprivate let sequence: Producer

    /// Returns one block after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let iterator: Producer.AsyncIterator

      /// The next block; nil at the end.
      public mutating func next() async throws -> [UInt8]? { try await iterator.next() }
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: sequence.makeAsyncIterator()) }
  }

  /// The connection itself.
  public let connection: BlockConnection
  /// The blocks that arrive.
  public let blocks: Blocks
  /// Runs tasks on the connection's thread, where sending and receiving need no thread switch.
  public let tasks: EventLoopTasks

  private init(connection: BlockConnection, blocks: Blocks) {
    self.connection = connection
    self.blocks = blocks
    tasks = EventLoopTasks(connection.eventLoop)
  }

  deinit { connection.close() }

  /// The result of the TLS handshake.
  public var session: TLSSession { connection.session }

  /// Sends blocks of ``BlockConnection/blockSize`` bytes each; returns when the system has taken them.
  public func send(_ blocks: [UInt8]...) async throws(TransportError) { try await send(blocks: blocks) }

  /// Sends blocks of ``BlockConnection/blockSize`` bytes each; returns when the system has taken them.
  public func send(blocks: [[UInt8]]) async throws(TransportError) {
    let promise = connection.eventLoop.makePromise(of: Void.self)
    connection.perform { [connection] in
      do throws(TransportError) {
        for block in blocks.dropLast() { try connection.write(block.span.bytes) }
        guard let last = blocks.last else { return promise.succeed() }
        try connection.write(last.span.bytes, promise: promise)
        connection.flush()
      } catch {
        promise.fail(error)
      }
    }
    do { try await promise.futureResult.get() } catch { throw TransportError(error) }
  }

  /// Closes gracefully: blocks that were sent are still transmitted.
  public func close() { connection.close() }

  /// Connects as ``TransportClient/connect(host:port:policy:options:makeHandler:)`` does. Up to `window` blocks are
  /// buffered in memory; then reading pauses and the server has to wait.
  public static func connect(
    _ client: TransportClient, host: String, port: Int, policy: ChainPolicy,
    options: TransportClient.Options = .init(), window: Int = 16
  ) async throws(TransportError) -> AsyncBlockConnection {
    let reading = ReadingSwitch()
    let producer = Producer.makeSequence(
      elementType: [UInt8].self, failureType: (any Error).self,
      backPressureStrategy: .init(lowWatermark: max(1, window / 2), highWatermark: max(1, window)),
      finishOnDeinit: false, delegate: reading)
    let source = producer.source
    do {
      let connection = try await client.connect(host: host, port: port, policy: policy, options: options) {
        connection in
        reading.attach(connection)
        return BlockYielder(source, connection)
      }
      return AsyncBlockConnection(connection: connection, blocks: Blocks(sequence: producer.sequence))
    } catch {
      source.finish()
      throw error
    }
  }

  /// Passes blocks from the event loop to the sequence.
  private final class BlockYielder: BlockHandler {
    private let source: Producer.Source
    private weak var connection: BlockConnection?

    init(_ source: Producer.Source, _ connection: BlockConnection) {
      self.source = source
      self.connection = connection
    }

    func blockReceived(_ block: inout MutableRawSpan) {
      let copy = block.withUnsafeBytes { [UInt8]($0) }
      if case .stopProducing = source.yield(copy) { connection?.setReading(false) }
    }

    func connectionClosed(_ error: TransportError?) {
      if let error { source.finish(error) } else { source.finish() }
    }
  }
}
