import ChunkStore
import FileAccess
import Foundation
import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPClient
import XFTPProtocol
import XFTPServer

/// A file relay with 10,000 stored chunks, and one with 1,000 clients that do not read what they asked for.
func filesLimitsSuite(_ bench: Bench) async throws {
  try await measureStoredChunks(bench, count: 10_000, expired: 9_000)
  try await measureUnreadDownloads(bench, connections: 125, each: 8)
}

/// Chunks of holes, with the same keys.
private struct StoredChunks {
  static let size = ChunkSizes.smallest
  let key: AuthorizationPrivateKey
  let digest = HashFunction.sha256.digest(of: [UInt8](repeating: 0, count: Int(StoredChunks.size)).span.bytes)

  init() {
    var random = SystemRandom()
    key = .ed25519(Ed25519.PrivateKey(using: &random))
  }

  /// The identifier of a chunk for its sender, or for its recipient.
  func id(_ number: Int, isSender: Bool) -> EntityID {
    EntityID((0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> ($0 * 8)) : isSender ? 1 : 2 })
  }

  func write(_ count: Int, expired: Int, in folder: BenchFolder) throws {
    try Folder.create(folder.path + "/files")
    let now = Int64(Date().timeIntervalSince1970)
    let chunks = (0..<count).map { number in
      ImportedChunk(
        chunk: NewChunk(
          senderID: id(number, isSender: true),
          info: ChunkInfo(senderKey: key.publicKey, size: Self.size, digest: digest),
          createdAt: number < expired ? now - 4 * 86_400 : now,
          recipients: [ChunkRecipient(id: id(number, isSender: false), key: key.publicKey)]),
        isUploaded: true, blocked: nil)
    }
    for chunk in chunks {
      let path = "\(folder.path)/files/\(DiskChunkStore.fileName(of: chunk.chunk.senderID))"
      guard FileManager.default.createFile(atPath: path, contents: nil), truncate(path, Int(Self.size)) == 0 else {
        throw BenchError.cannotWrite(path)
      }
    }
    try DiskChunkStore.writeDatabase(folder.path + "/chunks.db", with: chunks)
  }
}

private func measureStoredChunks(_ bench: Bench, count: Int, expired: Int) async throws {
  let clock = ContinuousClock()
  let folder = try BenchFolder("chunks", in: NSTemporaryDirectory())
  let stored = StoredChunks()
  try stored.write(count, expired: expired, in: folder)
  let certificates = RelayCertificates(folder: folder.path)
  try certificates.create(commonName: "localhost", algorithm: .ed25519)
  var configuration = XFTPServerConfiguration(host: "127.0.0.1", port: 0, credential: try certificates.credential())
  configuration.fileTTL = nil
  func start() async throws -> FileServer {
    let store = try DiskChunkStore(
      databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: nil)
    try await store.removeStrayFiles()
    return try await FileServer.start(configuration, store: store)
  }
  let begin = clock.now
  var server = try await start()
  bench.record(
    "start with \(count) chunks", (clock.now - begin).inSeconds * 1e3, unit: "ms", goal: 100, lessIsBetter: true)

  func download(_ times: Int, while isGoing: () -> Bool = { true }) async throws -> [Double] {
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let client = try await FileRelayConnection.connect(
      to: ProtocolServer<XFTPScheme>(host, port: UInt16(server.port), keyHash: server.fingerprint))
    defer { client.close() }
    var samples: [Double] = []
    while samples.count < times, isGoing() {
      let id = stored.id(expired + samples.count % (count - expired), isSender: false)
      let begin = clock.now
      try await client.download(StoredChunks.size, digest: stored.digest, of: id, key: stored.key) { _ in }
      samples.append((clock.now - begin).inSeconds * 1e3)
    }
    return samples.sorted()
  }
  let quiet = try await download(500)
  await server.stop()
  // With the start, those that are too old begin to be deleted.
  configuration.fileTTL = ChunkLifetime.seconds
  let beginExpiry = clock.now
  server = try await start()
  let running = server
  let busy = try await download(.max) { running.usage.chunks > Int64(count - expired) }
  bench.record(
    "FGET of 64 KB, p99, while \(expired) chunks expire", quantile(busy, 0.99), unit: "ms", goal: 50,
    lessIsBetter: true,
    note:
      "\(busy.count) in \(Int((clock.now - beginExpiry).inSeconds * 1e3)) ms; without \(format(quantile(quiet, 0.99)))")
  await server.stop()
}

private func quantile(_ sorted: [Double], _ part: Double) -> Double {
  sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
}

private func format(_ milliseconds: Double) -> String { String(format: "%.1f ms", milliseconds) }

/// The memory of a relay whose clients ask for chunks of 4 MB, and let none of their bytes come.
private func measureUnreadDownloads(_ bench: Bench, connections count: Int, each: Int) async throws {
  raiseFileLimit()
  let relay = try ServerProcess("files", arguments: [NSTemporaryDirectory()])
  defer { relay.stop() }
  guard relay.greeting.count == 1, let greeting = relay.greeting.first,
    let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: greeting)
  else { throw BenchError.noServer }
  var random = SystemRandom()
  let content = random.bytes(Int(ChunkSizes.large))
  let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
  let sender = try await FileRelayConnection.connect(to: server)
  let ids = try await sender.create(
    NewChunkRequest(
      chunk: ChunkInfo(
        senderKey: key.publicKey, size: ChunkSizes.large, digest: HashFunction.sha256.digest(of: content.span.bytes)),
      recipientKeys: [key.publicKey]), key: key)
  var position = 0
  try await sender.upload(ChunkSizes.large, to: ids.sender, key: key) { size in
    defer { position += size }
    return Array(content[position..<position + size])
  }
  let before = relay.residentBytes
  var limits = HTTP2Limits.client
  limits.streamWindow = 0
  let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []), limits: limits)
  var connections: [(HTTP2Connection, [HTTP2Stream])] = []
  for _ in 0..<count {
    let connection = try await client.connect(
      host: "127.0.0.1", port: Int(server.effectivePort), policy: .relay(fingerprint: server.keyHash))
    let session = SessionContext(version: 1, sessionID: SessionID(connection.session.identifier))
    var streams: [HTTP2Stream] = []
    for _ in 0..<each {
      let block = try XFTPBlock.command(
        .fget(X25519.PrivateKey(using: &random).publicKey), entity: ids.recipients[0],
        correlation: CorrelationID(using: &random), signer: try CommandSigner(key, serverKey: nil), in: session)
      let stream = try await connection.request(method: "POST")
      try await stream.send(block, isLast: true)
      _ = try await stream.head()
      streams.append(stream)
    }
    connections.append((connection, streams))
  }
  // What each of them can make the relay keep is there.
  try await Task.sleep(for: .seconds(2))
  bench.record(
    "RSS of the relay for \(count * each) downloads that nobody reads", (relay.residentBytes - before) / 1e6,
    unit: "MB",
    goal: 300, lessIsBetter: true, note: "\(each) on each of \(count) connections")
  for (connection, _) in connections { connection.close() }
  sender.close()
}
