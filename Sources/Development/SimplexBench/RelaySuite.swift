import Foundation
import QueueStore
import SMPServerCore

/// The programs `smp-server` and `smp-bench` on this machine, which share its cores.
@Sendable func relaySuite(_ bench: Bench) async throws {
  try await inRelayFolder { folder in
    try measureLoad(bench, folder)
    try measureClients(bench, folder)
    try measureMemoryStore(bench, folder)
    try measureCores(bench, folder)
  }
}

/// The same programs with many queues and messages in the relay's store.
///
/// `SIMPLEX_BENCH_QUEUES` sets the largest number of stored queues that the relay is started with (default: 1,000,000).
@Sendable func largeRelaySuite(_ bench: Bench) async throws {
  try await inRelayFolder { try await measureResubscription(bench, $0) }
  try await inRelayFolder { try await measureUpkeep(bench, $0) }
  try await inRelayFolder { try await measureStarts(bench, $0) }
}

/// Calls `body` with the folder of a new relay that is not started, and removes it.
func inRelayFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "relay-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try RelayProgram.initialize(in: folder)
  try await body(folder)
}

/// The latency of messages while 1,000,000 others expire and metrics are written each second.
private func measureUpkeep(_ bench: Bench, _ folder: URL) async throws {
  let file = folder.appending(path: "cfg/smp-server.ini")
  let settings = try String(contentsOf: file, encoding: .utf8)
    .replacing("# prometheus_interval = 60", with: "prometheus_interval = 1")
  try settings.write(to: file, atomically: true, encoding: .utf8)
  let (queues, messages) = (10_000, 1_000_000)
  let store = try SQLiteQueueStore(path: RelayProgram.database(in: folder).path, synchronous: .off)
  try await concurrently(queues, workers: 256) { index in
    guard case .created(let queue) = try await store.perform(.createQueue(benchQueue(index), nil)) else { return }
    for _ in 0..<messages / queues {
      let message = QueuedMessage(
        id: [UInt8](repeating: 1, count: 24), timestamp: 1,
        content: .message(notify: false, body: [UInt8](repeating: 2, count: 100)))
      _ = try await store.perform(.addMessage(queue, message, quota: 128))
    }
  }
  await store.close()
  // Otherwise the relay's first flush waits for all that was stored here.
  sync()
  let relay = try RelayProgram(in: folder)
  defer { relay.stop() }
  let figures = try relay.load("--pairs 8 --queues 0 --messages 700 --rate 300")
  try bench.record(
    "p99 while \(messages) messages expire", figures["SEND to MSG p99 (ms)"], unit: "ms", goal: 5, lessIsBetter: true,
    note: "300 signed messages a second; metrics each second")
}

private let load = "--pairs 8 --pipeline 4 --messages 3000"
private let exchange = "SEND to MSG to ACK (/s)"
private let cost = "server CPU for each message (ms)"
private let clientCost = "CPU of the clients for each message (ms)"

private func measureLoad(_ bench: Bench, _ folder: URL) throws {
  let relay = try RelayProgram(in: folder)
  defer { relay.stop() }
  // The first load brings the relay to its working size.
  let queues = try relay.load("--pairs 8 --queues 2000 --messages 0")
  try bench.record("NEW", queues["NEW (/s)"], unit: "/s", goal: 8_000, reference: 1_600)
  try bench.record("SUB", queues["SUB (/s)"], unit: "/s")

  let signed = try relay.load("\(load) --queues 0")
  try bench.record(
    "SEND, MSG, ACK of 16,000 bytes", signed[exchange], unit: "/s", goal: 5_000, reference: 950,
    note: "signed, as agents do")
  try bench.record("server CPU for each", signed[cost], unit: "ms", goal: 0.17, reference: 1, lessIsBetter: true)
  try bench.record("CPU of its clients for each", signed[clientCost], unit: "ms", goal: 0.2, lessIsBetter: true)
  try bench.record("SEND to MSG, p50", signed["SEND to MSG p50 (ms)"], unit: "ms", reference: 43, lessIsBetter: true)
  try bench.record("SEND to MSG, p99", signed["SEND to MSG p99 (ms)"], unit: "ms", lessIsBetter: true)
  let authenticated = try relay.load("\(load) --queues 0 --sender-key x25519")
  try bench.record("the same with authenticators", authenticated[exchange], unit: "/s", goal: 4_000)
  try bench.record("server CPU for each with one", authenticated[cost], unit: "ms", goal: 0.2, lessIsBetter: true)

  let rate = Int((signed[exchange] ?? 0) / 2)
  let half = try relay.load("--pairs 8 --queues 0 --messages 2000 --rate \(max(1, rate))")
  try bench.record("p50 at half of that rate", half["SEND to MSG p50 (ms)"], unit: "ms", lessIsBetter: true)
  try bench.record(
    "p99 at half of that rate", half["SEND to MSG p99 (ms)"], unit: "ms", goal: 5, lessIsBetter: true,
    note: "\(rate) signed messages a second")
  let single = try relay.load("--pairs 1 --queues 0 --pipeline 1 --messages 2000")
  try bench.record("one at a time, p50", single["SEND to MSG p50 (ms)"], unit: "ms", lessIsBetter: true)
}

private func measureClients(_ bench: Bench, _ folder: URL) throws {
  let relay = try RelayProgram(in: folder)
  defer { relay.stop() }
  _ = try relay.load("--pairs 100 --queues 1 --messages 0")
  let clients = try relay.load("--pairs 1500 --queues 0 --messages 0 --idle 5")
  try bench.record("connections", clients["connections (/s)"], unit: "/s", goal: 400, reference: 85)
  try bench.record(
    "memory for each idle client", clients["server memory for each connection (KB)"], unit: "KB", goal: 20,
    reference: 270,
    lessIsBetter: true)
  // Half of the connections receive, each with subscriptions; the memory of the others is taken off.
  let subscribed = try relay.load("--pairs 1000 --queues 4 --messages 0 --idle 5")
  try bench.record(
    "memory for each with subscriptions", subscribed["server memory for each receiver and its queues (KB)"],
    unit: "KB", goal: 20, lessIsBetter: true, note: "a receiver with 4 queues")
}

private func measureMemoryStore(_ bench: Bench, _ folder: URL) throws {
  let relay = try RelayProgram(in: folder, store: "memory")
  defer { relay.stop() }
  let figures = try relay.load("\(load) --queues 0")
  try bench.record("SEND, MSG, ACK with the store in memory", figures[exchange], unit: "/s", reference: 950)
  try bench.record("server CPU for each there", figures[cost], unit: "ms", reference: 1, lessIsBetter: true)
}

/// Measures how many messages a second a relay and its clients exchange on one core and on two, and the quotient of
/// these rates. Linux only: other systems do not bind a process to cores.
private func measureCores(_ bench: Bench, _ folder: URL) throws {
  #if os(Linux)
    var rates: [Double] = []
    guard ProcessInfo.processInfo.activeProcessorCount >= 2 else { return }
    for cores in [1, 2] {
      let relay = try RelayProgram(in: folder, cores: cores)
      defer { relay.stop() }
      _ = try relay.load("--pairs 8 --pipeline 4 --queues 0 --messages 500")
      let figures = try relay.load("--pairs 8 --pipeline 4 --queues 0 --messages 3000")
      guard let rate = figures[exchange] else { throw BenchError.program("smp-bench prints no rate") }
      bench.record(
        "SEND, MSG, ACK on \(cores) core\(cores == 1 ? "" : "s")", rate, unit: "/s",
        note: "with its clients")
      rates.append(rate)
    }
    bench.record("factor of scaling", rates[1] / rates[0], unit: "")
  #endif
}

private func measureStarts(_ bench: Bench, _ folder: URL) async throws {
  let most = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_QUEUES"].flatMap { Int($0) } ?? 1_000_000
  var stored = 0
  var memoryWithout = 0.0
  for count in [0, min(most, 100_000), most] {
    let store = try SQLiteQueueStore(path: RelayProgram.database(in: folder).path, synchronous: .off)
    try await concurrently(count - stored, workers: 256) { [stored] index in
      _ = try await store.perform(.createQueue(benchQueue(stored + index), nil))
    }
    await store.close()
    stored = count
    let relay = try RelayProgram(in: folder)
    defer { relay.stop() }
    guard count > 0 else {
      memoryWithout = relay.residentBytes
      bench.record("memory of a relay that started", memoryWithout / 1e6, unit: "MB", lessIsBetter: true)
      continue
    }
    bench.record(
      "start with \(count) queues", relay.startSeconds * 1_000, unit: "ms", goal: 500, reference: 15_000,
      lessIsBetter: true, note: "until it listens")
    bench.record(
      "memory for each of them", max(0, relay.residentBytes - memoryWithout) / Double(count), unit: "bytes", goal: 200,
      reference: 3_000, lessIsBetter: true)
  }
}

extension Bench {
  /// Records a figure that another program measured.
  fileprivate func record(
    _ name: String, _ value: Double?, unit: String, goal: Double? = nil, reference: Double? = nil,
    lessIsBetter: Bool = false, note: String = ""
  ) throws {
    guard let value else { throw BenchError.program("smp-bench did not tell \(name)") }
    record(name, value, unit: unit, goal: goal, reference: reference, lessIsBetter: lessIsBetter, note: note)
  }
}
