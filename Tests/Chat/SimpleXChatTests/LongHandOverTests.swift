import SimplexTesting
import Testing

@testable import SimpleXChat

extension ChatController {
  fileprivate func countCommands(by number: Int) { life.commandsInFlight += number }

  fileprivate func waitUntilHandingOver() async {
    while !life.isHandedOver { try? await Task.sleep(for: .milliseconds(2)) }
  }
}

/// Databases that are handed over while a command takes long, such as the export of an archive.
@Suite(.timeLimit(.minutes(1))) struct LongHandOverTests {
  @Test func aCommandIsWaitedFor() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let options = world.options("carol")
      let earlier = try await ChatController.open(options)
      await earlier.countCommands(by: 1)
      let opening = Task { try await ChatController.open(options) }
      await earlier.waitUntilHandingOver()
      // Longer than another process is waited for.
      try await Task.sleep(for: .milliseconds(1_200))
      await earlier.countCommands(by: -1)
      let later = try await opening.value
      await later.finish()
    }
  }
}
