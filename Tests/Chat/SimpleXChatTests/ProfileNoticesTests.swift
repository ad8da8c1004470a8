import AgentCore
import ChatAPI
import ChatStore
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Contacts who are told of a changed profile, where something comes between the turns that tell them.
@Suite(.timeLimit(.minutes(1))) struct ProfileNoticesTests {
  /// A start, while a command tells contacts that the address is gone, does not tell them too.
  @Test func nobodyIsToldTwice() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      try await alice.controller.addUnconnectedContacts(2_000)
      let bob = try await world.profile("bob")
      try await world.connect(alice, bob)
      _ = try await alice.run("/_address 1")
      _ = try await alice.run("/_profile_address 1 on")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      try await alice.noteMessages()
      let deletion = Task { [controller = alice.controller] in await controller.sendText("/_delete_address 1") }
      while try await alice.rows("SELECT 1 FROM jobs WHERE cursor > 0")?.isEmpty != false { await Task.yield() }
      try await alice.controller.continueJobs()
      _ = await deletion.value
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM jobs)")
      _ = try await bob.event("contactUpdated") { $0["toContact"]?["profile"]?.lacks("contactLink") == true }
      #expect(try await alice.notedMessages(over: alice.connectionWithFirstContact()).count == 1)
    }
  }

  /// Who changes the profile between joining and being connected tells the new contact.
  @Test func aNewContactIsTold() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let link = try await alice.createInvitation()
      _ = try await alice.run("/_stop")
      _ = try await bob.run("/_connect 1 \(link)")
      _ = try await bob.run(#"/_profile 1 {"displayName":"bob","fullName":"Robert"}"#)
      _ = try await alice.run("/_start")
      _ = try await alice.event("contactUpdated") { $0["toContact"]?["profile"]?["fullName"] == "Robert" }
    }
  }

  /// Contacts who could not be told because the disk was full are told when it has room again.
  @Test func contactsAreToldWhenTheDiskHasRoom() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      try await alice.fillDisk(at: "DELETE ON jobs")
      let failed = try await alice.answer(#"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#)
      #expect(failed["storeError"]?["message"]?.stringValue?.contains("full") == true, "\(failed.jsonText())")
      _ = try await alice.run("/sql chat DROP TRIGGER fill")
      _ = try await bob.event("contactUpdated") { $0["toContact"]?["profile"]?["fullName"] == "Alice" }
    }
  }
}

extension TestCore {
  /// The agent's identifier of the connection with the only contact that is connected.
  fileprivate func connectionWithFirstContact() async throws -> String {
    let rows = try await rows("SELECT agent_conn_id FROM connections WHERE status = 'ready'")
    return try #require(rows?.first)
  }
}

extension ChatController {
  /// Adds contacts with connections that are not established, so that nothing can be sent to them.
  fileprivate func addUnconnectedContacts(_ count: Int) throws {
    let user = try currentUser()
    try turn { turn in
      for number in 0..<count {
        let connection = try turn.rows.createConnection(
          NewConnection(agentConnId: ConnectionID.random().text, entity: .contact(nil)), of: user)
        _ = try turn.rows.createContact(
          profile: Profile(displayName: "none\(number)", fullName: ""), connection: connection, of: user)
      }
    }
  }
}
