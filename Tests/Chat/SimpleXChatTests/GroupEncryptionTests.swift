import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Messages to members with whom encryption is post-quantum, which leaves less room for a message.
@Suite struct GroupEncryptionTests {
  @Test func aLongMessageIsCompressedForThem() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      _ = try await bob.run("/_connect 1 \(link)")
      _ = try await alice.event("joinedGroupMember")
      let text = String(repeating: "a long text, ", count: 1_100) + "the end"
      _ = try await alice.run("/_send #1 text \(text)")
      _ = try await bob.event("newChatItems") {
        guard case .array(let items)? = $0["chatItems"] else { return false }
        return items.first?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
      }
      #expect(try await alice.rows("SELECT pq_sending FROM connections WHERE kind = 'member'") == ["1"])
    }
  }

  /// It is off with a member whose program refuses it, and with one that does not know it in groups: the reference
  /// offers its key when it repeats a request, and could not answer.
  @Test(arguments: [false, true]) func itIsOffWhereTheOtherSideDoesNotAskForIt(offersKey: Bool) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      let peer = try await HostilePeer(in: world)
      try await peer.join(
        link,
        info: Array(
          #"{"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"mallory","fullName":""}}}"#.utf8),
        pq: offersKey)
      try await peer.allow(info: String(decoding: HostilePeer.info("mallory"), as: UTF8.self))
      _ = try await alice.event("joinedGroupMember")
      try await peer.connected()
      try await peer.send(HostilePeer.message("hello", id: 1))
      _ = try await alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "hello"
      }
      _ = try await alice.run("/_send #1 text hello too")
      _ = try await alice.event("chatItemsStatusesUpdated")
      let columns = "coalesce(pq_sending, 0) || coalesce(pq_receiving, 0)"
      let rows = try await alice.rows("SELECT \(columns) FROM connections WHERE kind = 'member'")
      #expect(rows == ["00"])
      await peer.close()
    }
  }
}
