import SimpleXChat
import Testing

/// What an option of one start changes for the next one: nothing.
@Suite struct StartOptionsTests {
  /// A profile was started once with another relay: afterwards it uses its own again.
  @Test func relaysOfAStartDoNotOutlastIt() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/c")
      await alice.controller.finish()
      // The same relay at a port that nobody listens on.
      let silent = world.server.split(separator: ":").dropLast().joined(separator: ":") + ":1"
      for relays in [[silent], []] {
        var options = world.options("alice")
        options.smpServers = relays
        let controller = try await ChatController.open(options)
        let core = TestCore("alice", controller)
        _ = try await core.run("/_start")
        let answer = await controller.sendText("/c")
        if case .result = answer { #expect(relays.isEmpty) } else { #expect(!relays.isEmpty, "\(answer)") }
        await controller.finish()
      }
    }
  }
}
