import Foundation
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// `xftp recv` from a file relay that violates HTTP/2 and sends without end.
func measureHostileFileRelay(_ bench: Bench) async throws {
  let relay = try ServerProcess("hostile-file-relay")
  defer { relay.stop() }
  guard let address = relay.greeting.first, let server = try? ProtocolServer<XFTPScheme>.textCodec.decode(text: address)
  else { throw BenchError.noServer }
  let folder = try BenchFolder("hostile-file-relay", in: NSTemporaryDirectory())
  let description = folder.path + "/description"
  try fileDescription(at: server).write(toFile: description, atomically: true, encoding: .utf8)

  let program = Process()
  program.executableURL = RelayProgram.program("xftp")
  program.arguments = ["recv", description, folder.path + "/received/", "--tmp", folder.path, "--yes"]
  program.standardInput = FileHandle.nullDevice
  program.standardOutput = FileHandle.nullDevice
  program.standardError = FileHandle.nullDevice
  let start = ContinuousClock.now
  do { try program.run() } catch { throw BenchError.program("xftp cannot be started") }
  var peak = 0.0
  while program.isRunning, ContinuousClock.now - start < .seconds(20) {
    peak = max(peak, peakResidentBytes(of: program.processIdentifier))
    try await Task.sleep(for: .milliseconds(10))
  }
  let seconds = (ContinuousClock.now - start).inSeconds
  let hasEnded = !program.isRunning
  if !hasEnded { program.terminate() }
  program.waitUntilExit()
  if hasEnded, program.terminationStatus == 0 { throw BenchError.unexpected }
  let counts = relay.stop().compactMap { Int($0) }
  guard counts.count == 2, counts[0] > 0 else { throw BenchError.idlePeer("a file relay") }
  bench.record(
    "xftp recv from a hostile file relay, memory", peak / 1e6, unit: "MB", goal: 60, lessIsBetter: true,
    note: "\(hasEnded ? "failed" : "was stopped") after \(seconds.rounded(to: 1)) s; \(counts[0]) connections with "
      + "\(counts[1] >> 10) KB")
}

/// The description of a file of one part at a relay that does not have it.
private func fileDescription(at server: ProtocolServer<XFTPScheme>) throws -> String {
  var random = SystemRandom()
  let size: UInt32 = 4 << 20
  let replica = FileReplica(
    server: server, id: EntityID(random.bytes(24)), key: .ed25519(Ed25519.PrivateKey(using: &random)))
  let chunk = XFTPProtocol.FileChunk(number: 1, size: size, digest: random.bytes(32), replicas: [replica])
  return try FileDescription(
    party: .recipient, size: Int64(size), digest: random.bytes(64), key: BoxKey(using: &random),
    nonce: BoxNonce(using: &random), chunkSize: size, chunks: [chunk]
  ).text
}

/// The process of a file relay that violates HTTP/2: goes on until its input is closed, and then prints the number of
/// its connections, and of bytes that were sent.
@Sendable func serveHostileFileRelay() async throws {
  let folder = try BenchFolder("hostile-file-relay", in: NSTemporaryDirectory())
  let (server, address) = try await HTTP2Violation.listen(in: folder)
  ServerProcess.announce("\(address)")
  await ServerProcess.waitForParent()
  let (connections, bytes) = HTTP2Violation.counts
  ServerProcess.announce("\(connections) \(bytes)")
  await server.close()
}
