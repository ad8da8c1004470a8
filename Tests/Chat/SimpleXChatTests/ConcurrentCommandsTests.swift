import AgentCore
import ChatAPI
import Dispatch
import SimplexTesting
import Testing

@testable import SimpleXChat
@testable import SimplexAgent

/// Commands that begin while another one waits for the agent: each acts on how things are then.
@Suite(.timeLimit(.minutes(1))) struct ConcurrentCommandsTests {
  /// Begins `first`, and `second` when that waits for the agent, which does nothing before.
  private func play(
    _ core: TestCore, _ first: @escaping @Sendable (ChatController) async throws -> Void,
    _ second: @escaping @Sendable (ChatController) async throws -> Void
  ) async throws {
    let gate = DispatchSemaphore(value: 0)
    try #require(await core.controller.agent).queue.run { gate.wait() }
    try await core.controller.interleave(first, second) { gate.signal() }
  }

  /// Of two network configurations the last one is used, also where it is the one of before.
  @Test func theLastNetworkConfigurationCounts() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      let before = await alice.controller.session.networkConfig
      var other = before
      other.smpPingCount += 1
      try await play(alice) { [other] in
        try await $0.setNetwork(other)
      } _: {
        try await $0.setNetwork(before)
      }
      #expect(await alice.controller.session.networkConfig == before)
      #expect(await alice.controller.agent?.options.network.pingCount == before.smpPingCount)
    }
  }

  /// A folder that is set while the work on files starts is the one that it uses.
  @Test func theFolderOfFilesIsTheLastOne() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      // Without a user the agent is told of no servers before.
      let alice = TestCore("alice", try await ChatController.open(world.options("alice")))
      let folder = world.folder.appending(path: "files").path
      try await play(alice) {
        try await $0.startFiles(onlySends: false)
      } _: { controller in
        await controller.setFilesFolder(folder)
      }
      #expect(await alice.controller.agent?.transfers?.folders.filesFolder == folder)
      await alice.controller.finish()
    }
  }

  /// Of two commands that create a user of one name at once one fails, and leaves nothing at the agent.
  @Test func usersOfOneName() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      let controller = alice.controller
      async let first = controller.sendText("/create user second")
      async let second = controller.sendText("/create user second")
      let answers = await [first, second]
      #expect(answers.count { if case .error = $0 { true } else { false } } == 1)
      #expect(try await alice.rows("SELECT count(*) FROM users", of: "agent") == ["2"])
    }
  }

  /// A user who is deleted while the agent is told of everybody's servers is no error.
  @Test func usersAreDeletedMeanwhile() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/create user second")
      _ = try await alice.run("/_user 1")
      try await alice.waitUntilIdle()
      try await play(alice) {
        try await $0.updateAgentServers()
      } _: { controller in
        guard case .result = await controller.sendText("/_delete user 2 del_smp=off") else {
          throw TestWorld.Unexpected(description: "the user was not deleted")
        }
      }
    }
  }

  /// Alice with an address, and bob, whose second user is being connected to it by a command that takes seconds.
  private func playConnecting(
    _ body: (_ alice: TestCore, _ bob: TestCore, _ connecting: Task<APIResult<ChatResponse>, Never>) async throws ->
      Void
  ) async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      _ = try await bob.run("/create user robert")
      network.weather.delay = 400...400
      let connecting = Task { [controller = bob.controller] in await controller.sendText("/connect \(link)") }
      while try await bob.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
      try await body(alice, bob, connecting)
    }
  }

  /// A profile that changes while the relay is asked for a link is the one that the contact gets.
  @Test func theProfileOfNowIsSent() async throws {
    try await playConnecting { alice, bob, connecting in
      _ = try await bob.run(#"/_profile 2 {"displayName":"robert","fullName":"Robert"}"#)
      guard case .result = await connecting.value else { throw TestWorld.Unexpected(description: "not connected") }
      let request = try await alice.event("receivedContactRequest")["contactRequest"]
      #expect(request?["profile"]?["fullName"] == "Robert", "\(request?.jsonText() ?? "")")
    }
  }

  /// Of a user who is deleted while the relay is asked for a link nothing is stored any more.
  @Test func nothingIsStoredOfDeletedUsers() async throws {
    try await playConnecting { _, bob, connecting in
      _ = try await bob.run("/_user 1")
      _ = try await bob.run("/_delete user 2 del_smp=off")
      guard case .error = await connecting.value else { throw TestWorld.Unexpected(description: "connected") }
      try await bob.waitUntilIdle()
      #expect(try await bob.rows("SELECT count(*) FROM connections") == ["0"])
    }
  }

  /// Of two commands that make an invitation incognito at once one finds that it is, and no profile is left over.
  @Test func anInvitationBecomesIncognitoOnce() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      let created = try await alice.run("/_connect 1")
      let pending = try #require(created["connection"]?["pccConnId"]?.integerValue)
      let profiles = Int(try await alice.rows("SELECT count(*) FROM profiles")?.first ?? "") ?? 0
      network.weather.delay = 50...50
      let controller = alice.controller
      async let first = controller.sendText("/_set incognito :\(pending) on")
      async let second = controller.sendText("/_set incognito :\(pending) on")
      let answers = await [first, second]
      #expect(answers.count { if case .error = $0 { true } else { false } } == 1)
      #expect(try await alice.rows("SELECT count(*) FROM profiles") == ["\(profiles + 1)"])
    }
  }

  /// An invitation that is joined while a command about it waits for the relay is neither moved nor changed.
  @Test(arguments: ["/_set conn user :%@ 2", "/_set incognito :%@ on"])
  func invitationsThatAreJoinedStay(_ command: String) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/create user second")
      _ = try await alice.run("/user alice")
      let created = try await alice.run("/connect")
      let id = try #require(created["connection"]?["pccConnId"]?.integerValue)
      let invitation = try await alice.rows("SELECT agent_conn_id, invitation_short_link FROM connections")
      // As if a peer joined after the command had begun.
      _ = try await alice.run(
        """
        /sql chat CREATE TRIGGER joined AFTER INSERT ON agent_commands WHEN NEW.is_follow_up = 1 BEGIN \
        UPDATE connections SET status = 'requested' WHERE connection_id = \(id); END
        """)
      let refused = try await alice.answer(command.replacing("%@", with: "\(id)"))
      let error = refused["errorType"]?["type"]?.stringValue
      #expect(error?.hasSuffix("ChangeProhibited") == true, "\(refused.jsonText())")
      #expect(try await alice.rows("SELECT agent_conn_id, invitation_short_link FROM connections") == invitation)
      #expect(try await alice.rows("SELECT status, user_id, custom_profile_id FROM connections") == ["requested|1|"])
    }
  }
}

extension ChatController {
  /// Runs two commands: the second one begins when the first one waits, and `release` is called when it waits too, or
  /// has ended.
  fileprivate func interleave(
    _ first: @escaping @Sendable (ChatController) async throws -> Void,
    _ second: @escaping @Sendable (ChatController) async throws -> Void, release: @Sendable () -> Void
  ) async throws {
    // Tasks of this actor begin in their order.
    let tasks = [first, second].map { body in Task { try await body(self) } }
    await Task.yield()
    await Task.yield()
    release()
    for task in tasks { try await task.value }
  }
}
