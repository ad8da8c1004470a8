import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Users who change or go while a relay is asked for their address or an invitation.
@Suite(.timeLimit(.minutes(1))) struct AddressChangesTests {
  /// Alice, and the answer of a slow relay to a command of hers.
  /// - Parameter change: what happens before the answer.
  private func play(
    _ command: String, preparing: [String] = [], changing change: [String],
    _ body: (TestWorld, _ alice: TestCore, _ answer: JSONValue) async throws -> Void
  ) async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
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

  /// What the address shows.
  private func shown(_ link: String, to bob: TestCore) async throws -> JSONValue? {
    let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]
    return plan?["contactAddressPlan"]?["contactSLinkData_"]
  }

  private static let profile = #"/_profile 1 {"displayName":"alice","fullName":"new"}"#

  /// A new address shows the profile of after the change.
  @Test func theProfileThatChangesIsPublished() async throws {
    try await play("/_address 1", changing: [Self.profile]) { world, alice, answer in
      let link = answer["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      try await alice.waitUntilIdle()
      let shown = try await shown(link, to: try await world.profile("bob"))
      #expect(shown?["profile"]?["fullName"]?.stringValue == "new", "\(answer.jsonText())")
    }
  }

  /// An address of an earlier version, which gets its short link, shows what changes meanwhile.
  @Test(arguments: [
    AddressChangesTests.profile,
    #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"new"}}"#,
  ]) func whatChangesIsShownByALinkOfAnOldAddress(change: String) async throws {
    let old = "/sql chat UPDATE addresses SET short_link = NULL, link_data_set = 0, link_large_data_set = 0"
    try await play("/_short_link_address 1", preparing: ["/_address 1", old], changing: [change]) {
      world, alice, answer in
      let link = answer["contactLink"]?["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      try await alice.waitUntilIdle()
      let stored = try await alice.run("/_show_address 1")["contactLink"]
      #expect(stored?["connLinkContact"]?["connShortLink"]?.stringValue == link)
      #expect(stored?["addressSettings"] == answer["contactLink"]?["addressSettings"])
      let shown = try await shown(link, to: try await world.profile("bob"))
      #expect(shown?.jsonText().contains("new") == true, "\(shown?.jsonText() ?? "")")
    }
  }

  /// Nothing is left of an address or invitation whose user was deleted, and the command ends.
  @Test(arguments: ["/_address 1", "/_connect 1"], ["on", "off"]) func nothingIsCreatedForADeletedUser(
    command: String, deletesQueues: String
  ) async throws {
    let change = ["/create user other", "/_delete user 1 del_smp=\(deletesQueues)"]
    try await play(command, changing: change) { _, alice, answer in
      #expect(answer["connLinkContact"] == nil && answer["connLinkInvitation"] == nil, "\(answer.jsonText())")
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
