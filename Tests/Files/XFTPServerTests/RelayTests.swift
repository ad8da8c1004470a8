import ChunkStore
import Foundation
import HTTP2Transport
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

@Suite("The file relay", .serialized)
struct RelayTests {
  @Test(arguments: [true, false])
  func storesAndDeliversChunks(x25519: Bool) async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    #expect(client.version == 3)
    try await client.ping()
    let chunk = TestChunk(recipients: 3, x25519: x25519)
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    #expect(recipients.count == 3 && Set(recipients + [sender]).count == 4)
    await #expect(throws: FileClientError.relay(.NO_FILE)) { try await client.download(chunk, of: recipients[0]) }
    try await client.upload(chunk, to: sender)
    #expect(relay.server.usage.chunks == 1 && relay.server.usage.bytes == 65536 && relay.server.usage.reserved == 0)
    // A client that lost the response sends it again.
    try await client.upload(chunk, to: sender)
    #expect(relay.server.usage.chunks == 1)
    for index in 0..<3 {
      #expect(try await client.download(chunk, of: recipients[index], key: index) == chunk.bytes)
    }
    let more = TestChunk(recipients: 2)
    let added = try await client.addRecipients(more.recipientKeys.map(\.publicKey), to: sender, key: chunk.key)
    #expect(added.count == 2)
    try await client.acknowledge(recipients[0], key: chunk.recipientKeys[0])
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.download(chunk, of: recipients[0]) }
    try await client.delete(sender, key: chunk.key)
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.download(chunk, of: recipients[1], key: 1) }
    #expect(relay.server.usage == ChunkUsage() && relay.folder.files("files").isEmpty)
    #expect(relay.server.statistics.value(.filesUploaded) == 1 && relay.server.statistics.value(.fileDownloads) == 3)
    client.close()
    await relay.server.stop()
  }

  @Test func keysAreChecked() async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    let (chunk, other) = (TestChunk(), TestChunk())
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.create(chunk.request, key: other.key) }
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.delete(sender, key: other.key) }
    await #expect(throws: FileClientError.relay(.AUTH)) {
      try await client.acknowledge(recipients[0], key: other.recipientKeys[0])
    }
    // Identifiers of the other party.
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.delete(recipients[0], key: chunk.key) }
    await #expect(throws: FileClientError.relay(.AUTH)) {
      try await client.acknowledge(sender, key: chunk.recipientKeys[0])
    }
    await #expect(throws: FileClientError.relay(.AUTH)) {
      try await client.delete(EntityID([1, 2, 3]), key: chunk.key)
    }
    try await client.delete(sender, key: chunk.key)
    await relay.server.stop()
  }

  @Test func wrongUploadsLeaveNothing() async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    let chunk = TestChunk()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    var damaged = chunk.bytes
    damaged[1000] ^= 1
    await #expect(throws: FileClientError.relay(.DIGEST)) { try await client.upload(chunk, damaged, to: sender) }
    await #expect(throws: FileClientError.relay(.SIZE)) {
      try await client.upload(chunk, chunk.bytes + [1], to: sender)
    }
    await #expect(throws: FileClientError.relay(.SIZE)) {
      try await client.upload(chunk, Array(chunk.bytes.dropLast()), to: sender)
    }
    #expect(relay.server.usage == ChunkUsage() && relay.folder.files("files").isEmpty)
    await #expect(throws: FileClientError.relay(.NO_FILE)) { try await client.download(chunk, of: recipients[0]) }
    try await client.upload(chunk, to: sender)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    await relay.server.stop()
  }

  @Test func cutUploadsLeaveNothing() async throws {
    let relay = try await TestFileRelay.start()
    let chunk = TestChunk(size: 1 << 20)
    let client = try await relay.connect()
    let (sender, _) = try await client.create(chunk.request, key: chunk.key)
    struct Stopped: Error {}
    await #expect(throws: FileClientError.self) {
      var count = 0
      try await client.upload(1 << 20, to: sender, key: chunk.key) { size in
        count += 1
        if count == 8 { throw Stopped() }
        return [UInt8](repeating: 0, count: size)
      }
    }
    let cut = try await relay.connect()
    await #expect(throws: FileClientError.self) {
      var count = 0
      try await cut.upload(1 << 20, to: sender, key: chunk.key) { size in
        count += 1
        if count == 8 { cut.close() }
        return [UInt8](repeating: 0, count: size)
      }
    }
    // The relay learns of it a moment later.
    for _ in 0..<200 where relay.server.usage.reserved > 0 || !relay.folder.files("files").isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(relay.server.usage == ChunkUsage() && relay.folder.files("files").isEmpty)
    try await client.upload(chunk, to: sender)
    await relay.server.stop()
  }

  @Test func limitsAreKept() async throws {
    let relay = try await TestFileRelay.start(quota: 100_000) { $0.basicAuth = BasicAuth(Array("secret".utf8)) }
    let client = try await relay.connect()
    let chunk = TestChunk()
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.create(chunk.request, key: chunk.key) }
    var request = chunk.request
    request.basicAuth = BasicAuth(Array("secret".utf8))
    let (sender, _) = try await client.create(request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    let second = TestChunk()
    request = second.request
    request.basicAuth = BasicAuth(Array("secret".utf8))
    let (secondSender, _) = try await client.create(request, key: second.key)
    await #expect(throws: FileClientError.relay(.QUOTA)) { try await client.upload(second, to: secondSender) }
    try await client.delete(sender, key: chunk.key)
    try await client.upload(second, to: secondSender)
    let odd = TestChunk(size: 1000)
    request = odd.request
    request.basicAuth = BasicAuth(Array("secret".utf8))
    await #expect(throws: FileClientError.relay(.SIZE)) { try await client.create(request, key: odd.key) }
    await relay.server.stop()
    let closed = try await TestFileRelay.start { $0.allowsNewFiles = false }
    let another = try await closed.connect()
    await #expect(throws: FileClientError.relay(.AUTH)) { try await another.create(chunk.request, key: chunk.key) }
    await closed.server.stop()
  }

  /// New settings count for connections that are accepted afterwards; those of another identity are refused.
  @Test func settingsAreReloaded() async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    var changed = relay.configuration
    changed.allowsNewFiles = false
    try relay.server.reload(changed)
    let chunk = TestChunk()
    _ = try await client.create(chunk.request, key: chunk.key)
    let later = try await relay.connect()
    await #expect(throws: FileClientError.relay(.AUTH)) { try await later.create(chunk.request, key: chunk.key) }
    let other = RelayCertificates(folder: relay.folder.path + "/other")
    try FileManager.default.createDirectory(atPath: other.folder, withIntermediateDirectories: true)
    try other.create(commonName: "localhost", algorithm: .ed25519)
    changed.credential = try other.credential()
    #expect(throws: RelayError.self) { try relay.server.reload(changed) }
    try await later.ping()
    await relay.server.stop()
  }

  @Test func blockedChunksAnswerWhy() async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    let chunk = TestChunk()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    let found = try #require(try await relay.store.chunk(ofRecipient: recipients[0]))
    #expect(try await relay.store.block(found.chunk.number, BlockingInfo(reason: .content)))
    #expect(relay.server.usage == ChunkUsage() && relay.folder.files("files").isEmpty)
    let info = BlockingInfo(reason: .content)
    await #expect(throws: FileClientError.relay(.BLOCKED(blockInfo: info))) {
      try await client.download(chunk, of: recipients[0])
    }
    await #expect(throws: FileClientError.relay(.BLOCKED(blockInfo: info))) {
      try await client.upload(chunk, to: sender)
    }
    // Not to somebody without the key of the recipient or sender, who learns nothing, as with a missing chunk.
    let stranger = TestChunk()
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.download(stranger, of: recipients[0]) }
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.upload(stranger, to: sender) }
    var old = FileClientConfiguration()
    old.versions = VersionRange(1...2)
    let older = try await relay.connect(old)
    #expect(older.version == 2)
    await #expect(throws: FileClientError.relay(.AUTH)) { try await older.download(chunk, of: recipients[0]) }
    await relay.server.stop()
  }

  @Test func clientsWithoutHandshakeHaveVersion1() async throws {
    let relay = try await TestFileRelay.start()
    var old = FileClientConfiguration()
    old.applicationProtocols = []
    let client = try await relay.connect(old)
    #expect(client.version == 1)
    let chunk = TestChunk()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    var disguised = FileClientConfiguration()
    disguised.applicationProtocols = ["http/1.1"]
    #expect(try await relay.connect(disguised).download(chunk, of: recipients[0]) == chunk.bytes)
    // Browsers have to name the server.
    var web = FileClientConfiguration()
    web.applicationProtocols = ["h2"]
    await #expect(throws: FileClientError.self) { try await relay.connect(web) }
    await relay.server.stop()
  }

  /// A start with a clock that is weeks ahead of the last run.
  @Test(.timeLimit(.minutes(1))) func nothingExpiresByADoubtedClock() async throws {
    let folder = try TemporaryFolder()
    try RelayCertificates(folder: folder.path).create(commonName: "localhost", algorithm: .ed25519)
    let chunk = TestChunk()
    let (id, old) = (EntityID([UInt8](repeating: 1, count: 16)), currentSeconds() - 30 * 86_400)
    do {
      let store = try DiskChunkStore(
        databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: nil)
      try await store.create(NewChunk(senderID: id, info: chunk.request.chunk, createdAt: old, recipients: []))
      #expect(try await store.noteTime(old) == nil)
      await store.close()
    }
    let lines = Mutex<[String]>([])
    let relay = try await TestFileRelay.start(in: folder) {
      $0.report = { line in lines.withLock { $0.append(line) } }
    }
    #expect(lines.withLock { $0 }.first?.contains("30 days ahead") == true)
    try await relay.connect().ping()
    #expect(try await relay.store.chunk(ofSender: id) != nil)
    #expect(try await relay.store.noteTime(nil) == old)
    #expect(relay.server.trustClock())
    while try await relay.store.chunk(ofSender: id) != nil { try await Task.sleep(for: .milliseconds(20)) }
    await relay.server.stop()
  }

  @Test func expiredChunksAreDeleted() async throws {
    let relay = try await TestFileRelay.start()
    let client = try await relay.connect()
    let chunk = TestChunk()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    let upkeep = FileUpkeep(relay: relay.server.relay)
    await upkeep.expire(48 * 3600)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    await upkeep.expire(-2 * 3600)
    await #expect(throws: FileClientError.relay(.AUTH)) { try await client.download(chunk, of: recipients[0]) }
    #expect(relay.server.usage == ChunkUsage() && relay.folder.files("files").isEmpty)
    #expect(relay.server.statistics.value(.filesExpired) == 1)
    await relay.server.stop()
  }

  @Test func malformedRequestsAreAnswered() async throws {
    let relay = try await TestFileRelay.start()
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []))
    let connection = try await client.connect(
      host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
    let session = SessionContext(version: 1, sessionID: SessionID(connection.session.identifier))
    let requests: [([UInt8], XFTPErrorType)] = [
      ([UInt8](repeating: 1, count: 100), .BLOCK), ([], .BLOCK),
      ([UInt8](repeating: 0xFF, count: 16384), .BLOCK),
      (
        try XFTPBlock.command(
          .ping, correlation: .none, signer: nil, in: SessionContext(version: 1, sessionID: SessionID([1]))), .SESSION
      ),
      (
        try XFTPBlock.command(.fput, entity: EntityID([1]), correlation: .none, signer: nil, in: session),
        .CMD(cmdErr: .NO_AUTH)
      ),
    ]
    for (body, expected) in requests {
      let stream = try await connection.request(method: "POST")
      try await stream.send(body, isLast: true)
      #expect(try await stream.head().status == 200)
      var answer: [UInt8] = []
      while let part = try await stream.read() { answer += part }
      let received = try XFTPBlock.transmission(of: FileResponse.self, in: answer, session: session).get()
      #expect(try received.message.get() == .err(expected))
    }
    await relay.server.stop()
  }
}
