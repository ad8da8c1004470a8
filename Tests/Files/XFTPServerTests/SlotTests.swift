import Foundation
import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

/// The places of transfers: their order, and what frees them.
@Suite("Places for transfers of file relays", .serialized, .timeLimit(.minutes(1)))
struct SlotTests {
  /// A connection that begins uploads and sends nothing by itself.
  private struct Uploader {
    let connection: HTTP2Connection
    private let session: SessionContext

    init(_ relay: TestFileRelay) async throws {
      let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []))
      connection = try await client.connect(
        host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
      session = SessionContext(version: 1, sessionID: SessionID(connection.session.identifier))
    }

    func begin(_ chunk: TestChunk, _ sender: EntityID) async throws -> HTTP2Stream {
      var random = SystemRandom()
      let block = try XFTPBlock.command(
        .fput, entity: sender, correlation: CorrelationID(using: &random),
        signer: try CommandSigner(chunk.key, serverKey: nil), in: session)
      let stream = try await connection.request(method: "POST")
      try await stream.send(block)
      return stream
    }
  }

  /// What has begun, in order.
  private final class Order: Sendable {
    private let state = Mutex<[Int]>([])

    var value: [Int] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
  }

  /// Slots of their own, of which none stalls unless that is changed, and streams for their transfers.
  private func withSlots(
    limit: Int, streams count: Int, _ change: (inout XFTPServerConfiguration) -> Void = { _ in },
    _ body: (FileTransferSlots, [HTTP2Stream]) async throws -> Void
  ) async throws {
    let relay = try await TestFileRelay.start()
    let uploader = try await Uploader(relay)
    var streams: [HTTP2Stream] = []
    for _ in 0..<count { streams.append(try await uploader.connection.request(method: "POST")) }
    var configuration = relay.configuration
    configuration.transferLimit = limit
    configuration.transferStall = .seconds(3_600)
    change(&configuration)
    try await body(FileTransferSlots(configuration), streams)
    uploader.connection.close()
    await relay.server.stop()
  }

  /// Whoever waits longest is next, unless its connection has too many.
  @Test func transfersBeginInTheirOrder() async throws {
    try await withSlots(limit: 2, streams: 6, { $0.transfersPerConnection = 1 }) { slots, streams in
      let clients = (0..<3).map { _ in NSObject() }
      let ids = clients.map { ObjectIdentifier($0) }
      let begun = Order()
      let first = try #require(await slots.begin(streams[0], of: ids[0]))
      let second = try #require(await slots.begin(streams[1], of: ids[1]))
      // One of the first connection, which may have one, and then one of the third.
      var waiting: [Task<Int?, Never>] = []
      for (index, id) in [(2, ids[0]), (3, ids[2])] {
        let expected = slots.waitingCount + 1
        waiting.append(
          Task {
            let slot = await slots.begin(streams[index], of: id)
            if slot != nil { begun.add(index) }
            return slot
          })
        while slots.waitingCount < expected { try await Task.sleep(for: .milliseconds(1)) }
      }
      // There is room for as many that wait as may run, and for one of each connection.
      #expect(await slots.begin(streams[4], of: ids[1]) == nil)
      slots.end(second)
      let third = try #require(await waiting[1].value)
      #expect(begun.value == [3] && slots.count == 2 && slots.waitingCount == 1)
      slots.end(first)
      let fourth = try #require(await waiting[0].value)
      #expect(begun.value == [3, 2] && slots.count == 2 && slots.waitingCount == 0)
      slots.end(third)
      slots.end(fourth)
      // A slot is not ended twice.
      slots.end(fourth)
      #expect(slots.count == 0)
      withExtendedLifetime(clients) {}
    }
  }

  /// A transfer whose task is cancelled neither waits nor begins.
  @Test func cancelledTransfersDoNotWait() async throws {
    try await withSlots(limit: 1, streams: 2) { slots, streams in
      let client = NSObject()
      let id = ObjectIdentifier(client)
      let first = try #require(await slots.begin(streams[0], of: id))
      let waiting = Task { await slots.begin(streams[1], of: id) }
      while slots.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      waiting.cancel()
      #expect(await waiting.value == nil && slots.waitingCount == 0)
      // Also before it waits, and while slots become free.
      for _ in 0..<200 {
        let task = Task { await slots.begin(streams[1], of: id) }
        task.cancel()
        #expect(await task.value == nil)
      }
      for _ in 0..<200 {
        let task = Task { await slots.begin(streams[1], of: id) }
        async let cancelled: Void = { task.cancel() }()
        if let begun = await task.value { slots.end(begun) }
        await cancelled
        #expect(slots.count == 1 && slots.waitingCount == 0)
      }
      slots.end(first)
      #expect(slots.count == 0)
      withExtendedLifetime(client) {}
    }
  }

  /// A transfer does not wait any more when its stream has ended, by itself or with its connection.
  @Test func transfersOfEndedStreamsDoNotWait() async throws {
    try await withSlots(limit: 1, streams: 3) { slots, streams in
      let client = NSObject()
      let id = ObjectIdentifier(client)
      let first = try #require(await slots.begin(streams[0], of: id))
      let waiting = Task { await slots.begin(streams[1], of: id) }
      while slots.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      streams[1].reset()
      #expect(await waiting.value == nil && slots.waitingCount == 0)
      // Also where it has ended before.
      #expect(await slots.begin(streams[1], of: id) == nil)
      #expect(slots.count == 1 && slots.waitingCount == 0)
      slots.end(first)
      withExtendedLifetime(client) {}
    }
    let relay = try await TestFileRelay.start {
      $0.transferLimit = 1
      $0.transferStall = .seconds(3_600)
    }
    let transfers = relay.server.relay.transfers
    let chunk = TestChunk(size: 1 << 20)
    let good = try await relay.connect()
    let (sender, _) = try await good.create(chunk.request, key: chunk.key)
    let (running, waiting) = (try await Uploader(relay), try await Uploader(relay))
    let stream = try await running.begin(chunk, sender)
    while transfers.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
    let second = try await waiting.begin(chunk, sender)
    while transfers.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    waiting.connection.close()
    while transfers.waitingCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(transfers.count == 1)
    withExtendedLifetime((stream, second)) {}
    running.connection.close()
    good.close()
    await relay.server.stop()
  }

  /// Those that wait too long are refused, although nothing else happens.
  @Test func nobodyWaitsForEver() async throws {
    try await withSlots(limit: 1, streams: 2, { $0.transferStall = .milliseconds(50) }) { slots, streams in
      let client = NSObject()
      let first = try #require(await slots.begin(streams[0], of: ObjectIdentifier(client)))
      // What only waits for the disk does not stall.
      slots.noteStoring(of: first)
      #expect(await slots.begin(streams[1], of: ObjectIdentifier(client)) == nil)
      #expect(slots.count == 1 && slots.waitingCount == 0)
      withExtendedLifetime(client) {}
    }
  }

  /// Uploads that trickle do not keep others out: those end of which less than a step comes in the time.
  @Test func trickledUploadsLeaveRoomForOthers() async throws {
    let relay = try await TestFileRelay.start(quota: 64 << 20) {
      $0.transferLimit = 4
      $0.transferStall = .milliseconds(500)
    }
    let chunk = TestChunk(size: 1 << 20)
    let good = try await relay.connect()
    let uploader = try await Uploader(relay)
    var trickles: [Task<Bool, Never>] = []
    for _ in 0..<4 {
      let slow = TestChunk(size: 1 << 20)
      let (sender, _) = try await good.create(slow.request, key: slow.key)
      let stream = try await uploader.begin(slow, sender)
      trickles.append(
        Task {
          do {
            for byte in slow.bytes.prefix(100_000) {
              try await stream.send([byte])
              try await Task.sleep(for: .milliseconds(20))
            }
            return false
          } catch {
            return true
          }
        })
    }
    while relay.server.relay.transfers.count < 4 { try await Task.sleep(for: .milliseconds(5)) }
    let (sender, recipients) = try await good.create(chunk.request, key: chunk.key)
    try await good.upload(chunk, to: sender)
    #expect(try await good.download(chunk, of: recipients[0]) == chunk.bytes)
    // One of them had to end for it; the others end with their connection, and what came of them is gone.
    while relay.server.relay.transfers.count >= 4 { try await Task.sleep(for: .milliseconds(5)) }
    uploader.connection.close()
    for trickle in trickles { #expect(await trickle.value) }
    while relay.server.relay.transfers.count > 0 || relay.server.usage.reserved > 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(relay.folder.files("files").count == 1)
    good.close()
    await relay.server.stop()
  }

  /// An upload may take longer than the time for a part, as long as parts come.
  @Test func slowUploadsRenewTheirDeadline() async throws {
    let relay = try await TestFileRelay.start { $0.transferTimeout = .seconds(2) }
    let chunk = TestChunk(size: 256 << 10)
    let client = try await relay.connect()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    let uploader = try await Uploader(relay)
    let stream = try await uploader.begin(chunk, sender)
    // Four parts of 64 KB, each of which takes less than the time, and all more.
    for start in stride(from: 0, to: chunk.bytes.count, by: 32 << 10) {
      try await Task.sleep(for: .milliseconds(400))
      try await stream.send(
        Array(chunk.bytes[start..<start + (32 << 10)]), isLast: start + (32 << 10) == chunk.bytes.count)
    }
    #expect(try await stream.head().status == 200)
    while try await stream.read() != nil {}
    #expect(relay.server.usage.chunks == 1)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    uploader.connection.close()
    client.close()
    await relay.server.stop()
  }
}
