import Foundation
import NIOCore
import SMPProtocol
import SimplexCrypto
import Synchronization
import WireCodec
import XFTPClient
import XFTPProtocol

/// A file relay beside clients that violate HTTP/2 and send on, and clients that register parts and never upload them.
func measureHostileFileClients(_ bench: Bench) async throws {
  let relay = try ServerProcess("files", arguments: [NSTemporaryDirectory()])
  defer { relay.stop() }
  guard let address = relay.greeting.first, let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: address)
  else { throw BenchError.noServer }
  let quiet = try await medianTransfer(server)
  let hostile = try ServerProcess("hostile-files", arguments: [address], isYielding: true)
  defer { hostile.stop() }
  let busy = try await medianTransfer(server)
  let counts = hostile.stop().compactMap(Int.init)
  guard counts.count == 3, counts.allSatisfy({ $0 > 0 }) else { throw BenchError.idlePeer("a client of a file relay") }
  bench.record("64 KB sent and received, p50, alone", quiet, unit: "ms", lessIsBetter: true)
  bench.record(
    "beside hostile clients of a file relay", busy / quiet, unit: "times", goal: 5, lessIsBetter: true,
    note: "\(counts[0]) violations of HTTP/2 with \(counts[1] >> 20) MB, \(counts[2]) parts without bytes")
  bench.record("the most memory of the file relay", relay.peakBytes / 1e6, unit: "MB", goal: 200, lessIsBetter: true)
}

/// The median time in milliseconds for sending and receiving a part.
private func medianTransfer(_ server: ProtocolServer<XFTPScheme>) async throws -> Double {
  let client = try await FileRelayConnection.connect(to: server)
  defer { client.close() }
  var random = SystemRandom()
  let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
  let content = random.bytes(Int(ChunkSizes.smallest))
  let digest = HashFunction.sha256.digest(of: content)
  let request = NewChunkRequest(
    chunk: ChunkInfo(senderKey: key.publicKey, size: ChunkSizes.smallest, digest: digest),
    recipientKeys: [key.publicKey])
  var samples: [Double] = []
  for _ in 0..<200 {
    let begin = ContinuousClock.now
    let ids = try await client.create(request, key: key)
    var rest = content[...]
    try await client.upload(ChunkSizes.smallest, to: ids.sender, key: key) { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    try await client.download(ChunkSizes.smallest, digest: digest, of: ids.recipients[0], key: key) { _ in }
    samples.append((ContinuousClock.now - begin).inSeconds * 1e3)
    try await client.delete(ids.sender, key: key)
  }
  return samples.sorted()[samples.count / 2]
}

/// The process of the hostile clients of a file relay: goes on until its input is closed, and then prints how often
/// HTTP/2 was violated, how many bytes followed, and how many parts were registered.
@Sendable func serveHostileFileClients() async throws {
  guard let text = CommandLine.arguments.dropFirst(3).first,
    let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: text)
  else { throw BenchError.noServer }
  let parts = PartCount()
  for _ in 0..<4 {
    Task.detached { while true { try? await HTTP2Violation.send(to: server) } }
    Task.detached { while true { try? await registerParts(server, parts) } }
  }
  ServerProcess.announce("ready")
  await ServerProcess.waitForParent()
  let (connections, bytes) = HTTP2Violation.counts
  ServerProcess.announce("\(connections) \(bytes) \(parts.value.load(ordering: .relaxed))")
}

/// The number of parts that were registered.
private final class PartCount: Sendable {
  let value = Atomic<Int>(0)
}

/// Registers parts with as many recipients as possible.
private func registerParts(_ server: ProtocolServer<XFTPScheme>, _ count: PartCount) async throws {
  let client = try await FileRelayConnection.connect(to: server)
  defer { client.close() }
  var random = SystemRandom()
  let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
  let request = NewChunkRequest(
    chunk: ChunkInfo(senderKey: key.publicKey, size: ChunkSizes.smallest, digest: random.bytes(32)),
    recipientKeys: [AuthorizationKey](repeating: key.publicKey, count: 255))
  while true {
    _ = try await client.create(request, key: key)
    count.value.add(1, ordering: .relaxed)
  }
}
