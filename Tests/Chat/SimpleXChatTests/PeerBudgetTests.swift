import ChatLogic
import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What a peer causes and the user does not see has a limit: beyond it nothing grows, the peer is not disconnected, and
/// one event reports it.
@Suite struct PeerBudgetTests {
  /// The messages of a member that fill the budgets, each of which adds one row, and the rows.
  private static func message(_ state: HiddenState, _ number: Int, known: String) -> String? {
    let id = HostileGroup.id()
    let member = #"{"memberId":"\#(id)","memberRole":"member","v":"1-16","profile":{"displayName":"x","fullName":""}}"#
    switch state {
    case .earlyReactions:
      return HostileGroup.message(
        "x.msg.react", #"{"msgId":"\#(id)","memberId":"\#(id)","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#)
    case .silentMessages:
      return HostileGroup.message(
        "x.msg.react",
        #"{"msgId":"\#(known)","reaction":{"type":"emoji","emoji":"👍"},"add":\#(number % 2 == 0)}"#)
    case .earlyDeletions: return HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)"}"#)
    case .earlyDecisions: return HostileGroup.message("x.grp.mem.del", #"{"memberId":"\#(id)"}"#)
    case .probes:
      let probe = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_")
      return HostileGroup.message("x.info.probe", #"{"probe":"\#(probe)"}"#)
    case .earlyDescriptions:
      return HostileGroup.message(
        "x.msg.file.descr",
        #"{"msgId":"\#(id)","fileDescr":{"fileDescrText":"x","fileDescrPartNo":1,"fileDescrComplete":false}}"#)
    case .keptMessages: return HostileGroup.message("x.call.end", #"{"callId":"AAAA"}"#)
    case .announcedMembers: return HostileGroup.message("x.grp.mem.new", #"{"memberInfo":\#(member)}"#)
    case .inlineFiles:
      return HostileGroup.message(
        "x.msg.new",
        #"{"content":{"type":"voice","text":"","duration":1},"file":{"fileName":"voice.m4a","fileSize":1000,"#
          + #""fileInline":"sent"}}"#)
    case .joiningMembers, .contactRequests: return nil
    }
  }

  private static func rows(_ state: HiddenState) -> String {
    switch state {
    case .earlyReactions: "reactions WHERE is_early = 1"
    case .silentMessages: "received_messages WHERE charged_to <> 0"
    case .earlyDeletions: "moderations"
    case .earlyDecisions: "early_decisions"
    case .probes: "received_probes"
    case .earlyDescriptions: "early_descriptions"
    case .keptMessages: "kept_messages"
    case .announcedMembers, .joiningMembers: "members"
    case .contactRequests: "contact_requests"
    case .inlineFiles: "files WHERE step = 'accepted'"
    }
  }

  private static func count(_ state: HiddenState, of core: TestCore) async throws -> Int {
    Int(try await core.rows("SELECT count(*) FROM \(rows(state))")?.first ?? "") ?? -1
  }

  /// As if all but `left` rows of a budget were there.
  private static func fill(_ state: HiddenState, of connection: String, butFor left: Int, _ core: TestCore) async throws
  {
    _ = try await core.run(
      "/sql chat INSERT INTO peer_state VALUES (\(connection), \(state.rawValue), \(state.limit.rows - left), 0, 0) "
        + "ON CONFLICT DO UPDATE SET row_count = excluded.row_count, is_reported = 0")
  }

  /// An admin fills each budget, in batches and message by message.
  @Test func everyBudgetOfAMemberHasALimit() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      let alice = world.alice
      let connection = try #require(
        try await alice.rows(
          "SELECT n.connection_id FROM members m JOIN connections n ON n.connection_id = m.connection_id "
            + "WHERE m.local_display_name = 'mallory'")?.first)
      let known = HostileGroup.id()
      try await world.say("known", id: known)
      for state in HiddenState.allCases {
        let messages = (0..<6).compactMap { Self.message(state, $0, known: known) }
        guard !messages.isEmpty else { continue }
        let before = try await Self.count(state, of: alice)
        // Records of other messages do not end before their turn.
        if state != .silentMessages { try await Self.fill(.silentMessages, of: connection, butFor: 1_000, alice) }
        try await Self.fill(state, of: connection, butFor: 2, alice)
        try await world.mallory.send("[\(messages[..<4].joined(separator: ","))]")
        for message in messages[4...] { try await world.mallory.send(message) }
        _ = try await alice.event("messageError") { $0["errorMessage"]?.stringValue == state.report }
        try await world.say("after \(state)")
        await #expect(throws: (any Error).self, "\(state) is reported once") {
          _ = try await alice.event("messageError", within: .milliseconds(10)) {
            $0["errorMessage"]?.stringValue == state.report
          }
        }
        #expect(try await Self.count(state, of: alice) == before + 2, "\(state)")
      }
    }
  }

  /// Identifiers are stored several times, and nobody sees them.
  @Test func identifiersAreShort() {
    func read(_ count: Int) -> SharedMsgId? {
      try? SharedMsgId(jsonText: "\"\(SharedMsgId([UInt8](repeating: 1, count: count)).text)\"")
    }
    #expect(read(255) != nil)
    #expect(read(256) == nil)
  }

  /// A member fills the budget of the admin who forwards its reactions. What the admin does itself is heard.
  @Test func forwardedChangesKeepNobodyFromModerating() async throws {
    try await HostileGroup.play(role: "member") { world in
      let (alice, bob) = (world.alice, world.bob)
      let connection = try #require(
        try await bob.rows(
          "SELECT n.connection_id FROM members m JOIN connections n ON n.connection_id = m.connection_id "
            + "WHERE m.category = 'host'")?.first)
      let known = HostileGroup.id()
      try await world.say("spam", id: known)
      let sent = try await alice.run("#team written")["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue
      let spam = try #require(try await alice.rows("SELECT item_id FROM items WHERE text = 'spam'")?.first)
      try await bob.wait(until: "(SELECT count(*) FROM items WHERE text IN ('spam', 'written')) = 2")
      try await Self.fill(.silentMessages, of: connection, butFor: 2, bob)
      for number in 0..<4 {
        try await world.mallory.send(Self.message(.silentMessages, number, known: known) ?? "")
      }
      _ = try await bob.event("messageError") { $0["errorMessage"]?.stringValue == HiddenState.silentMessages.report }
      _ = try await alice.run("/_update item #\(world.group) \(sent ?? 0) text corrected")
      _ = try await alice.run("/_delete member item #\(world.group) \(spam)")
      try await bob.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'corrected')")
      try await bob.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'spam' AND deleted <> 0)")
    }
  }

  /// Strangers who ask to connect, and to join a group.
  @Test func requestsOfStrangersHaveALimit() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let address = try await alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      let link =
        try await alice.run("/_create link #1 member")["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue
        ?? ""
      for (state, link, condition) in [
        (HiddenState.contactRequests, address, "group_id IS NULL"), (.joiningMembers, link, "group_id IS NOT NULL"),
      ] {
        let connection = try #require(
          try await alice.rows(
            "SELECT n.connection_id FROM addresses a JOIN connections n ON n.address_id = a.address_id WHERE \(condition)"
          )?.first)
        let before = try await Self.count(state, of: alice)
        try await Self.fill(state, of: connection, butFor: 1, alice)
        var peers: [HostilePeer] = []
        for number in 0..<3 {
          let peer = try await HostilePeer(in: world, "\(state)\(number)")
          try await peer.join(
            link,
            info: Array(
              #"{"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"m\#(number)","fullName":""}}}"#
                .utf8))
          peers.append(peer)
        }
        _ = try await alice.event("messageError") { $0["errorMessage"]?.stringValue == state.report }
        try await alice.waitUntilIdle()
        // The agent has forgotten those that were dropped.
        try await alice.wait(until: "(SELECT count(*) FROM invitations WHERE is_accepted = 0) <= 1", of: "agent")
        await #expect(throws: (any Error).self, "\(state) is reported once") {
          _ = try await alice.event("messageError", within: .milliseconds(10)) {
            $0["errorMessage"]?.stringValue == state.report
          }
        }
        #expect(try await Self.count(state, of: alice) == before + 1, "\(state)")
        for peer in peers { await peer.close() }
      }
    }
  }

  /// However often a contact changes its profile, there is one item until it does something else, and none has the
  /// pictures.
  @Test func profilesOfAContactAreOneItem() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      for number in 0..<12 {
        let picture = String(repeating: "A", count: 8_000) + "\(number)"
        try await mallory.send(
          #"{"v":"1-16","event":"x.info","params":{"profile":{"displayName":"mallory","fullName":"\#(number)","#
            + #""image":"data:image/jpg;base64,\#(picture)"}}}"#)
      }
      let batch = (0..<50).map {
        #"{"v":"1-16","event":"x.info","params":{"profile":{"displayName":"mallory","fullName":"b\#($0)"}}}"#
      }
      try await mallory.send("[\(batch.joined(separator: ","))]")
      try await mallory.send(HostilePeer.message("after it", id: 1))
      try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'after it')")
      let items = try await alice.rows("SELECT content FROM items WHERE content LIKE '%profileUpdated%'") ?? []
      #expect(items.count == 1)
      #expect(items.allSatisfy { $0.utf8.count < 1_000 })
      let event = try JSONValue(jsonText: items.first ?? "")["rcvDirectEvent"]
      let change = event?["profileUpdated"] ?? event
      #expect(change?["toProfile"]?["fullName"]?.stringValue == "b49")
    }
  }
}
