import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Synchronization
import Testing

@Suite("A connection to a relay, over links in memory", .timeLimit(.minutes(1)))
struct SMPConnectionTests {
  private let queue = EntityID([1, 2, 3])
  private let message = BrokerMessage.msg(SealedMessage(id: MessageID([5]), box: [1]))

  private func connect(
    _ configuration: SMPClientConfiguration = SMPClientConfiguration(), answer: @escaping FakeLink.Answer
  ) async throws -> (SMPConnection, FakeLink) {
    let link = try FakeLink(answer: answer)
    return (try await SMPConnection.establish(link, keyHash: [1], configuration), link)
  }

  @Test func manyCommandsAtOnce() async throws {
    let (connection, _) = try await connect { command in
      if case .success(.send(let request)) = command.message, request.body.count.isMultiple(of: 3) {
        return .err(.QUOTA)
      }
      return .ok
    }
    let results = await withTaskGroup { group in
      for size in 0..<500 {
        group.addTask { () -> (Int, Result<BrokerMessage, SMPClientError>) in
          let request = RequestPipeline.Request(
            .send(SendRequest(body: [UInt8](repeating: 1, count: size))), entity: queue)
          // Not inside the tuple: Swift 6.3.1 would return a wrong size with a failure (ARCHITECTURE.md).
          let result: Result<BrokerMessage, SMPClientError>
          do throws(SMPClientError) { result = .success(try await connection.perform(request)) } catch {
            result = .failure(error)
          }
          return (size, result)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 500)
    for (size, result) in results {
      #expect(result == (size.isMultiple(of: 3) ? .failure(.relay(.QUOTA)) : .success(.ok)))
    }
    await connection.close()
  }

  @Test func eventsArriveInOrderAndEndWithTheConnection() async throws {
    let (connection, link) = try await connect { _ in .pong }
    await link.push([(queue, message), (queue, .end)])
    await link.push([(queue, .deld)])
    _ = try await connection.perform(RequestPipeline.Request(.ping))
    await connection.close()
    var events: [BrokerMessage] = []
    for await event in connection.events { events.append(event.message) }
    #expect(events == [message, .end, .deld])
    await #expect(throws: SMPClientError.closed) { try await connection.perform(RequestPipeline.Request(.ping)) }
  }

  @Test func closingFailsWhatWaits() async throws {
    let (connection, _) = try await connect { _ in nil }
    let waiting = Task { () -> SMPClientError? in
      do throws(SMPClientError) {
        _ = try await connection.perform(RequestPipeline.Request(.ping))
        return nil
      } catch {
        return error
      }
    }
    await Task.yield()
    await connection.close(.timeout)
    #expect(await waiting.value == .timeout)
  }

  @Test func cancellingEndsTheWait() async throws {
    let (connection, _) = try await connect { _ in nil }
    let waiting = Task { () -> SMPClientError? in
      do throws(SMPClientError) {
        _ = try await connection.perform(RequestPipeline.Request(.ping))
        return nil
      } catch {
        return error
      }
    }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(await connection.failure == nil)
    await connection.close()
  }

  /// A relay that sends faster than its events are read has to wait, and nothing is lost.
  @Test func unreadEventsAreBoundedByTheirBytes() async throws {
    var configuration = SMPClientConfiguration()
    configuration.unreadLimit = 100_000
    configuration.requestTimeout = .seconds(2)
    let (connection, link) = try await connect(configuration) { _ in .pong }
    let sealed = SealedMessage(id: MessageID([5]), box: [UInt8](repeating: 1, count: 15_000))
    let queues = (0..<100).map { EntityID([$0]) }
    for queue in queues { await link.push([(queue, .msg(sealed))]) }
    try await link.waitUntilHeld()
    #expect(link.takenCount <= 1 + 8)
    // The response is behind them: its deadline does not run meanwhile.
    async let pong = connection.perform(RequestPipeline.Request(.ping))
    try await Task.sleep(for: .seconds(4))
    #expect(await connection.failure == nil)
    #expect(link.takenCount <= 1 + 8)
    var received: [EntityID] = []
    for await event in connection.events {
      received.append(event.entity)
      if received.count == queues.count { break }
    }
    #expect(received == queues)
    #expect(try await pong == .pong)
    await connection.close()
  }

  @Test func aConnectionThatWaitsForItsReaderCanBeClosed() async throws {
    var configuration = SMPClientConfiguration()
    configuration.unreadLimit = 3 * 256
    let (connection, link) = try await connect(configuration) { _ in nil }
    for _ in 0..<20 { await link.push([(queue, message)]) }
    try await link.waitUntilHeld()
    await connection.close()
    var count = 0
    for await _ in connection.events { count += 1 }
    #expect((3...4).contains(count))
  }

  @Test(arguments: [true, false]) func aSilentRelayIsAskedForASignOfLife(_ answers: Bool) async throws {
    let pings = Atomic<Int>(0)
    var configuration = SMPClientConfiguration()
    configuration.pingInterval = .milliseconds(100)
    configuration.requestTimeout = .seconds(1)
    configuration.pingCount = 2
    let (connection, _) = try await connect(configuration) { command in
      if command.message == .success(.ping) { pings.add(1, ordering: .relaxed) }
      return answers ? .pong : nil
    }
    if answers {
      while pings.load(ordering: .relaxed) < 4, await connection.failure == nil {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(await connection.failure == nil)
    } else {
      for await _ in connection.events {}
      #expect(await connection.failure == .timeout)
      #expect(pings.load(ordering: .relaxed) > 0)
    }
    await connection.close()
  }

  @Test func garbageClosesTheConnection() async throws {
    let (connection, link) = try await connect { _ in nil }
    link.push(block: [UInt8](repeating: 3, count: BlockBatch.blockSize))
    for await _ in connection.events {}
    #expect(await connection.failure == .transport(.badBlock))
  }

  @Test func garbageInsteadOfTheHelloIsAnError() async throws {
    let link = try FakeLink { _ in nil }
    let other = try GarbageLink(like: link)
    await #expect(throws: SMPClientError.transport(.handshake(handshakeErr: .PARSE))) {
      try await SMPConnection.establish(other, keyHash: [1])
    }
  }
}

/// A link whose first block is padded garbage.
private struct GarbageLink: BlockLink {
  let sessionID: SessionID
  let relayKey: AnyPublicKey?

  init(like link: FakeLink) throws {
    sessionID = link.sessionID
    relayKey = link.relayKey
  }

  func send(_ blocks: [[UInt8]]) async throws(SMPClientError) {}

  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError) {
    var padding = BlockSealing()
    guard let block = try? padding.seal([1, 2, 3]) else { return }
    _ = await body(block)
  }

  func close() {}
}
