import ChatAPI
import Foundation
import SimpleXChat
import Synchronization
import Testing

/// The log of a chat core.
@Suite struct ChatLogTests {
  /// Lines name commands, events, errors and hosts, and nothing that a person wrote or is called.
  @Test(.timeLimit(.minutes(1))) func aLogHasNoContents() async throws {
    try await TestWorld.with { world in
      let lines = Mutex<[ChatLogLine]>([])
      var options = world.options("alice-needle")
      options.logger = { line in lines.withLock { $0.append(line) } }
      let alice = try await ChatController.open(options)
      let bob = try await ChatController.open(world.options("bob"))
      try await alice.start(as: Profile(displayName: "alice-needle", fullName: ""))
      try await bob.start(as: Profile(displayName: "bob-needle", fullName: ""))
      var events = bob.events.makeAsyncIterator()
      let link = try await alice.invitation()
      try await bob.connect(to: link)
      var contact: Contact?
      while contact == nil, let event = await events.next() {
        if case .result(.contactConnected(_, let connected, _)) = event { contact = connected }
      }
      try await bob.send("text needle", to: try #require(contact).chat)
      _ = await alice.sendText("/_send @77 text needle")
      _ = await alice.sendText("/needle")
      _ = await alice.sendText("@carol-needle hello")
      while !lines.withLock({ $0.contains { $0.text == "event newChatItems" } }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      await alice.finish()
      await bob.finish()

      let all = lines.withLock { $0 }
      #expect(all.allSatisfy { !$0.text.contains("needle") && !$0.text.contains(link) })
      #expect(all.contains { $0.level == .info && $0.text.hasPrefix("command apiAddContact: invitation, ") })
      #expect(all.contains { $0.text == "event contactConnected" })
      let failed = all.filter { $0.level == .error }.map(\.text)
      #expect(failed.contains { $0.hasPrefix("command apiSendMessages: errorStore contactNotFound, ") })
      #expect(failed.contains { $0.hasPrefix("command that cannot be read: error commandError, ") })
      #expect(all.allSatisfy { $0.text.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    }
  }

  /// An error of the network names the host.
  @Test(.timeLimit(.minutes(1))) func aLogNamesHosts() async throws {
    try await TestWorld.with { world in
      let lines = Mutex<[String]>([])
      var options = world.options("alice")
      options.smpServers = ["smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@127.0.0.1:9"]
      options.logger = { line in lines.withLock { $0.append(line.text) } }
      let alice = try await ChatController.open(options)
      try await alice.start(as: Profile(displayName: "alice", fullName: ""))
      await #expect(throws: ChatError.self) { try await alice.invitation() }
      await alice.finish()
      let failed = lines.withLock { $0.filter { $0.hasPrefix("command apiAddContact: ") } }
      #expect(failed.first?.contains("errorAgent BROKER NETWORK") == true, "\(failed)")
      #expect(failed.first?.contains(" at 127.0.0.1, ") == true, "\(failed)")
    }
  }
}
