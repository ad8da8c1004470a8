import AgentCore
import ChunkStore
import Foundation
import ProgramSupport
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPClient
import XFTPProtocol
import XFTPServer

/// Files of the agent: one of 256 MB and many small ones, over TLS on loopback, with the relay in another process; on
/// the disk, and on a file system in memory where there is one, which leaves the programs alone.
/// `SIMPLEX_BENCH_FILES_MB` changes the size of the large one.
func filesSuite(_ bench: Bench) async throws {
  let megabytes = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_FILES_MB"].flatMap { Int($0) } ?? 256
  try await measureFiles(bench, in: NSTemporaryDirectory(), "disk", megabytes: max(1, megabytes), goal: nil)
  let memory = "/dev/shm"
  guard FileManager.default.isWritableFile(atPath: memory) else { return }
  try await measureFiles(bench, in: memory, "tmpfs", megabytes: max(1, megabytes), goal: 250)
}

private func measureFiles(
  _ bench: Bench, in place: String, _ name: String, megabytes: Int, goal: Double?
) async throws {
  let relay = try ServerProcess("files", arguments: [place])
  defer { relay.stop() }
  guard relay.greeting.count == 1, let greeting = relay.greeting.first,
    let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: greeting)
  else { throw BenchError.noServer }
  let folder = try BenchFolder("files", in: place)
  let source = try folder.write("large", megabytes: megabytes)
  try measureSealing(bench, source, in: folder, place: name, megabytes: megabytes)
  let peer = try await FilePeer(folder, server)
  try await measureLargeFile(bench, peer, relay: relay, source: source, place: name, megabytes: megabytes, goal: goal)
  try await measurePictures(bench, peer, place: name, count: 100)
  await peer.agent.close()
}

/// Encrypting alone, beside the time that its primitives take one after the other.
private func measureSealing(
  _ bench: Bench, _ source: LocalFile, in folder: BenchFolder, place name: String, megabytes: Int
) throws {
  let clock = ContinuousClock()
  let size = Double(megabytes << 20)
  let elapsed = try clock.measure {
    blackHole(try SealedFile.seal(source.path, name: "large", into: folder.path + "/sealed"))
  }
  var random = SystemRandom()
  let part = random.bytes(64 << 10)
  let (key, nonce) = (BoxKey(using: &random), BoxNonce(using: &random))
  let parts = megabytes * 16
  let primitives = clock.measure {
    var box = BoxStream(.seal, key: key, nonce: nonce)
    var chunk = IncrementalHash(.sha256)
    var whole = IncrementalHash(.sha512)
    var text = part
    for _ in 0..<parts {
      var span = text.mutableSpan
      var bytes = span.mutableBytes
      box.process(inPlace: &bytes)
      chunk.update(text.span.bytes)
      whole.update(text.span.bytes)
    }
    blackHole((box.finish().bytes, chunk.finish(), whole.finish()))
  }
  bench.record(
    "encrypted, \(name)", size / elapsed.inSeconds / 1e6, unit: "MB/s",
    note: "\(Int(100 * primitives.inSeconds / elapsed.inSeconds)) % of "
      + "\(Int(size / primitives.inSeconds / 1e6)) MB/s, the rate of the box and both digests alone")
}

/// Processor time of client and relay.
private struct FileTimes {
  var client: Double
  var relay: Double

  init(_ relay: ServerProcess) {
    client = processorSeconds()
    self.relay = relay.processorSeconds
  }

  /// What was used since, in milliseconds for each MB.
  func note(_ relay: ServerProcess, megabytes: Int) -> String {
    let now = FileTimes(relay)
    let scale = 1e3 / (Double(megabytes << 20) / 1e6)
    return String(
      format: "processor time per MB: client %.2f ms, relay %.2f ms", (now.client - client) * scale,
      (now.relay - self.relay) * scale)
  }
}

private func measureLargeFile(
  _ bench: Bench, _ peer: FilePeer, relay: ServerProcess, source: LocalFile, place: String, megabytes: Int,
  goal: Double?
) async throws {
  let clock = ContinuousClock()
  let size = Double(megabytes << 20)
  let before = ProcessUsage(of: getpid())?.residentBytes ?? 0
  let relayBefore = relay.residentBytes
  var marks: [ContinuousClock.Instant] = [clock.now]
  var times = FileTimes(relay)
  let description = try await peer.send(source) { marks.append(clock.now) }
  let (start, end) = (marks[0], clock.now)
  let first = marks.count > 1 ? marks[1] : end
  let name = "\(megabytes) MB, \(place)"
  bench.record(
    "sent, \(name)", size / (end - start).inSeconds / 1e6, unit: "MB/s", goal: goal, reference: 18,
    note: "encrypted, uploaded and stored; the first chunk after \(Int((first - start).inSeconds * 1e3)) ms; "
      + times.note(relay, megabytes: megabytes))
  times = FileTimes(relay)
  let receiving = clock.now
  try await peer.receive(description, "large.out")
  bench.record(
    "received, \(name)", size / (clock.now - receiving).inSeconds / 1e6, unit: "MB/s", goal: goal, reference: 18,
    note: "downloaded, decrypted and flushed; " + times.note(relay, megabytes: megabytes))
  let growth = (ProcessUsage(of: getpid())?.residentBytes ?? 0) - before
  bench.record("RSS of the agent for it, \(place)", growth / 1e6, unit: "MB", goal: 40, lessIsBetter: true)
  bench.record(
    "RSS of the relay for it, \(place)", (relay.residentBytes - relayBefore) / 1e6, unit: "MB", goal: 40,
    lessIsBetter: true)
}

private func measurePictures(_ bench: Bench, _ peer: FilePeer, place: String, count: Int) async throws {
  let clock = ContinuousClock()
  var bytes = SystemRandom()
  let pictures = try (0..<count).map { try peer.folder.write("picture\($0)", bytes.bytes(200_000)) }
  let one = clock.now
  try await peer.receive(try await peer.send(pictures[0]) {}, "first.out")
  bench.record(
    "one of 200 KB, sent and received, \(place)", (clock.now - one).inSeconds * 1e3, unit: "ms", lessIsBetter: true,
    note: "connections open")
  let start = clock.now
  let descriptions = try await peer.send(pictures)
  let sent = clock.now
  try await peer.receive(descriptions)
  bench.record("\(count) of 200 KB, sent, \(place)", (sent - start).inSeconds, unit: "s", lessIsBetter: true)
  bench.record("\(count) of 200 KB, received, \(place)", (clock.now - sent).inSeconds, unit: "s", lessIsBetter: true)
}

/// A folder that is removed with its owner.
final class BenchFolder: Sendable {
  let path: String

  init(_ name: String, in place: String) throws {
    path = URL(filePath: place).appending(path: "bench-\(name)-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ bytes: [UInt8]) throws -> LocalFile {
    let file = LocalFile(path: "\(path)/\(name)")
    try file.write(bytes)
    return file
  }

  func write(_ name: String, megabytes: Int) throws -> LocalFile {
    let file = LocalFile(path: "\(path)/\(name)")
    var writer = try LocalFileWriter(file)
    var random = SystemRandom()
    for _ in 0..<megabytes {
      let part = random.bytes(1 << 20)
      try writer.write(part.span.bytes)
    }
    try writer.finish()
    return file
  }
}

/// An agent that sends files to itself.
private final class FilePeer {
  let agent: Agent
  let folder: BenchFolder
  private let user: UserID
  private var events: AgentEvents.AsyncIterator

  init(_ folder: BenchFolder, _ server: ProtocolServer<XFTPScheme>) async throws {
    self.folder = folder
    agent = try await Agent.open(path: folder.path + "/agent.db")
    events = agent.events.makeAsyncIterator()
    user = try await agent.createUser(servers: [])
    try await agent.setFileServers(
      [AgentFileServer(ServerWithAuth(server: server, basicAuth: nil))], for: user)
    try await agent.startFiles(in: folder.path + "/work")
  }

  private func next() async throws -> AgentEvent.Kind {
    guard let event = await events.next() else { throw BenchError.unexpected }
    switch event.kind {
    case .fileSendFailed, .fileReceiveFailed: throw BenchError.unexpected
    default: return event.kind
    }
  }

  /// Sends a file; `progress` is called for each chunk.
  func send(_ file: LocalFile, progress: () -> Void) async throws -> FileDescription {
    try await begin(file)
    while true {
      switch try await next() {
      case .fileSendProgress: progress()
      case .fileSent(_, _, _, let recipients): return try first(recipients)
      default: break
      }
    }
  }

  func send(_ files: [LocalFile]) async throws -> [FileDescription] {
    for file in files { try await begin(file) }
    var descriptions: [FileDescription] = []
    while descriptions.count < files.count {
      if case .fileSent(_, _, _, let recipients) = try await next() { descriptions.append(try first(recipients)) }
    }
    return descriptions
  }

  private func first(_ descriptions: RecipientDescriptions) throws -> FileDescription {
    guard let description = descriptions.description(at: 0) else { throw BenchError.unexpected }
    return description
  }

  private func begin(_ file: LocalFile) async throws {
    var random = SystemRandom()
    try await agent.sendFile(AgentFileID(using: &random), user: user, source: file, name: "file", recipients: 1)
  }

  func receive(_ description: FileDescription, _ name: String) async throws {
    try await begin(description, name)
    try await received(1)
  }

  func receive(_ descriptions: [FileDescription]) async throws {
    for (index, description) in descriptions.enumerated() { try await begin(description, "out\(index)") }
    try await received(descriptions.count)
  }

  private func begin(_ description: FileDescription, _ name: String) async throws {
    var random = SystemRandom()
    try await agent.receiveFile(
      AgentFileID(using: &random), user: user, description, to: LocalFile(path: "\(folder.path)/\(name)"),
      approvedRelays: true)
  }

  private func received(_ count: Int) async throws {
    var left = count
    while left > 0 {
      if case .fileReceived = try await next() { left -= 1 }
    }
  }
}

/// The relay of the suite, with its files in a folder; announces its address.
func serveFiles() async throws {
  let place = CommandLine.arguments.dropFirst(3).first ?? NSTemporaryDirectory()
  let folder = try BenchFolder("file-relay", in: place)
  let certificates = RelayCertificates(folder: folder.path)
  try certificates.create(commonName: "localhost", algorithm: .ed25519)
  let store = try DiskChunkStore(
    databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: nil)
  let server = try await FileServer.start(
    XFTPServerConfiguration(host: "127.0.0.1", port: 0, credential: try certificates.credential()), store: store)
  let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
  let address = ProtocolServer<XFTPScheme>(host, port: UInt16(server.port), keyHash: server.fingerprint)
  ServerProcess.announce("\(address)")
  await ServerProcess.waitForParent()
  await server.stop()
}
