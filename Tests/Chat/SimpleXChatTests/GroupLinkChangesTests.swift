import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Groups that change or end while a relay is asked for their link.
@Suite struct GroupLinkChangesTests {
  /// A group of alice, and an answer of a slow relay to a command about its link.
  /// - Parameter change: what happens before the answer.
  private func play(
    _ command: String, preparing: [String] = [], changing change: [String],
    _ body: (TestWorld, _ alice: TestCore, _ answer: JSONValue) async throws -> Void
  ) async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":"old"}"#)
      for command in preparing { _ = try await alice.run(command) }
      network.weather.delay = 200...200
      let controller = alice.controller
      async let answer = controller.sendText(command).jsonBytes()
      try await Task.sleep(for: .milliseconds(100))
      for command in change { _ = try await alice.run(command) }
      let value = try JSONValue(jsonBytes: await answer)
      network.weather = .calm
      try await body(world, alice, value["result"] ?? value["error"] ?? value)
    }
  }

  /// The relay gets the profile of after the change.
  @Test(arguments: ["/_create link #1 member", "/_short link #1"]) func profilesThatChangeArePublished(
    command: String
  ) async throws {
    let isNew = command.hasPrefix("/_create")
    try await play(
      command, preparing: isNew ? [] : ["/_create link #1 member"],
      changing: [#"/_group_profile #1 {"displayName":"team","fullName":"new"}"#]
    ) { world, alice, answer in
      let link = answer["groupLink"]?["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      try await alice.waitUntilIdle()
      let bob = try await world.profile("bob")
      let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]
      let profile = plan?["groupLinkPlan"]?["groupSLinkData_"]?["groupProfile"]
      #expect(profile?["fullName"]?.stringValue == "new")
    }
  }

  /// Nothing is left of a link whose group or user was deleted, or whose group the user left.
  @Test(arguments: [["/_delete #1"], ["/_leave #1"], ["/create user other", "/_delete user 1 del_smp=on"]])
  func linksOfGroupsThatEndAreDeleted(change: [String]) async throws {
    try await play("/_create link #1 member", changing: change) { _, alice, answer in
      #expect(answer["groupLink"] == nil, "\(answer.jsonText())")
      try await alice.waitUntilIdle()
      #expect(try await alice.rows("SELECT 1 FROM addresses") == [])
      #expect(try await alice.rows("SELECT 1 FROM connections") == [])
      for _ in 0..<500 where try await alice.rows("SELECT 1 FROM connections", of: "agent") != [] {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try await alice.rows("SELECT 1 FROM connections", of: "agent") == [])
    }
  }
}
