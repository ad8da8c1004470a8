import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Commands that connect, while the program closes its databases or cannot use one of them: they fail, and what they
/// began is finished.
@Suite(.timeLimit(.minutes(2))) struct InterruptedJoiningTests {
  enum Interruption: String, CaseIterable, CustomTestStringConvertible {
    case stop, suspension, outage

    var testDescription: String { rawValue }
  }

  private func play(_ body: (TestWorld, MemoryNetwork) async throws -> Void) async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { try await body($0, network) }
  }

  /// Interrupts a command after the agent has taken it, and lets the program go on.
  private func interrupt(
    _ core: TestCore, _ command: String, by interruption: Interruption, _ network: MemoryNetwork
  ) async throws {
    if interruption == .outage {
      _ = try await core.run("/sql agent PRAGMA query_only = 1")
      #expect(try await core.answer(command)["agentError"]?["type"]?.stringValue == "CRITICAL")
      // An agent that notices it by itself opens its database again, where writing is allowed.
      for _ in 0..<1_000 {
        if (try? await core.run("/sql agent PRAGMA query_only = 0")) != nil { return }
        network.breakLinks()
        try await Task.sleep(for: .milliseconds(20))
      }
      throw TestWorld.Unexpected(description: "\(core.name) cannot write")
    }
    network.setUnanswered(core.name, true)
    let controller = core.controller
    async let answer = controller.sendText(command).jsonBytes()
    try await core.wait(until: "EXISTS (SELECT 1 FROM agent_commands)")
    while try await core.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
    _ = try await core.run(interruption == .stop ? "/_stop" : "/_app suspend 0")
    let refused = try JSONValue(jsonBytes: await answer)["error"]
    #expect(refused?["agentError"]?["type"]?.stringValue == "INACTIVE", "\(refused?.jsonText() ?? "")")
    // What the interrupted command stored keeps no read from answering.
    _ = try await core.run("/_get chats 1 pcc=on")
    network.setUnanswered(core.name, false)
    _ = try await core.run(interruption == .stop ? "/_start" : "/_app activate")
  }

  private func createAddress(_ core: TestCore) async throws -> (full: String, short: String) {
    let link = try await core.run("/_address 1")["connLinkContact"]
    return (
      try #require(link?["connFullLink"]?.stringValue), try #require(link?["connShortLink"]?.stringValue)
    )
  }

  /// A request whose message goes with it has an item, is sent once, and is not repeated.
  @Test(arguments: Interruption.allCases) func requests(interruption: Interruption) async throws {
    try await play { world, network in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let (full, short) = try await createAddress(alice)
      let prepared = try await bob.run(
        #"/_prepare contact 1 \#(full) \#(short) {"profile":{"displayName":"alice","fullName":""}}"#)
      let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
      try await interrupt(bob, "/_connect contact @\(contact) text hello", by: interruption, network)
      let request = try await alice.event("receivedContactRequest")["contactRequest"]?["contactRequestId"]
      try await bob.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      let chat = try await bob.run("/_get chat @\(contact) count=9").jsonText()
      #expect(chat.contains(#""itemText":"hello""#), "\(chat)")
      #expect(try await bob.answer("/_connect contact @\(contact) text hello")["type"] == "contactAlreadyExists")
      _ = try await alice.run("/_accept \(try #require(request?.integerValue))")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      let texts = try await alice.rows("SELECT text FROM items WHERE text = 'hello'")
      #expect(texts == ["hello"])
    }
  }

  /// Whoever is accepted gets the welcome message.
  @Test(arguments: Interruption.allCases) func acceptance(interruption: Interruption) async throws {
    try await play { world, network in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let link = try await createAddress(alice).short
      _ = try await alice.run(
        #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"welcome!"}}"#)
      _ = try await bob.run("/connect \(link)")
      let event = try await alice.event("receivedContactRequest")
      let request = try #require(event["contactRequest"]?["contactRequestId"]?.integerValue)
      try await interrupt(alice, "/_accept \(request)", by: interruption, network)
      _ = try await alice.event("contactSndReady")
      _ = try await bob.event("contactConnected")
      #expect(try await bob.message() == "welcome!")
    }
  }

  /// A message that was given with an invitation is sent.
  @Test(arguments: Interruption.allCases) func invitations(interruption: Interruption) async throws {
    try await play { world, network in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let link = try await alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      let prepared = try await bob.run(
        #"/_prepare contact 1 \#(link) {"profile":{"displayName":"alice","fullName":""}}"#)
      let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
      try await interrupt(bob, "/_connect contact @\(contact) text hello", by: interruption, network)
      #expect(try await alice.message() == "hello")
      _ = try await bob.event("contactConnected")
    }
  }

  /// Whoever joined by an invitation to a group is shown as joined.
  @Test(arguments: Interruption.allCases) func groups(interruption: Interruption) async throws {
    try await play { world, network in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/g team")
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      try await interrupt(bob, "/j team", by: interruption, network)
      _ = try await bob.event("chatItemUpdated") { $0.jsonText().contains(#""status":"accepted""#) }
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.event("userJoinedGroup")
      _ = try await bob.run("#team hello")
      #expect(try await alice.message() == "hello")
    }
  }

  /// A connection that the user deletes while it is being joined is not joined again, whatever interrupts both.
  @Test func aDeletedConnectionIsNotJoined() async throws {
    try await play { world, network in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let link = try await alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      network.setUnanswered("bob", true)
      let controller = bob.controller
      async let answer = controller.sendText("/connect \(link)").jsonBytes()
      try await bob.wait(until: "EXISTS (SELECT 1 FROM agent_commands)")
      while try await bob.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
      // The agent cannot delete it before it is stopped.
      _ = try await bob.run("/sql agent PRAGMA query_only = 1")
      let pending = try #require(try await bob.rows("SELECT connection_id FROM connections")?.first)
      _ = try await bob.run("/_delete :\(pending)")
      _ = try await bob.run("/_stop")
      let refused = try JSONValue(jsonBytes: await answer)["error"]
      #expect(refused != nil)
      network.setUnanswered("bob", false)
      _ = try await bob.run("/_start")
      try await bob.waitUntilIdle()
      #expect(try await bob.rows("SELECT 1 FROM connections", of: "agent") == [])
    }
  }

  /// What a program that was killed left to be done is done although the next start failed before it could.
  @Test func joiningContinuesAfterTheSecondStart() async throws {
    try await play { world, _ in
      let alice = try await world.profile("alice")
      var bob = try await world.profile("bob")
      let link = try await alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      _ = try await bob.run("/sql agent PRAGMA query_only = 1")
      _ = try await bob.answer("/connect \(link)")
      // As where it was killed before the agent was asked.
      _ = try await bob.run("/sql chat UPDATE agent_commands SET is_follow_up = 1")
      await bob.controller.kill()
      bob = TestCore("bob", try await ChatController.open(world.options("bob")))
      _ = try await bob.run("/sql agent PRAGMA query_only = 1")
      #expect(try await bob.answer("/_start")["agentError"]?["type"]?.stringValue == "CRITICAL")
      #expect(try await bob.rows("SELECT count(*) FROM agent_commands") == ["1"])
      _ = try await bob.run("/_start")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      await bob.controller.finish()
    }
  }
}
