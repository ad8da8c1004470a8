import AgentCore
import ChatAPI
import SimplexAgent
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// What the databases of chats and of the agent know of each other, where they differ: one of them is an older copy.
@Suite struct ConnectionsDiffTests {
  private func ids(_ diff: JSONValue, _ kind: String, _ side: String) -> [String] {
    diff[kind]?[side]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  @Test func differencesAreToldAndLeftoversDeleted() async throws {
    try await TestWorld.with { world in
      var (alice, _) = try await world.connected("alice", "bob")
      let known = try await alice.run("/_contacts 1")["contacts"]?[0]?["activeConn"]?["agentConnId"]?.stringValue ?? ""
      let missing = try ConnectionID(agentText: known)
      let (user, extra) = try await alice.controller.withAgent { (agent) throws(AgentError) in
        try await agent.delete([missing], waitForDelivery: false)
        let first = try await agent.users()[0]
        let created = try await agent.createConnection(first, mode: .invitation)
        return (try await agent.createUser(servers: []), created.connection)
      }
      let diff = try await alice.run("/_connections diff")
      #expect(ids(diff, "connIds", "missingIds") == [known])
      #expect(ids(diff, "connIds", "extraIds") == [extra.text])
      #expect(ids(diff, "userIds", "extraIds") == ["\(user.rawValue)"])

      // A start tells of them too, and deletes what only the agent has.
      alice = try await world.restart("alice")
      let told = try await alice.event("connectionsDiff")
      #expect(ids(told, "connIds", "missingIds") == [known])
      #expect(ids(told, "connIds", "extraIds") == [extra.text])
      #expect(ids(told, "userIds", "extraIds") == ["\(user.rawValue)"])
      _ = try await alice.event("agentUserDeleted")
      _ = try await alice.event("agentConnsDeleted")
      let left = try await alice.run("/_connections diff")
      #expect(ids(left, "connIds", "missingIds") == [known])
      #expect(ids(left, "connIds", "extraIds").isEmpty && ids(left, "userIds", "extraIds").isEmpty)
    }
  }

  /// A user whom only the agent has is deleted without a word if nothing of it is at relays.
  @Test func usersWithoutConnectionsAreDeletedSilently() async throws {
    try await TestWorld.with { world in
      var alice = try await world.profile("alice")
      let user = try await alice.controller.withAgent { (agent) throws(AgentError) in
        try await agent.createUser(servers: [])
      }
      alice = try await world.restart("alice")
      let told = try await alice.event("connectionsDiff")
      #expect(ids(told, "userIds", "extraIds") == ["\(user.rawValue)"])
      await #expect(throws: (any Error).self) {
        try await alice.event("agentUserDeleted", within: .milliseconds(300))
      }
      let left = try await alice.run("/_connections diff")
      #expect(ids(left, "userIds", "extraIds").isEmpty)
    }
  }

  /// A connection that is created or deleted between two snapshots is no difference. If it were, a deletion that waits
  /// for its last message would be repeated without waiting.
  @Test func whatIsDeletedMeanwhileIsNoDifference() {
    var chat = KnownIDs(users: ["1"], connections: ["old", "gone"], possibleConnections: ["old", "gone", "deleted"])
    let agent = KnownIDs(users: ["1"], connections: ["old", "deleted", "extra"])
    var chatAfter = chat
    chatAfter.connections.remove("gone")
    chatAfter.possibleConnections = ["old", "new"]
    let agentAfter = KnownIDs(users: ["1"], connections: ["old", "new", "extra"])
    #expect(
      KnownIDs.differences(chat: chat, agent: agent, chatAfter: chatAfter, agentAfter: agentAfter).connections
        == DatabaseDiff(missingIds: [], extraIds: ["extra"]))
    chat.connections.insert("missing")
    chatAfter.connections.insert("missing")
    #expect(
      KnownIDs.differences(chat: chat, agent: agent, chatAfter: chatAfter, agentAfter: agentAfter).connections
        == DatabaseDiff(missingIds: ["missing"], extraIds: ["extra"]))
  }

  /// The same with real databases, while connections are made and deleted all the time.
  @Test func nothingDiffersWhileConnectionsComeAndGo() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let controller = alice.controller
      let changing = Task {
        for _ in 0..<60 where !Task.isCancelled {
          let made = try JSONValue(jsonBytes: await controller.sendText("/_connect 1").jsonBytes())
          let id = try #require(made["result"]?["connection"]?["pccConnId"]?.integerValue)
          _ = await controller.sendText("/_delete :\(id) full notify=off")
        }
      }
      defer { changing.cancel() }
      for _ in 0..<400 {
        let diff = try await alice.run("/_connections diff")
        for side in ["missingIds", "extraIds"] { #expect(ids(diff, "connIds", side).isEmpty) }
      }
      try await changing.value
    }
  }
}
