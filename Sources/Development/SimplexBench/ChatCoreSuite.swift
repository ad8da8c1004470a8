import AgentCore
import ChatAPI
import Foundation
import SimpleXChat

/// Two chat controllers in this process and a relay in a separate process, over TLS on loopback. All databases are
/// files, and every commit is durable.
@Sendable func chatCoreSuite(_ bench: Bench) async throws {
  try await BenchChat.pair { alice, bob, contact, relay in
    try await measureSequential(bench, alice: alice, bob: bob, contact: contact, relay: relay)
    try await measureStream(bench, alice: alice, bob: bob, contact: contact)
    try await measureBatch(bench, alice: alice, bob: bob, contact: contact)
    try await measureReading(bench, alice: alice, contact: contact)
    await alice.controller.finish()
    await bob.controller.finish()
    try await measureOpening(bench, alice)
  }
}

/// Opening the databases of a profile that has been used, as `chat_migrate_init` does.
private func measureOpening(_ bench: Bench, _ chat: BenchChat) async throws {
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<21 {
    let start = clock.now
    let controller = try await ChatController.open(chat.options)
    times.append((clock.now - start).inSeconds * 1_000)
    await controller.finish()
  }
  bench.record("a profile opened, median", times.percentile(0.5), unit: "ms", goal: 5, lessIsBetter: true)
}

/// Serves a relay with a durable store to the process that started this one; an argument sets the number of messages
/// that a queue holds.
@Sendable func serveRelay() async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "relay-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let quota = CommandLine.arguments.dropFirst(3).first.flatMap { Int($0) } ?? 2_000
  let relay = try await BenchRelay.start(in: folder, quota: quota)
  ServerProcess.announce(relay.address.description)
  await ServerProcess.waitForParent()
  await relay.server.stop()
}

private func measureSequential(
  _ bench: Bench, alice: BenchChat, bob: BenchChat, contact: Int64, relay: ServerProcess
) async throws {
  let clock = ContinuousClock()
  // The write-ahead logs reach their final size.
  for _ in 0..<500 {
    try await alice.send(1, to: contact)
    try await bob.receive(1)
  }
  let count = 1_000
  var latencies: [Double] = []
  var sends: [Double] = []
  let processors = (processorSeconds(), relay.processorSeconds)
  let start = clock.now
  for _ in 0..<count {
    let begin = clock.now
    try await alice.send(1, to: contact)
    let sent = clock.now
    try await bob.receive(1)
    sends.append((sent - begin).inSeconds * 1_000)
    latencies.append((clock.now - begin).inSeconds * 1_000)
  }
  let elapsed = (clock.now - start).inSeconds
  let client = (processorSeconds() - processors.0) / Double(count) * 1_000
  let server = (relay.processorSeconds - processors.1) / Double(count) * 1_000
  bench.record("messages one by one, sent and received", Double(count) / elapsed, unit: "/s", goal: 500)
  bench.record(
    "one message, median", latencies.percentile(0.5), unit: "ms", goal: 2, lessIsBetter: true,
    note: "99 of 100 within \(latencies.percentile(0.99).rounded(to: 2)) ms")
  bench.record(
    "its sending, median", sends.percentile(0.5), unit: "ms", goal: 5, lessIsBetter: true,
    note: "99 of 100 within \(sends.percentile(0.99).rounded(to: 2)) ms")
  bench.record(
    "processor time of both clients for it", client, unit: "ms", lessIsBetter: true,
    note: "and \(server.rounded(to: 2)) ms of the relay")
}

private func measureStream(_ bench: Bench, alice: BenchChat, bob: BenchChat, contact: Int64) async throws {
  let clock = ContinuousClock()
  let count = 1_000
  let start = clock.now
  async let received: Void = bob.receive(count)
  for _ in 0..<count { try await alice.send(1, to: contact) }
  let sent = clock.now
  try await received
  bench.record("messages sent one after the other, accepted", Double(count) / (sent - start).inSeconds, unit: "/s")
  bench.record("the same, received", Double(count) / (clock.now - start).inSeconds, unit: "/s", goal: 500)
}

private func measureBatch(_ bench: Bench, alice: BenchChat, bob: BenchChat, contact: Int64) async throws {
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<9 {
    let start = clock.now
    try await alice.send(200, to: contact)
    try await bob.receive(200)
    times.append((clock.now - start).inSeconds)
    try await Task.sleep(for: .milliseconds(200))
  }
  bench.record(
    "200 messages in one command, received, median", times.percentile(0.5), unit: "s", goal: 0.1, lessIsBetter: true)
}

private func measureReading(_ bench: Bench, alice: BenchChat, contact: Int64) async throws {
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<100 {
    let start = clock.now
    let command = ChatCommand.apiGetChat(
      chatId: "@\(contact)", scope: nil, contentTag: nil, pagination: .last(count: 100), search: "")
    guard case .result(.response0(.apiChat(_, let chat, _))) = await alice.controller.send(command),
      chat.chatItems.count == 100
    else { throw BenchError.unexpected }
    times.append((clock.now - start).inSeconds * 1_000)
  }
  bench.record(
    "last 100 items of a chat, typed, median", times.percentile(0.5), unit: "ms", goal: 0.5, lessIsBetter: true)
  times = []
  for _ in 0..<100 {
    let start = clock.now
    blackHole(await alice.controller.sendText("/_get chat @\(contact) count=100").jsonBytes())
    times.append((clock.now - start).inSeconds * 1_000)
  }
  bench.record("the same as text and JSON, median", times.percentile(0.5), unit: "ms", lessIsBetter: true)
}

extension [Double] {
  /// The quantile of the values.
  func percentile(_ part: Double) -> Double {
    isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * part))]
  }
}

extension Double {
  func rounded(to places: Int) -> Double {
    let factor = (0..<places).reduce(1.0) { result, _ in result * 10 }
    return (self * factor).rounded() / factor
  }
}
