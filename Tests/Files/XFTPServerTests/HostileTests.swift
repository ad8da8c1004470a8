import ChunkStore
import FileTesting
import Foundation
import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

@Suite("Hostile clients and disks of file relays", .serialized, .timeLimit(.minutes(1)))
struct HostileTests {
  /// A request that never becomes complete is given up, and nothing is held for it.
  @Test func slowRequestsEnd() async throws {
    let relay = try await TestFileRelay.start { $0.requestTimeout = .milliseconds(200) }
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []))
    let connection = try await client.connect(
      host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
    for _ in 0..<10 {
      let stream = try await connection.request(method: "POST")
      try await stream.send([UInt8](repeating: 1, count: 100))
      await #expect(throws: HTTP2Error.self) { try await stream.head() }
    }
    // Others are served.
    let other = try await relay.connect()
    try await other.ping()
    other.close()
    await relay.server.stop()
  }

  /// An upload that takes too long is given up, and its space is free again.
  @Test func slowUploadsEnd() async throws {
    let relay = try await TestFileRelay.start(quota: (1 << 20) + 1_000) { $0.transferTimeout = .milliseconds(300) }
    let chunk = TestChunk(size: 1 << 20)
    let client = try await relay.connect()
    let (sender, _) = try await client.create(chunk.request, key: chunk.key)
    await #expect(throws: FileClientError.relay(.TIMEOUT)) {
      try await client.upload(1 << 20, to: sender, key: chunk.key) { size in
        try await Task.sleep(for: .seconds(1))
        return [UInt8](repeating: 0, count: size)
      }
    }
    while relay.server.usage.reserved > 0 || !relay.folder.files("files").isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    let other = try await relay.connect()
    try await other.upload(chunk, to: sender)
    #expect(relay.server.usage.chunks == 1)
    client.close()
    other.close()
    await relay.server.stop()
  }

  /// Clients that ask for chunks and do not read them hold no more than the limits, and not for long where others wait.
  @Test func unreadDownloadsLeaveRoomForOthers() async throws {
    let relay = try await TestFileRelay.start {
      $0.transferLimit = 8
      $0.transfersPerConnection = 4
      $0.transferStall = .milliseconds(500)
    }
    let chunk = TestChunk(size: 1 << 20, recipients: 2)
    let good = try await relay.connect()
    let (sender, recipients) = try await good.create(chunk.request, key: chunk.key)
    try await good.upload(chunk, to: sender)
    var limits = HTTP2Limits.client
    limits.streamWindow = 0
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []), limits: limits)
    var connections: [HTTP2Connection] = []
    for _ in 0..<2 {
      let connection = try await client.connect(
        host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
      connections.append(connection)
      let session = SessionContext(version: 1, sessionID: SessionID(connection.session.identifier))
      for _ in 0..<6 {
        var random = SystemRandom()
        let block = try XFTPBlock.command(
          .fget(X25519.PrivateKey(using: &random).publicKey), entity: recipients[0],
          correlation: CorrelationID(using: &random), signer: try CommandSigner(chunk.recipientKeys[0], serverKey: nil),
          in: session)
        let stream = try await connection.request(method: "POST")
        try await stream.send(block, isLast: true)
      }
      while relay.server.relay.transfers.count < min(8, 4 * connections.count) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    #expect(relay.server.relay.transfers.count == 8)
    #expect(try await good.download(chunk, of: recipients[1], key: 1) == chunk.bytes)
    #expect(relay.server.relay.transfers.count <= 8)
    for connection in connections { connection.close() }
    while relay.server.relay.transfers.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
    good.close()
    await relay.server.stop()
  }

  /// A connection on which no request begins is closed; one with requests stays.
  @Test func connectionsWithoutRequestsAreClosed() async throws {
    let relay = try await TestFileRelay.start { $0.firstRequestTimeout = .seconds(2) }
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []))
    let used = try await relay.connect()
    let silent = try await client.connect(
      host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
    // It is the younger one: the time of the other has passed, too.
    await silent.closed()
    try await used.ping()
    used.close()
    await relay.server.stop()
  }

  /// Connections without traffic are closed where the operator wants it, others stay.
  @Test func inactiveConnectionsAreClosed() async throws {
    let relay = try await TestFileRelay.start { $0.inactivity = (ttl: .seconds(2), interval: .milliseconds(100)) }
    let silent = try await relay.connect()
    let used = try await relay.connect()
    try await silent.ping()
    while silent.isOpen { try await used.ping() }
    #expect(used.isOpen)
    used.close()
    await relay.server.stop()
  }

  /// Chunks that are created and never uploaded use up nothing of the quota, and what others create meanwhile can be
  /// uploaded.
  @Test func chunksWithoutBytesTakeNoQuota() async throws {
    let relay = try await TestFileRelay.start(quota: 2 << 20)
    let good = try await relay.connect()
    let earlier = TestChunk()
    let (sender, _) = try await good.create(earlier.request, key: earlier.key)
    let hostile = try await relay.connect()
    let chunk = TestChunk()
    let request = NewChunkRequest(
      chunk: chunk.request.chunk,
      recipientKeys: [AuthorizationKey](repeating: chunk.recipientKeys[0].publicKey, count: 255))
    for _ in 0..<100 { _ = try await hostile.create(request, key: chunk.key) }
    try await good.upload(earlier, to: sender)
    let later = TestChunk(size: 1 << 20)
    let (next, recipients) = try await good.create(later.request, key: later.key)
    try await good.upload(later, to: next)
    #expect(try await good.download(later, of: recipients[0]) == later.bytes)
    good.close()
    hostile.close()
    await relay.server.stop()
  }

  /// Uploads and downloads that wait for the disk, many more than processors, keep nobody else waiting.
  @Test func aSlowDiskStopsOnlyItsTransfers() async throws {
    let relay = try await TestFileRelay.start()
    await relay.server.stop()
    let isSlow = Mutex(false)
    let disk = DispatchSemaphore(value: 0)
    let waiting = Mutex(0)
    @Sendable func wait() {
      guard isSlow.withLock({ $0 }) else { return }
      waiting.withLock { $0 += 1 }
      disk.wait()
      disk.signal()
    }
    let store = WrappedStore(
      try DiskChunkStore(
        databaseFile: relay.folder.path + "/slow.db", folder: relay.folder.path + "/slow", quota: nil)
    ) { hooks in
      hooks.writing = { (_, _) throws(ChunkStoreError) in wait() }
      hooks.reading = { (_, _) throws(ChunkStoreError) in wait() }
    }
    let server = try await FileServer.start(relay.configuration, store: store)
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    func connect() async throws -> FileRelayConnection {
      try await FileRelayConnection.connect(
        to: RelayAddress(host, port: UInt16(server.port), keyHash: server.fingerprint), FileClientConfiguration())
    }
    let uploading = try await connect()
    let downloading = try await connect()
    let other = try await connect()
    let stored = TestChunk()
    let (sender, recipients) = try await uploading.create(stored.request, key: stored.key)
    try await uploading.upload(stored, to: sender)
    isSlow.withLock { $0 = true }
    // Ends a test that fails.
    let isLate = Mutex(false)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 20)
      isLate.withLock { $0 = true }
      disk.signal()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let chunk = TestChunk()
          let (sender, _) = try await uploading.create(chunk.request, key: chunk.key)
          try await uploading.upload(chunk, to: sender)
        }
        group.addTask {
          let bytes = try await downloading.download(stored, of: recipients[0])
          #expect(bytes == stored.bytes)
        }
      }
      while waiting.withLock({ $0 }) < 8, !isLate.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
      try await other.ping()
      #expect(!isLate.withLock { $0 })
      isSlow.withLock { $0 = false }
      disk.signal()
      try await group.waitForAll()
    }
    for connection in [uploading, downloading, other] { connection.close() }
    await server.stop()
  }

  /// A disk that is full in the middle refuses the upload, and takes it when there is space.
  @Test func aFullDiskIsReported() async throws {
    let relay = try await TestFileRelay.start()
    await relay.server.stop()
    let isFull = Mutex(true)
    let disk = WrappedStore(
      try DiskChunkStore(
        databaseFile: relay.folder.path + "/full.db", folder: relay.folder.path + "/full", quota: nil)
    ) { hooks in
      hooks.writing = { (_, count) throws(ChunkStoreError) in
        guard count < 500_000 || !isFull.withLock({ $0 }) else { throw .full }
      }
    }
    let server = try await FileServer.start(relay.configuration, store: disk)
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let client = try await FileRelayConnection.connect(
      to: RelayAddress(host, port: UInt16(server.port), keyHash: server.fingerprint), FileClientConfiguration())
    let chunk = TestChunk(size: 1 << 20)
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    await #expect(throws: FileClientError.relay(.QUOTA)) { try await client.upload(chunk, to: sender) }
    #expect(server.usage == ChunkUsage() && relay.folder.files("full").isEmpty)
    await #expect(throws: FileClientError.relay(.NO_FILE)) { try await client.download(chunk, of: recipients[0]) }
    isFull.withLock { $0 = false }
    try await client.upload(chunk, to: sender)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    client.close()
    await server.stop()
  }
}
