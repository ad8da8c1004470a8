import AgentCore
import AgentProtocol
import Foundation
import QueueStore
import SMPProtocol
import SMPServer
import SimplexAgent
import SimplexTransport

/// Agents over a relay and TLS on loopback, in this process unless noted. Databases are files, and every commit is
/// durable.
@Sendable func agentSuite(_ bench: Bench) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "agent-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let relay = try await BenchRelay.start(in: folder)
  let alice = try await BenchAgent(folder.appending(path: "alice.db"), relay)
  let bob = try await BenchAgent(folder.appending(path: "bob.db"), relay)

  try await measureConnections(bench, alice: alice, bob: bob)
  try await measureMessages(bench, alice: alice, bob: bob)
  await alice.agent.close()
  await bob.agent.close()
  try await measureOneMessage(bench, folder: folder, relay: relay)
  try await measureManyConnections(bench, folder: folder, relay: relay)
  await relay.server.stop()
}

private func measureConnections(_ bench: Bench, alice: BenchAgent, bob: BenchAgent) async throws {
  var invitations: [Double] = []
  var connections: [Double] = []
  for _ in 0..<40 {
    let clock = ContinuousClock()
    let start = clock.now
    let (a, link) = try await alice.agent.createConnection(alice.user, mode: .invitation)
    let created = clock.now
    async let joining = bob.agent.join(bob.user, link.full, info: [])
    try await alice.allowAndConnect(a)
    let (b, _) = try await joining
    try await bob.connected(b)
    invitations.append((created - start).inSeconds * 1_000)
    connections.append((clock.now - created).inSeconds * 1_000)
  }
  bench.record("invitation, median", invitations.median, unit: "ms", lessIsBetter: true)
  bench.record(
    "connection established, median", connections.median, unit: "ms", goal: 15, reference: 260, lessIsBetter: true,
    note: "from joining to both sides connected")
}

private func measureMessages(_ bench: Bench, alice: BenchAgent, bob: BenchAgent) async throws {
  let (a, b) = try await connect(alice, bob)
  let body = [UInt8](repeating: 65, count: 1_000)
  var latencies: [Double] = []
  let clock = ContinuousClock()
  let count = 500
  let start = clock.now
  for _ in 0..<count {
    let sent = clock.now
    _ = try await alice.agent.send(a, body: body)
    try await bob.receive(b)
    latencies.append((clock.now - sent).inSeconds * 1_000)
  }
  bench.record(
    "one message end to end, median", latencies.median, unit: "ms", goal: 5, reference: 70, lessIsBetter: true)
  bench.record(
    "sequential messages", Double(count) / (clock.now - start).inSeconds, unit: "/s", goal: 500, reference: 14)

  let batchStart = clock.now
  _ = try await alice.agent.send((0..<1_000).map { _ in OutgoingMessage(to: a, bodyIndex: 0) }, bodies: [body])
  let accepted = clock.now
  for _ in 0..<1_000 { try await bob.receive(b) }
  bench.record("messages accepted in one transaction", 1_000 / (accepted - batchStart).inSeconds, unit: "/s")
  bench.record("batched messages to one connection", 1_000 / (clock.now - batchStart).inSeconds, unit: "/s")

  var many: [(ConnectionID, ConnectionID)] = []
  for _ in 0..<20 { many.append(try await connect(alice, bob)) }
  let manyStart = clock.now
  _ = try await alice.agent.send(
    (0..<1_000).map { OutgoingMessage(to: many[$0 % many.count].0, bodyIndex: 0) }, bodies: [body])
  for _ in 0..<1_000 { try await bob.receive(nil) }
  bench.record("batched messages to 20 connections", 1_000 / (clock.now - manyStart).inSeconds, unit: "/s")
}

/// Memory of a process that opens its database, receives one message and prints it.
private func measureOneMessage(_ bench: Bench, folder: URL, relay: BenchRelay) async throws {
  let alice = try await BenchAgent(folder.appending(path: "alice.db"), relay)
  let bob = try await BenchAgent(folder.appending(path: "bob.db"), relay)
  let (a, _) = try await connect(alice, bob)
  await bob.agent.close()
  _ = try await alice.agent.send(a, body: Array("hello".utf8))
  let peer = try PeerProcess(folder.appending(path: "bob.db"), relay)
  let start = ContinuousClock.now
  _ = try peer.read("message")
  let elapsed = (ContinuousClock.now - start).inSeconds * 1_000
  let memory = try peer.memory()
  bench.record(
    "memory to open, fetch and decrypt one", Double(memory.peak) / 1_024, unit: "MiB", goal: 15, lessIsBetter: true,
    note: "peak of the process; the message came after \(Int(elapsed)) ms")
  peer.stop()
  await alice.agent.close()
}

private func measureManyConnections(_ bench: Bench, folder: URL, relay: BenchRelay) async throws {
  let count = 5_000
  let database = folder.appending(path: "many.db")
  let many = try await BenchAgent(database, relay)
  try await withThrowingDiscardingTaskGroup { group in
    for _ in 0..<50 {
      group.addTask {
        for _ in 0..<(count / 50) {
          _ = try await many.agent.createConnection(many.user, mode: .invitation)
        }
      }
    }
  }
  await many.agent.close()
  let peer = try PeerProcess(database, relay)
  var milliseconds = 0.0
  while true {
    let words = try peer.read("up").split(separator: " ")
    guard words.count == 2, let up = Int(words[0]), let time = Double(words[1]) else { continue }
    milliseconds = time
    if up >= count { break }
  }
  bench.record(
    "5,000 connections: start to all subscribed", milliseconds / 1_000, unit: "s", goal: 2, lessIsBetter: true,
    note: "invitations, in a process of its own")
  // It releases the memory of subscribing when nothing happens for some seconds.
  try await Task.sleep(for: .seconds(6))
  let memory = try peer.memory()
  bench.record(
    "5,000 connections: memory", Double(memory.now) / 1_024, unit: "MiB", goal: 25, lessIsBetter: true,
    note: "of the whole process; at most \(memory.peak / 1_024)")
  peer.stop()
}

private func connect(_ alice: BenchAgent, _ bob: BenchAgent) async throws -> (ConnectionID, ConnectionID) {
  let (a, link) = try await alice.agent.createConnection(alice.user, mode: .invitation)
  async let joining = bob.agent.join(bob.user, link.full, info: [])
  try await alice.allowAndConnect(a)
  let (b, _) = try await joining
  try await bob.connected(b)
  return (a, b)
}

extension [Double] {
  fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
