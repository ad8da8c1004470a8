import Foundation
import NIOCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPClient
import XFTPProtocol

/// A file relay beside clients that violate HTTP/2 and send on, and clients that register parts and never upload them.
func measureHostileFileClients(_ bench: Bench) async throws {
  let relay = try ServerProcess("files", arguments: [NSTemporaryDirectory()])
  defer { relay.stop() }
  guard let address = relay.greeting.first, let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: address)
  else { throw BenchError.noServer }
  var peak = 0.0
  let quiet = try await medianTransfer(server) { peak = max(peak, relay.residentBytes) }
  let hostile = try ServerProcess("hostile-files", arguments: [address], isYielding: true)
  defer { hostile.stop() }
  let busy = try await medianTransfer(server) { peak = max(peak, relay.residentBytes) }
  bench.record("64 KB sent and received, p50, alone", quiet, unit: "ms", lessIsBetter: true)
  bench.record(
    "beside hostile clients of a file relay", busy / quiet, unit: "times", goal: 5, lessIsBetter: true,
    note: "violations of HTTP/2, parts without bytes")
  bench.record("the most memory of the file relay", peak / 1e6, unit: "MB", goal: 200, lessIsBetter: true)
}

/// The median time in milliseconds for sending and receiving a part.
private func medianTransfer(_ server: ProtocolServer<XFTPScheme>, _ each: () -> Void) async throws -> Double {
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
    each()
  }
  return samples.sorted()[samples.count / 2]
}

/// The process of the hostile clients of a file relay: goes on until its input is closed.
@Sendable func serveHostileFileClients() async throws {
  guard let text = CommandLine.arguments.dropFirst(3).first,
    let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: text)
  else { throw BenchError.noServer }
  for _ in 0..<4 {
    Task.detached { while true { try? await Violation.send(to: server) } }
    Task.detached { while true { try? await registerParts(server) } }
  }
  ServerProcess.announce("ready")
  await ServerProcess.waitForParent()
}

/// Registers parts with as many recipients as possible.
private func registerParts(_ server: ProtocolServer<XFTPScheme>) async throws {
  let client = try await FileRelayConnection.connect(to: server)
  var random = SystemRandom()
  let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
  let request = NewChunkRequest(
    chunk: ChunkInfo(senderKey: key.publicKey, size: ChunkSizes.smallest, digest: random.bytes(32)),
    recipientKeys: [AuthorizationKey](repeating: key.publicKey, count: 255))
  while true { _ = try await client.create(request, key: key) }
}

/// A connection with a ping on a stream, an error of HTTP/2, that is followed by bytes without end.
private final class Violation: PlaintextReceiver, Sendable {
  private static let part = [UInt8](repeating: 0x55, count: 64 << 10)
  private static let beginning =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 8, 6, 0, 0, 0, 0, 1]
    + [1, 2, 3, 4, 5, 6, 7, 8]

  private let ended: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  private init() { (ended, end) = AsyncStream.makeStream() }

  /// Returns when the relay has closed the connection.
  static func send(to server: ProtocolServer<XFTPScheme>) async throws {
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["xftp/1"]))
    let violation = try await client.connect(
      host: "127.0.0.1", port: server.port.map(Int.init) ?? 443, policy: .relay(fingerprint: server.keyHash)
    ) { _, channel, tls in
      let violation = Violation()
      violation.send(beginning, over: tls, on: channel.eventLoop)
      return (violation, violation)
    }
    for await _ in violation.ended {}
  }

  private func send(_ bytes: [UInt8], over tls: TLSHandler, on loop: any EventLoop) {
    let promise = loop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      guard case .success = result else { return self.end.finish() }
      loop.assumeIsolated().execute { self.send(Self.part, over: tls, on: loop) }
    }
    do throws(TransportError) {
      try tls.write(bytes.span.bytes, promise: promise)
      tls.flush()
    } catch {
      promise.fail(error)
    }
  }

  func read(from engine: TLSEngine) throws(TLSError) -> Bool { try engine.readAll { _ in } }
  func readComplete() {}
  func writabilityChanged(_ isWritable: Bool) {}
  func connectionClosed(_ error: TransportError?) {}
}
