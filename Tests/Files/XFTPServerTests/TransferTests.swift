import ChunkStore
import Foundation
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

@Suite("Whole files", .serialized)
struct TransferTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  private func receive(_ description: FileDescription, _ name: String) async throws -> [UInt8] {
    let relays = FileRelays()
    let work = "\(folder.path)/\(name)"
    try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
    let receiver = FileReceiver(relays: relays)
    let chunks = try await receiver.download(description, into: work)
    let path = try receiver.open(chunks, of: description) { name in ReceivedName.path(in: work, for: "got-" + name) }
    await relays.close()
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  #if os(Linux)
    /// Of the hosts of a relay, which come from others, some are tried and not all.
    @Test(arguments: [(3, true), (4, false)]) func someHostsAreTried(_ others: Int, _ isReached: Bool) async throws {
      let relay = try await TestFileRelay.start()
      let hosts = try (2..<2 + others).map { try TransportHost.textCodec.decode(text: "127.0.0.\($0)") }
      let server = try #require(
        RelayAddress(hosts: hosts + relay.address.hosts, port: relay.address.port, keyHash: relay.address.keyHash))
      let connection = try? await FileRelayConnection.connect(to: server)
      #expect((connection != nil) == isReached)
      connection?.close()
      await relay.server.stop()
    }
  #endif

  @Test(arguments: [0, 1, 65536 - 27 - 7, 300_000, 6_000_000])
  func arriveAtSeveralRecipients(size: Int) async throws {
    let relays = [try await TestFileRelay.start(), try await TestFileRelay.start()]
    var random = SystemRandom()
    let content = random.bytes(size)
    let sealed = try SealedFile.seal(
      try write(content, "file.bin"), name: "file.bin", into: folder.path + "/sealed")
    #expect(sealed.size == sealed.chunks.reduce(0) { $0 + Int64($1.size) })
    let connections = FileRelays()
    let sender = FileSender(
      servers: relays.map { ServerWithAuth(server: $0.address, basicAuth: nil) }, recipients: 3, relays: connections)
    let descriptions = try await sender.send(sealed)
    #expect(descriptions.recipients.count == 3)
    for (index, description) in descriptions.recipients.enumerated() {
      let text = try description.text
      #expect(try await receive(FileDescription(text: text, party: .recipient), "r\(index)") == content)
    }
    try await sender.delete(descriptions.sender)
    await #expect(throws: FileTransferError.self) { try await receive(descriptions.recipients[0], "late") }
    await connections.close()
    for relay in relays {
      #expect(relay.server.usage.bytes == 0)
      await relay.server.stop()
    }
  }

  @Test func manyRecipientsNeedSeveralCommands() async throws {
    let relay = try await TestFileRelay.start()
    let sealed = try SealedFile.seal(try write([1, 2, 3], "a"), name: "a", into: folder.path + "/sealed")
    let relays = FileRelays()
    let sender = FileSender(
      servers: [ServerWithAuth(server: relay.address, basicAuth: nil)], recipients: 450, relays: relays)
    let descriptions = try await sender.send(sealed)
    #expect(Set(descriptions.recipients.map { $0.chunks[0].replicas[0].id }).count == 450)
    #expect(try await receive(descriptions.recipients[449], "last") == [1, 2, 3])
    await relays.close()
    await relay.server.stop()
  }

  @Test func aRelayThatRestartsMeanwhileDelaysOnly() async throws {
    let first = try await TestFileRelay.start()
    let port = first.server.port
    var random = SystemRandom()
    let content = random.bytes(9_000_000)
    let sealed = try SealedFile.seal(try write(content, "f"), name: "f", into: folder.path + "/sealed")
    let relays = FileRelays()
    var sender = FileSender(
      servers: [ServerWithAuth(server: first.address, basicAuth: nil)], recipients: 1, relays: relays)
    sender.attempts = 10
    sender.parallelChunks = 1
    let (reached, report) = AsyncStream.makeStream(of: Int64.self)
    let configured = sender
    async let sent = configured.send(sealed) { report.yield($0) }
    for await _ in reached { break }
    await first.server.stop()
    let second = try await TestFileRelay.start(in: first.folder, port: port)
    let descriptions = try await sent
    #expect(try await receive(descriptions.recipients[0], "r") == content)
    await relays.close()
    await second.server.stop()
  }

  /// A deletion that stopped in the middle can be repeated.
  @Test func deletionsCanBeRepeated() async throws {
    let relay = try await TestFileRelay.start()
    let sealed = try SealedFile.seal(
      try write([UInt8](repeating: 5, count: 2_600_000), "f"), name: "f", into: folder.path + "/sealed")
    let relays = FileRelays()
    let sender = FileSender(
      servers: [ServerWithAuth(server: relay.address, basicAuth: nil)], recipients: 1, relays: relays)
    let description = try await sender.send(sealed).sender
    let first = description.chunks[0].replicas[0]
    try await relay.connect().delete(first.id, key: first.key)
    #expect(relay.server.usage.chunks > 0)
    try await sender.delete(description)
    #expect(relay.server.usage == ChunkUsage())
    // Nothing is left, or it was never there.
    await #expect(throws: FileTransferError.relay(relay.address, .relay(.AUTH))) {
      try await sender.delete(description)
    }
    await relays.close()
    await relay.server.stop()
  }

  @Test func damageIsFound() async throws {
    let relay = try await TestFileRelay.start()
    let sealed = try SealedFile.seal(
      try write([UInt8](repeating: 5, count: 200_000), "f"), name: "f", into: folder.path + "/sealed")
    let relays = FileRelays()
    let sender = FileSender(
      servers: [ServerWithAuth(server: relay.address, basicAuth: nil)], recipients: 1, relays: relays)
    let description = try await sender.send(sealed).recipients[0]
    var otherDigest = description
    otherDigest.digest[0] ^= 1
    await #expect(throws: FileTransferError.digest) { try await receive(otherDigest, "a") }
    var random = SystemRandom()
    var otherKey = description
    otherKey.key = BoxKey(using: &random)
    await #expect(throws: FileTransferError.self) { try await receive(otherKey, "b") }
    var otherChunk = description
    otherChunk.chunks[0].digest[0] ^= 1
    await #expect(throws: FileTransferError.relay(relay.address, .received(.DIGEST))) {
      try await receive(otherChunk, "c")
    }
    // Nothing remains where a file would be.
    for name in ["a", "b", "c"] {
      #expect(folder.files(name).allSatisfy { !$0.hasPrefix("got-") && !$0.hasSuffix(".part") })
    }
    await relays.close()
    await relay.server.stop()
  }

  /// The path of the draft is known before it is there, so that a program that ends can remove it.
  @Test func draftsAreKnown() async throws {
    let relay = try await TestFileRelay.start()
    let content = [UInt8](repeating: 5, count: 200_000)
    let sealed = try SealedFile.seal(try write(content, "f"), name: "f", into: folder.path + "/sealed")
    let relays = FileRelays()
    let sender = FileSender(
      servers: [ServerWithAuth(server: relay.address, basicAuth: nil)], recipients: 1, relays: relays)
    let description = try await sender.send(sealed).recipients[0]
    try FileManager.default.createDirectory(atPath: folder.path + "/work", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.path + "/received", withIntermediateDirectories: true)
    let receiver = FileReceiver(relays: relays)
    let chunks = try await receiver.download(description, into: folder.path + "/work")
    var known: [String] = []
    var written: [String] = []
    let path = try receiver.open(
      chunks, of: description,
      isStopped: {
        written += folder.files("received").map { "\(folder.path)/received/\($0)" }
        return false
      },
      willWrite: { draft in
        #expect(folder.files("received").isEmpty)
        known.append(draft)
      }
    ) { name in "\(folder.path)/received/\(name)" }
    #expect(known.count == 1 && Set(written) == Set(known))
    #expect(folder.files("received") == ["f"])
    #expect([UInt8](try Data(contentsOf: URL(filePath: path))) == content)
    await relays.close()
    await relay.server.stop()
  }

  @Test func namesOfSendersStayInTheFolder() {
    #expect(ReceivedName.path(in: folder.path, for: "../../etc/passwd") == folder.path + "/passwd")
    #expect(ReceivedName.path(in: folder.path, for: "a\u{0}\nb.txt") == folder.path + "/ab.txt")
    #expect(ReceivedName.path(in: folder.path, for: "..") == folder.path + "/file")
    #expect(ReceivedName.path(in: folder.path, for: "../\u{301}escaped") == folder.path + "/escaped")
    _ = FileManager.default.createFile(atPath: folder.path + "/a.tar.gz", contents: nil)
    #expect(ReceivedName.path(in: folder.path, for: "a.tar.gz") == folder.path + "/a_1.tar.gz")
  }
}
