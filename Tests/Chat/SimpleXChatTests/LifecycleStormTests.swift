import SimpleXChat
import SimplexTesting
import Synchronization
import Testing

/// Changes of the lifecycle in any order, also while others are under way, while messages come and go.
@Suite struct LifecycleStormTests {
  private static let changes = [
    "/_app suspend 0", "/_app suspend 1000", "/_app suspend 40000", "/_app activate", "/_app activate",
    "/_app activate", "close", "reopen", "reopen", "/_stop", "/_start", "/_start",
  ]

  private final class Switch: Sendable {
    private let value = Mutex(false)
    var isOn: Bool { value.withLock { $0 } }
    func turnOn() { value.withLock { $0 = true } }
  }

  private func change(_ controller: ChatController, seed: UInt64) async -> [String] {
    var chance = SeededGenerator(seed: seed)
    var log: [String] = []
    var others: [Task<Void, Never>] = []
    for _ in 0..<40 {
      guard let change = Self.changes.randomElement(using: &chance) else { break }
      log.append(change)
      switch change {
      case "close": _ = try? await controller.close()
      case "reopen": _ = try? await controller.reopen()
      // Sometimes the next one does not wait for it.
      case _ where Bool.random(using: &chance): others.append(Task { _ = await controller.sendText(change) })
      default: _ = await controller.sendText(change)
      }
      if Bool.random(using: &chance) {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<20, using: &chance)))
      }
    }
    for other in others { await other.value }
    return log
  }

  /// What was accepted arrives once and in order, in both directions; no connection is left over.
  @Test(arguments: [UInt64(0), 5]) func nothingIsLostOrDoubled(seed: UInt64) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let (controller, peer, end) = (alice.controller, bob.controller, Switch())
      let changing = Task {
        defer { end.turnOn() }
        return await self.change(controller, seed: seed)
      }
      let inviting = Task {
        while !end.isOn {
          _ = await controller.sendText("/connect")
          try? await Task.sleep(for: .milliseconds(7))
        }
      }
      let received = Task {
        var sent: [String] = []
        while !end.isOn {
          let text = "to alice \(sent.count)"
          if case .result = await peer.sendText("@alice \(text)") { sent.append(text) }
          try? await Task.sleep(for: .milliseconds(5))
        }
        return sent
      }
      var (accepted, number): ([String], Int) = ([], 0)
      while !end.isOn {
        number += 1
        if case .result = await controller.sendText("@bob to bob \(number)") { accepted.append("to bob \(number)") }
        try await Task.sleep(for: .milliseconds(3))
      }
      let log = await changing.value
      await inviting.value
      let sent = await received.value

      _ = try? await controller.reopen()
      _ = await controller.sendText("/_app activate")
      _ = await controller.sendText("/_start")
      _ = try await alice.run("@bob last")
      _ = try await bob.run("@alice last")
      var (toBob, toAlice): ([String], [String]) = ([], [])
      while toBob.last != "last" { toBob.append(try await bob.message()) }
      while toAlice.last != "last" { toAlice.append(try await alice.message()) }
      #expect(toBob == accepted + ["last"], "\(log)")
      #expect(toAlice == sent + ["last"], "\(log)")
      let diff = try await alice.run("/_connections diff")
      #expect(diff["connIds"]?["extraIds"]?.arrayValue?.isEmpty == true, "\(log) \(diff.jsonText())")
      #expect(diff["connIds"]?["missingIds"]?.arrayValue?.isEmpty == true, "\(log) \(diff.jsonText())")
    }
  }
}
