import SimplexTesting
import Testing

/// Changes of the user's profile that are made while an earlier one is still being told.
@Suite struct ProfileChangesTests {
  /// A change that waits for the relay of the address does not undo, for contacts, a later one that waits for nothing.
  @Test func theLastProfileCounts() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let created = try await alice.run("/_address 1")
      let link = try #require(created["connLinkContact"]?["connShortLink"]?.stringValue)
      _ = try await alice.run("/_profile_address 1 on")
      _ = try await bob.event("contactUpdated") { $0["toContact"]?["profile"]?["contactLink"]?.stringValue == link }
      await world.stopRelay()
      let first = Task { [controller = alice.controller] in
        await controller.sendText(#"/_profile 1 {"displayName":"alice","fullName":"Alice","contactLink":"\#(link)"}"#)
      }
      while try await alice.run("/u")["user"]?["profile"]?["fullName"] != "Alice" { await Task.yield() }
      _ = try await alice.run("/_delete_address 1")
      try await world.startRelay()
      _ = await first.value
      _ = try await alice.run("@bob after both")
      #expect(try await bob.message() == "after both")
      let shown = try await bob.run("/_contacts 1")["contacts"]?[0]?["profile"]
      #expect(shown?["fullName"] == "Alice")
      #expect(shown?["contactLink"] == nil, "the link of the address that is gone")
    }
  }

  /// What the address shows changes as soon as its relay can be used, whatever happens before.
  @Test(arguments: [
    #"/_profile 1 {"displayName":"alice","fullName":"new"}"#,
    #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"new"}}"#,
  ]) func theAddressShowsChangesThatWereInterrupted(command: String) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      var alice = try await world.profile("alice")
      let link = try await alice.run("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
      for (number, how) in ["/_stop", "/_app suspend 0", "kill"].enumerated() {
        let text = "version\(number)"
        let command = command.replacing("new", with: text)
        await world.stopRelay()
        let change = Task { [controller = alice.controller] in await controller.sendText(command) }
        try await alice.wait(
          until: """
            EXISTS (SELECT 1 FROM profiles WHERE full_name = '\(text)') \
            OR EXISTS (SELECT 1 FROM addresses WHERE auto_reply LIKE '%\(text)%')
            """)
        if how == "kill" { alice = try await world.kill("alice") } else { _ = try await alice.run(how) }
        _ = await change.value
        try await world.startRelay()
        if how == "/_stop" { _ = try await alice.run("/_start") }
        if how == "/_app suspend 0" { _ = try await alice.run("/_app activate") }
        try await alice.waitUntilIdle()
        let bob = try await world.profile("bob\(number)")
        let shown = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["contactAddressPlan"]
        #expect(shown?["contactSLinkData_"]?.jsonText().contains(text) == true, "\(how): \(shown?.jsonText() ?? "")")
      }
    }
  }

  /// The address gets no welcome message that its relay cannot store.
  @Test func aWelcomeMessageThatIsTooLarge() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_address 1")
      // Random, so that it cannot be compressed.
      let long = String((0..<40_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
      let refused = try await alice.answer(
        #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"\#(long)"}}"#)
      #expect(refused["agentError"]?["cmdErr"]?["type"]?.stringValue == "LARGE", "\(refused.jsonText().prefix(200))")
      let settings = try await alice.run("/_show_address 1")["contactLink"]?["addressSettings"]
      #expect(settings?.lacks("autoReply") == true)
    }
  }

  /// The link of an invitation shows the profile that the user sees, although a change was interrupted when the relay
  /// had it.
  @Test(arguments: ["/_stop", "kill"]) func theInvitationShowsWhatIsStored(how: String) async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      var alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let created = try await alice.run("/_connect 1")
      let link = created["connLinkInvitation"]?["connShortLink"]?.stringValue ?? ""
      let pending = try #require(created["connection"]?["pccConnId"]?.integerValue)
      network.setUnanswered("alice", true)
      let change = Task { [controller = alice.controller] in
        await controller.sendText("/_set incognito :\(pending) on")
      }
      // The relay stores it meanwhile; nothing tells when.
      try await Task.sleep(for: .milliseconds(300))
      network.setUnanswered("alice", false)
      if how == "kill" { alice = try await world.kill("alice") } else { _ = try await alice.run(how) }
      _ = await change.value
      if how == "/_stop" { _ = try await alice.run("/_start") }
      try await alice.waitUntilIdle()
      let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]
      #expect(plan?["contactSLinkData_"]?["profile"]?["displayName"] == "alice", "\(plan?.jsonText() ?? "")")
    }
  }

  /// The same where the relay's answer to the change was lost, so that the command failed.
  @Test func theInvitationShowsWhatIsStoredWhereTheAnswerIsLost() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let created = try await alice.run("/_connect 1")
      let link = created["connLinkInvitation"]?["connShortLink"]?.stringValue ?? ""
      let pending = try #require(created["connection"]?["pccConnId"]?.integerValue)
      network.setUnanswered("alice", true)
      let change = Task { [controller = alice.controller] in
        await controller.sendText("/_set incognito :\(pending) on")
      }
      // The relay stores it meanwhile; nothing tells when.
      try await Task.sleep(for: .milliseconds(300))
      network.setUnanswered("alice", false)
      network.breakLinks()
      guard case .error = await change.value else { throw TestWorld.Unexpected(description: "it did not fail") }
      for _ in 0..<500 where try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(20)) }
      let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]
      #expect(plan?["contactSLinkData_"]?["profile"]?["displayName"] == "alice", "\(plan?.jsonText() ?? "")")
    }
  }

  /// What a failed change of an invitation restores does not come after a later change that succeeded.
  @Test func aLaterChangeOfAnInvitationStays() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let created = try await alice.run("/_connect 1")
      let link = created["connLinkInvitation"]?["connShortLink"]?.stringValue ?? ""
      let pending = try #require(created["connection"]?["pccConnId"]?.integerValue)
      _ = try await alice.run("/sql agent PRAGMA query_only = 1")
      let failed = try await alice.answer("/_set incognito :\(pending) on")
      #expect(failed["agentError"]?["type"]?.stringValue == "CRITICAL", "\(failed.jsonText())")
      // The command that restores the link has failed once then, and is tried again half a second later.
      try await Task.sleep(for: .milliseconds(100))
      for _ in 0..<1_000 {
        if (try? await alice.run("/sql agent PRAGMA query_only = 0")) != nil { break }
        network.breakLinks()
        try await Task.sleep(for: .milliseconds(10))
      }
      let changed = try await alice.run("/_set incognito :\(pending) on")
      let shown = try #require(changed["customUserProfile"]?["displayName"]?.stringValue)
      // The time of that retry.
      try await Task.sleep(for: .seconds(3))
      for _ in 0..<500 where try await !alice.isIdle() { try await Task.sleep(for: .milliseconds(20)) }
      let plan = try await bob.run("/_connect plan 1 \(link)")["connectionPlan"]?["invitationLinkPlan"]
      let profile = plan?["contactSLinkData_"]?["profile"]
      #expect(profile?["displayName"]?.stringValue == shown, "\(plan?.jsonText() ?? "")")
    }
  }

  /// A command that needs the relay fails while that is away, although an earlier change has yet to get there.
  @Test func aCommandBehindAChangeFails() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_address 1")
      await world.stopRelay()
      let change = Task { [controller = alice.controller] in
        await controller.sendText(
          #"/_address_settings 1 {"businessAddress":false,"autoReply":{"type":"text","text":"new"}}"#)
      }
      while try await alice.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
      // If it waits for the relay, it gets that in the end, and does not fail.
      let limit = Task {
        try await Task.sleep(for: .seconds(30))
        try network.startRelay()
      }
      let answer = try await alice.answer("/_short_link_address 1")
      #expect(answer["agentError"]?["type"]?.stringValue == "BROKER", "\(answer.jsonText())")
      limit.cancel()
      try await world.startRelay()
      _ = await change.value
    }
  }

  /// Members of a group get a new name, but not the address: that is for contacts.
  @Test func membersGetNoAddress() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      _ = try await alice.run("/delete @bob")
      _ = try await bob.event("contactDeletedByContact")
      _ = try await alice.run("/_address 1")
      _ = try await alice.run("/_profile_address 1 on")
      _ = try await alice.run("/p alisa")
      _ = try await alice.run("#team hello")
      let changed = try await bob.event("groupMemberUpdated")
      let profile = changed["toMember"]?["memberProfile"]
      #expect(profile?["displayName"] == "alisa")
      #expect(profile?["contactLink"] == nil)
    }
  }
}
