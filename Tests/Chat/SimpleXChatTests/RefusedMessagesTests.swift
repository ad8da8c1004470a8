import AgentCore
import SimplexAgent
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Messages that the agent refuses after the commands that wrote them were answered.
@Suite struct RefusedMessagesTests {
  @Test func whatCannotLeaveIsMarkedOrTakenBack() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await bob.run("@alice hello")
      #expect(try await alice.message() == "hello")
      _ = try await alice.run("@bob hello too")
      #expect(try await bob.message() == "hello too")
      // The edit below is refused although the earlier text was received.
      _ = try await bob.event("chatItemsStatusesUpdated") { $0["chatItems"]?[0].flatMap(Self.status) == "sndRcvd" }
      let contact = try await bob.run("/_contacts 1")["contacts"]?[0]
      let id = try ConnectionID(agentText: contact?["activeConn"]?["agentConnId"]?.stringValue ?? "")
      // Only the agent forgets the connection, as one that was restored from an old copy would.
      try await bob.controller.withAgent { (agent) throws(AgentError) in
        try await agent.delete([id], waitForDelivery: false)
      }

      let new = try await bob.run("@alice cannot be sent")
      #expect(new["chatItems"]?[0].map(Self.status) == "sndNew")
      #expect(try await failed(bob, "cannot be sent") == "sndError")
      // An edit is marked.
      _ = try await bob.run("! @alice (hello) not edited")
      #expect(try await failed(bob, "not edited") == "sndError")
      // A reaction is taken back.
      #expect(try await bob.run("+👍 @alice hello too")["added"] == true)
      let reaction = try await bob.event("chatItemReaction") { $0["added"] == false }
      #expect(reaction["reaction"]?["chatReaction"]?["chatItem"]?["reactions"]?.arrayValue?.isEmpty == true)
    }
  }

  /// Others got what one member of a group did not; an edit shows it for that member, as a message does.
  @Test func editsAreMarkedForMembers() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      // Without receipts, as the status of what was received does not change.
      _ = try await bob.run("/_set receipts groups 1 off")
      let sent = try await alice.run("#team hello")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue
      #expect(try await bob.message() == "hello")
      let member = try await alice.run("/_members #1")["group"]?["members"]?[0]
      let id = try ConnectionID(agentText: member?["activeConn"]?["agentConnId"]?.stringValue ?? "")
      try await alice.controller.withAgent { (agent) throws(AgentError) in
        try await agent.delete([id], waitForDelivery: false)
      }
      _ = try await alice.run("! #team (hello) edited")
      _ = try await alice.event("errorAgent")
      let info = try await alice.run("/_get item info #1 \(sent ?? 0)")["chatItemInfo"]
      #expect(
        info?["memberDeliveryStatuses"]?[0]?["memberDeliveryStatus"]?["type"]?.stringValue == "error",
        "\(info?.jsonText() ?? "")")
    }
  }

  private static func status(_ item: JSONValue) -> String? {
    item["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue
  }

  /// The status that an item gets after the refusal, which an error reports.
  private func failed(_ core: TestCore, _ text: String) async throws -> String? {
    let event = try await core.event("chatItemsStatusesUpdated") {
      $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
    }
    _ = try await core.event("errorAgent")
    return event["chatItems"]?[0].flatMap(Self.status)
  }
}
