import Foundation
import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto

/// Measures how long one client takes to subscribe to all of its queues after a restart of the relay, from connecting
/// to the last response. Each queue has a key of its own, as those of agents do.
func measureResubscription(_ bench: Bench, _ folder: URL, queues: Int = 100_000) async throws {
  var random = SystemRandom()
  let keys = (0..<queues).map { _ in AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random)) }
  let store = try SQLiteQueueStore(path: RelayProgram.database(in: folder).path, synchronous: .off)
  try await concurrently(queues, workers: 256) { index in
    _ = try await store.perform(.createQueue(benchQueue(index, recipientKey: keys[index].publicKey.publicKey.der), nil))
  }
  await store.close()
  // So that the system does not write what was stored here while the client subscribes.
  sync()

  let relay = try RelayProgram(in: folder)
  defer { relay.stop() }
  guard let server = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: relay.address) else {
    throw BenchError.program("the address that smp-server prints cannot be read")
  }
  let requests = keys.indices.map { index in
    RequestPipeline.Request(.sub, entity: EntityID(benchQueue(index).recipientID), key: keys[index])
  }
  let processorTime = relay.processorSeconds
  let start = ContinuousClock.now
  let connection = try await SMPConnection.connect(to: server.server, SMPClientConfiguration())
  // The client signs the next thousand while the relay verifies those before.
  let batch = 1_000
  try await concurrently((queues + batch - 1) / batch, workers: 4) { number in
    let range = number * batch..<min(queues, (number + 1) * batch)
    for result in await connection.perform(Array(requests[range])) { _ = try result.get() }
  }
  let seconds = (ContinuousClock.now - start).inSeconds
  bench.record(
    "one client subscribes to \(queues) queues", seconds, unit: "s", goal: 3, lessIsBetter: true,
    note: "after a restart; signed")
  bench.record(
    "server CPU for each SUB", (relay.processorSeconds - processorTime) / Double(queues) * 1_000, unit: "ms",
    lessIsBetter: true)
  await connection.close()
}
