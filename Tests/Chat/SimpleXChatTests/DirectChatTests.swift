import FoundationTypes
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Details of direct chats that programs rely on.
@Suite struct DirectChatTests {
  private static func contact(of core: TestCore) async throws -> Int64 {
    try await core.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
  }

  private static func isMessage(_ item: JSONValue?) -> Bool {
    item?["chatItem"]?["content"]?["msgContent"] != nil
  }

  /// The answer follows the deletion of old messages.
  @Test func expiryIsDoneWhenItsTimeIsAnswered() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      for number in 0..<20 { _ = try await alice.run("@bob \(number)") }
      for number in 0..<20 { #expect(try await bob.message() == "\(number)") }
      let contact = try await Self.contact(of: alice)
      try await Task.sleep(for: .milliseconds(1_100))
      _ = try await alice.run("/_ttl 1 @\(contact) 1")
      let items = try await alice.run("/_get chat @\(contact) count=100")["chat"]?["chatItems"]?.arrayValue
      #expect(items?.compactMap { $0["content"]?["type"]?.stringValue } == ["chatBanner"])
    }
  }

  /// The answer tells of a message to all contacts; there is no event for each.
  @Test func messagesToAllHaveNoEvents() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.connect(alice, try await world.profile("cath"))
      #expect(try await alice.run("/feed hello all")["successes"]?.integerValue == 2)
      #expect(try await bob.message() == "hello all")
      _ = try await bob.run("@alice hello")
      let event = try await alice.event("newChatItems") { Self.isMessage($0["chatItems"]?[0]) }
      #expect(event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "hello")
    }
  }

  @Test func severalQuotesAreRefused() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let sent = try await alice.run("@bob hello")
      let item = sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue ?? 0
      #expect(try await bob.message() == "hello")
      let message = #"{"quotedItemId":\#(item),"msgContent":{"type":"text","text":"more"}}"#
      let contact = try await Self.contact(of: alice)
      let answer = try await alice.answer("/_send @\(contact) json [\(message),\(message)]")
      #expect(answer["errorType"]?["type"]?.stringValue == "commandError", "\(answer.jsonText())")
      _ = try await alice.run("/_send @\(contact) json [\(message)]")
      #expect(try await bob.message() == "more")
    }
  }

  /// The end of deleting a user is told only where its queues are deleted at the relays.
  @Test func deletedUsersAreToldWithTheirQueues() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      for name in ["second", "third"] { _ = try await alice.run("/create user \(name)") }
      _ = try await alice.run("/user alice")
      _ = try await alice.run("/_delete user 2 del_smp=off")
      let other = try await alice.run("/_user 3")["user"]?["agentUserId"]?.stringValue
      _ = try await alice.run("/user alice")
      _ = try await alice.run("/_delete user 3 del_smp=on")
      let told = try await alice.event("agentUserDeleted")["agentUserId"]
      #expect(told?.stringValue ?? told?.integerValue.map(String.init) == other, "\(told?.jsonText() ?? "")")
    }
  }

  /// A request can be rejected after the address that it came to is deleted.
  @Test func requestsOfADeletedAddressCanBeRejected() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      _ = try await bob.run("/connect \(link)")
      let request = try await alice.event("receivedContactRequest")["contactRequest"]?["contactRequestId"]?.integerValue
      _ = try await alice.run("/_delete_address 1")
      let rejected = try await alice.run("/_reject \(request ?? 0)")
      #expect(rejected["type"]?.stringValue == "contactRequestRejected")
      #expect(try await alice.run("/_get chats 1")["chats"]?.arrayValue?.count == 1)
    }
  }

  /// An item that the receiver deleted comes back with the edited text, and with no other.
  @Test func anEditOfADeletedItemHasOneVersion() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("@bob first")
      let new = try await bob.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "first"
      }
      let item = new["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue ?? 0
      let contact = try await Self.contact(of: bob)
      _ = try await bob.run("/_delete item @\(contact) \(item) internal")
      _ = try await alice.run("! @bob (first) second")
      let edited = try await bob.event("chatItemUpdated")["chatItem"]?["chatItem"]?["meta"]
      #expect(edited?["itemText"]?.stringValue == "second" && edited?["itemEdited"] == true)
      let info = try await bob.run("/_get item info @\(contact) \(edited?["itemId"]?.integerValue ?? 0)")
      let versions = info["chatItemInfo"]?["itemVersions"]?.arrayValue ?? []
      #expect(versions.compactMap { $0["msgContent"]?["text"]?.stringValue } == ["second"])
    }
  }

  /// Old clients send requests that have no identifier; one that is handled twice is one.
  @Test(arguments: [false, true]) func aRequestWithoutIdentifierIsOne(isAccepted: Bool) async throws {
    try await TestWorld.with(options: { $0.repeatsEvents = true }) { world in
      let alice = try await world.profile("alice")
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      if isAccepted { _ = try await alice.run("/auto_accept on") }
      let mallory = try await HostilePeer(in: world)
      try await mallory.join(link, info: HostilePeer.info("mallory"))
      if isAccepted {
        try await mallory.allow(info: String(decoding: HostilePeer.info("mallory"), as: UTF8.self))
        try await mallory.connected()
        _ = try await alice.event("contactConnected")
      } else {
        _ = try await alice.event("receivedContactRequest")
      }
      // Events are handled in order: the repetition is over.
      _ = try await alice.run("/connect")
      let chats = try await alice.run("/_get chats 1")["chats"]?.arrayValue ?? []
      let names = chats.compactMap { $0["chatInfo"]?["contact"]?["localDisplayName"]?.stringValue }
      #expect(names == ["mallory"])
      await mallory.close()
    }
  }
}
