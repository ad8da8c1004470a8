import SimplexJSON
import SimplexTesting
import Testing

/// Programs that were started with other versions than they know: what they announce, and what is agreed.
@Suite struct VersionTests {
  private struct Agreed: Equatable {
    var used: Int?
    var lowest: Int?
    var highest: Int?
  }

  /// What `one` knows of the versions of its contact `other`, after a message of the other.
  private static func versions(_ one: ProgramProfile, of other: String) async throws -> Agreed {
    let contacts = try await one.answer("/contacts", is: "contactsList")["contacts"]
    let connection = contacts?[0]?["activeConn"]
    #expect(contacts?[0]?["localDisplayName"]?.stringValue == other)
    let peer = connection?["peerChatVRange"]
    return Agreed(
      used: connection?["connChatVersion"]?.integerValue.map(Int.init),
      lowest: peer?["minVersion"]?.integerValue.map(Int.init),
      highest: peer?["maxVersion"]?.integerValue.map(Int.init))
  }

  private static func meet(_ one: ProgramProfile, _ other: ProgramProfile, by command: String) async throws {
    let made = try await one.answer(command)
    let created = made["connLinkInvitation"] ?? made["connLinkContact"]
    let link = try #require(created?["connFullLink"]?.stringValue)
    _ = try await other.answer("/connect \(link)")
    if command == "/address" {
      _ = try await one.events.first("receivedContactRequest")
      _ = try await one.answer("/accept bob", is: "acceptingContactRequest")
    }
    _ = try await one.events.first("contactConnected")
    _ = try await other.events.first("contactConnected")
    // Both sides have read a message of the other's.
    _ = try await one.answer("@bob hello", is: "newChatItems")
    _ = try await other.events.first("newChatItems") { $0.jsonText().contains("hello") }
    _ = try await other.answer("@alice hi", is: "newChatItems")
    _ = try await one.events.first("newChatItems") { $0.jsonText().contains("\"hi\"") }
  }

  @Test(arguments: ["/connect", "/address"]) func theRangeThatWasSetIsAnnounced(_ command: String) async throws {
    try await ProgramWorld.with { world in
      let alice = try await world.profile("alice", "--chat-versions", "2-9", "--retry-interval", "50")
      let bob = try await world.profile("bob", "--chat-versions", "1-12")
      try await Self.meet(alice, bob, by: command)
      #expect(try await Self.versions(alice, of: "bob") == Agreed(used: 9, lowest: 1, highest: 12))
      #expect(try await Self.versions(bob, of: "alice") == Agreed(used: 9, lowest: 2, highest: 9))
    }
  }

  /// The oldest of everything with the newest.
  @Test(arguments: ["/connect", "/address"]) func theOldestVersions(_ command: String) async throws {
    try await ProgramWorld.with { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile(
        "bob", "--chat-versions", "1", "--agent-versions", "2", "--e2e-versions", "2", "--client-versions", "1",
        "--smp-versions", "6")
      try await Self.meet(alice, bob, by: command)
      #expect(try await Self.versions(alice, of: "bob") == Agreed(used: 1, lowest: 1, highest: 1))
      let ofAlice = try await Self.versions(bob, of: "alice")
      #expect(ofAlice.used == 1 && ofAlice.lowest == 1 && (ofAlice.highest ?? 0) >= 16)
      let contact = try await alice.answer("/contacts", is: "contactsList")["contacts"]?[0]
      #expect(contact?["activeConn"]?["pqEncryption"] == false)
    }
  }
}
