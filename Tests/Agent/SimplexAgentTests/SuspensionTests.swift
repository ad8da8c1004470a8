import AgentCore
import Foundation
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import Testing

/// Agents that leave real relays, and come back.
@Suite struct SuspensionTests {
  private func waitUntil(_ condition: () async -> Bool) async throws {
    for _ in 0..<1_000 {
      if await condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it did not happen")
  }

  @Test func aSuspendedAgentHasNoConnections() async throws {
    let relay = try await LoopbackRelay.start()
    let alice = try await TestAgent(relay)
    let bob = try await TestAgent(relay)
    let (a, b) = try await connect(alice, bob)
    let before = await relay.openConnections()
    try await alice.agent.suspend(timeout: 10_000)
    _ = try await alice.next { if case .suspended = $0.kind { true } else { nil } }
    try await waitUntil { await relay.openConnections() < before }
    try await bob.send(b, "while alice sleeps")
    // The relay goes away and comes back: nobody connects.
    await relay.stop()
    try await relay.startAgain()
    try await waitUntil { await relay.openConnections() > 0 }
    try await Task.sleep(for: .milliseconds(500))
    #expect(await relay.openConnections() == 1)
    try await alice.agent.activate()
    #expect(try await alice.message(a).text == "while alice sleeps")
    try await alice.send(a, "awake")
    #expect(try await bob.message(b).text == "awake")
    await relay.stop()
  }

  @Test func stoppingAndOpeningStopped() async throws {
    let relay = try await LoopbackRelay.start()
    let alice = try await TestAgent(relay)
    let bob = try await TestAgent(relay)
    let (a, b) = try await connect(alice, bob)
    try await alice.agent.stop()
    try await alice.send(a, "accepted while stopped")
    try await alice.restart(suspended: true)
    try await waitUntil { await relay.openConnections() == 1 }
    try await alice.agent.activate()
    #expect(try await bob.message(b).text == "accepted while stopped")
    try await bob.send(b, "back")
    #expect(try await alice.message(a).text == "back")
    await relay.stop()
  }

  /// A file that cannot be stopped at once, such as one on a disk that does not answer, delays neither a suspension nor
  /// closing.
  @Test func filesDelayNothing() async throws {
    let relay = try await LoopbackRelay.start()
    let alice = try await TestAgent(relay)
    let folder = FileManager.default.temporaryDirectory.appending(path: "slow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Opening a pipe waits for somebody who writes.
    let pipe = folder.appending(path: "pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    try await alice.agent.startFiles(in: folder.appending(path: "transfers").path)
    try await alice.agent.sendFile(
      AgentFileID([1, 2, 3]), user: alice.user, source: LocalFile(path: pipe), name: "pipe", recipients: 1)
    try await waitUntil {
      let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
      return paths?.contains { $0.hasPrefix("transfers/") } == true
    }
    try await alice.agent.suspend(timeout: 10_000)
    _ = try await alice.next { if case .suspended = $0.kind { true } else { nil } }
    #expect(await !alice.agent.hasSuspended())
    let rest = await alice.agent.closeAtOnce()
    let other = try await Agent.open(path: alice.path, TestAgent.options)
    await other.close()
    let writer = open(pipe, O_WRONLY)
    #expect(writer >= 0)
    close(writer)
    await rest.value
    await relay.stop()
  }

  /// Closing ends a suspension that waits for an answer, and the stream of events with it.
  @Test func closingWhileSuspending() async throws {
    let relay = try await LoopbackRelay.start()
    let alice = try await TestAgent(relay)
    let bob = try await TestAgent(relay)
    let (a, b) = try await connect(alice, bob)
    for number in 0..<20 { try await alice.send(a, "\(number)") }
    try await alice.agent.suspend(timeout: 60_000)
    try await alice.restart()
    for number in 0..<20 { #expect(try await bob.message(b).text == "\(number)") }
    await relay.stop()
  }
}
