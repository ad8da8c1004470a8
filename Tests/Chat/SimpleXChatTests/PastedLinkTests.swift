import SimplexJSON
import SimplexTesting
import Testing

/// Links as they are pasted into commands.
@Suite struct PastedLinkTests {
  /// With characters that are not seen, brackets, punctuation and line breaks.
  @Test(arguments: ["/c ", "/_connect 1 ", "plan"], [false, true])
  func theyConnect(command: String, isShort: Bool) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let key = isShort ? "connShortLink" : "connFullLink"
      let link = try await alice.run("/_connect 1")["connLinkInvitation"]?[key]?.stringValue ?? ""
      let middle = link.index(link.startIndex, offsetBy: link.count / 2)
      let pasted = "\u{FEFF}<\(link[..<middle])\u{AD}\n  \u{200B}\(link[middle...])\u{A0}>."
      if command == "plan" {
        let plan = try await bob.run("/_connect plan 1 \(pasted)")
        #expect(plan["connectionPlan"]?["type"]?.stringValue == "invitationLink")
        let typed = plan["connLink"]?["connFullLink"]?.stringValue ?? ""
        _ = try await bob.run("/_connect 1 \(typed)")
      } else {
        _ = try await bob.run(command + pasted)
      }
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
    }
  }

  @Test(arguments: ["/c ", "/_connect 1 ", "/_connect plan 1 "]) func foreignCharactersAreNamed(command: String)
    async throws
  {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let bob = try await world.profile("bob")
      let answer = try await bob.answer(command + "https://smp.example.org/i#abc/\u{435}f")
      let message = answer["errorType"]?["message"]?.stringValue
      #expect(message?.contains("U+0435 CYRILLIC SMALL LETTER IE") == true, "\(answer.jsonText())")
      let other = try await bob.answer(command + "hello")
      #expect(other["errorType"]?["type"]?.stringValue == "invalidConnReq")
    }
  }

  /// Servers in the JSON of apps, whose users paste them.
  @Test func serversInJSON() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      let host = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@smp.example.org"
      let groups = try await alice.run("/_servers 1")["userServers"]?.arrayValue ?? []
      guard case .object(var own)? = groups.last, let index = own.firstIndex(where: { $0.key == "smpServers" }) else {
        Issue.record("no servers")
        return
      }
      let added = JSONValue.object([
        .init("server", .string("<\u{200B}\(host)>.")), .init("preset", .bool(false)), .init("enabled", .bool(true)),
        .init("deleted", .bool(false)),
      ])
      own[index].value = .array((own[index].value.arrayValue ?? []) + [added])
      let changed = JSONValue.array(groups.dropLast() + [.object(own)])
      _ = try await alice.run("/_servers 1 \(changed.jsonText())")
      #expect(try await alice.run("/_servers 1").jsonText().contains(#""server":"\#(host)""#))
    }
  }

  /// A group that was joined, left, and joined again by its link: the plan is about the one that the user is in.
  @Test func thePlanOfAGroupJoinedTwice() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      _ = try await alice.run("/g team")
      let created = try await alice.run("/_create link #1 member")
      let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      for group in 1...2 {
        let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["groupLinkPlan"]
        #expect(plan?["type"]?.stringValue == "ok", "\(plan?.jsonText() ?? "")")
        _ = try await bob.run("/_connect 1 \(link)")
        _ = try await alice.event("joinedGroupMember")
        _ = try await bob.event("userJoinedGroup")
        let joined = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["groupLinkPlan"]
        #expect(joined?["groupInfo"]?["groupId"]?.integerValue == Int64(group))
        _ = try await bob.run("/_leave #\(group)")
        _ = try await alice.event("leftMember")
      }
      let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["groupLinkPlan"]
      #expect(plan?["type"]?.stringValue == "ok", "\(plan?.jsonText() ?? "")")
    }
  }

  /// What is counted at servers is counted since the database was made.
  @Test func statisticsHaveABeginning() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      let summary = try await alice.run("/get servers summary 1")
      let start = summary["serversSummary"]?["statsStartedAt"]?.stringValue ?? ""
      #expect(start > "2020", "\(start)")
      let again = try await world.restart("alice").run("/get servers summary 1")
      #expect(again["serversSummary"]?["statsStartedAt"]?.stringValue == start)
    }
  }
}
