import ChatAPI
import ChatStore
import Foundation
import Testing

@Suite struct UserTests {
  @Test func usersAreMadeSwitchedAndForgotten() throws {
    let store = try memoryStore()
    let alice = try store.makeUser("alice")
    #expect(alice.activeUser && alice.showNtfs && alice.sendRcptsContacts)
    let bob = try store.makeUser("bob")
    #expect(bob.activeUser && bob.activeOrder > alice.activeOrder)
    #expect(try store.read { try $0.users().map(\.activeUser) } == [false, true])
    #expect(
      storeError { _ = try store.transaction { try $0.createUser(agentUserId: "3", profile: profile("bob")) } }
        == .duplicateName)
    let active = try store.transaction { try $0.setActive(alice) }
    #expect(try store.read { try $0.activeUser() } == active)
    try store.transaction { try $0.deleteUser(bob) }
    #expect(storeError { _ = try store.read { try $0.user(bob.userId) } } == .userNotFound(userId: bob.userId))
    #expect(try store.read { try $0.users() } == [active])
  }

  @Test func groupsGoWithTheirUser() throws {
    let store = try memoryStore()
    let (alice, bob) = (try store.makeUser("alice"), try store.makeUser("bob"))
    for user in [alice, bob] {
      try store.transaction { db in
        let group = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        func member(_ identity: NewMember.Identity, _ id: String) throws -> Int64 {
          try db.createMember(
            NewMember(
              groupId: group, identity: identity, memberId: id, role: .member, category: .preMember,
              status: .memAnnounced, versions: VersionRange(1, 16)), of: user)
        }
        let membership = try member(.user(incognito: nil), "AAAA")
        try db.setMembership(membership, host: nil, ofGroup: group)
        let other = try member(.profile(profile("cath")), "BBBB")
        try db.addPending(packet: try db.addPacket([1, 2, 3]), notifies: true, item: nil, forMember: other)
        _ = try db.receive(sharedMsgId: "CCCC", ofMember: other, inGroup: group, forwardedBy: nil)
        try db.addEarlyDeletion(sharedMsgId: "DDDD", author: "BBBB", inGroup: group, by: other, at: Date())
        try db.addDecision(.removed(by: .admin), about: "GGGG", inGroup: group)
        let person = ContactOrMember.member(try db.member(other, of: user), try db.group(group, of: user))
        try db.addAsked(person, probe: try db.addSentProbe("EEEE", to: person, of: user))
        _ = try db.receive(probe: nil, hash: "FFFF", from: person, of: user)
      }
    }
    let tables = [
      "groups", "members", "pending_messages", "packets", "received_messages", "moderations", "early_decisions",
      "sent_probes", "asked_probes", "received_probes",
    ]
    func counts() throws -> [Int] {
      try tables.map { try store.rows(of: "SELECT 1 FROM \($0)").count }
    }
    #expect(try counts() == [2, 4, 2, 2, 2, 2, 2, 2, 2, 2])
    try store.delete(bob, limit: 2)
    #expect(try counts() == [1, 2, 1, 1, 1, 1, 1, 1, 1, 1])
    try store.transaction { db in
      let group = try #require(try db.groups(of: alice).first)
      try db.deleteGroup(group, of: alice)
      for member in try db.members(ofDeletedGroup: group.groupId, limit: 50) { try db.forget(member, of: alice) }
      #expect(try db.deleteRecords(ofDeletedGroup: group.groupId, limit: 50) < 50)
    }
    #expect(try counts().prefix(7) == [0, 0, 0, 0, 0, 0, 0])
  }

  /// What is left of a user who is being deleted is nobody's, and the name is free.
  @Test func usersWhoAreBeingDeletedAreGone() throws {
    let store = try memoryStore()
    let alice = try store.makeUser("alice")
    let bob = try store.makeUser("bob")
    let group = try store.transaction { db in
      try db.deleteUser(bob)
      try db.addJob(.user, about: bob.userId, bob.agentUserId, of: bob)
      return try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: bob)
    }
    #expect(storeError { _ = try store.read { try $0.user(ofGroup: group) } } == .groupNotFound(groupId: group))
    #expect(try store.read { try $0.deletedAgentUsers() } == [bob.agentUserId])
    let other = try store.makeUser("bob")
    #expect(other.userId > bob.userId)
    try store.delete(bob)
    #expect(try store.read { try $0.users().map(\.userId) } == [alice.userId, other.userId])
    #expect(try store.rows(of: "SELECT count(*) FROM profiles") == ["2"])
    #expect(try store.rows(of: "SELECT count(*) FROM groups") == ["0"])
  }

  @Test func failedTransactionsStoreNothing() throws {
    let store = try memoryStore()
    struct Stop: Error {}
    #expect(throws: ChatError.self) {
      try store.transaction { db in
        _ = try db.createUser(agentUserId: "1", profile: profile("alice"))
        throw Stop()
      }
    }
    #expect(try store.read { try $0.users() }.isEmpty)
  }

  @Test func privacyAndReceipts() throws {
    let store = try memoryStore()
    var alice = try store.makeUser("alice")
    alice.viewPwdHash = UserPwdHash(hash: "aGFzaA==", salt: "c2FsdA==")
    alice.showNtfs = false
    let hidden = alice
    try store.transaction { db in
      try db.setPrivacy(of: hidden)
      try db.setReceiptsOfAllUsers(false)
    }
    // Hidden users keep their setting.
    #expect(try store.read { try $0.user(hidden.userId) } == hidden)
    try store.transaction { try $0.setContactReceipts(.init(enable: false, clearOverrides: true), of: hidden) }
    #expect(try store.read { try $0.user(hidden.userId) }.sendRcptsContacts == false)
  }

  @Test func profilesAreUpdated() throws {
    let store = try memoryStore()
    let alice = try store.makeUser("alice")
    _ = try store.makeUser("bob")
    let renamed = try store.transaction { db in
      try db.updateProfile(
        of: alice,
        to: Profile(displayName: "alisa", fullName: "Alisa", preferences: Preferences(voice: .init(allow: .no))))
    }
    #expect(renamed.localDisplayName == "alisa" && renamed.profile.fullName == "Alisa")
    #expect(renamed.fullPreferences.voice.allow == .no)
    #expect(renamed.userMemberProfileUpdatedAt != nil)
    #expect(
      storeError { _ = try store.transaction { try $0.updateProfile(of: renamed, to: profile("bob")) } }
        == .duplicateName)
    // The old name is free.
    #expect(throws: Never.self) {
      try store.transaction { try $0.createUser(agentUserId: "3", profile: profile("alice")) }
    }
  }

  @Test func settingsAndServers() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    #expect(try store.read { try $0.appSettings() } == nil)
    var settings = AppSettings()
    settings.privacyAcceptImages = false
    let saved = settings
    try store.transaction { try $0.saveAppSettings(saved) }
    #expect(try store.read { try $0.appSettings() } == saved)

    let server = UserServer(server: "smp://x@host", preset: false, enabled: true, deleted: false)
    let stored = try store.transaction { db in
      try db.setServers(UserOperatorServers(smpServers: [server], xftpServers: []), of: alice)
    }
    #expect(try store.read { try $0.servers(.smp, of: alice) } == stored.smpServers)
    #expect(
      storeError {
        _ = try store.transaction {
          try $0.setServers(UserOperatorServers(smpServers: [server], xftpServers: []), of: alice)
        }
      } == .uniqueID)
    var deleted = stored
    deleted.smpServers[0].deleted = true
    let change = deleted
    _ = try store.transaction { try $0.setServers(change, of: alice) }
    #expect(try store.read { try $0.servers(.smp, of: alice) }.isEmpty)
  }

  @Test func jobsRememberHowFarTheyCame() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    try store.transaction { db in
      let (first, second) = (try db.addJob(.profile, "old", of: alice), try db.addJob(.profile, "older", of: alice))
      try db.setCursor(50, ofJob: second)
      let jobs = try db.jobs()
      #expect(jobs.map(\.id) == [first, second])
      #expect(jobs.map(\.cursor) == [0, 50] && jobs.map(\.payload) == ["old", "older"])
      #expect(jobs.allSatisfy { $0.kind == .profile && $0.userId == alice.userId })
      try db.removeJob(first)
      #expect(try db.jobs().map(\.id) == [second])
    }
    try store.delete(alice)
    #expect(try store.read { try $0.jobs().isEmpty })
  }

  @Test func conditionsOfOperators() throws {
    let store = try memoryStore()
    let roles = ServerRoles(storage: true, proxy: true)
    let preset = ServerOperator(
      operatorId: 0, operatorTag: .simplex, tradeName: "SimpleX Chat", serverDomains: ["simplex.im"],
      conditionsAcceptance: .required(deadline: nil), enabled: true, smpRoles: roles, xftpRoles: roles)
    let operators = try store.transaction { db in
      try db.addConditions(id: 1, commit: "abc")
      return try db.updatePresetOperators([preset])
    }
    var state = try store.read { try $0.serverOperators() }
    #expect(state.serverOperators.map(\.operatorId) == operators.map(\.operatorId))
    guard case .review(_, _, showNotice: true) = state.conditionsAction else { Issue.record("\(state)"); return }
    try store.transaction { try $0.acceptConditions(1, ofOperators: operators.map(\.operatorId)) }
    state = try store.read { try $0.serverOperators() }
    guard case .accepted = state.conditionsAction else { Issue.record("\(state)"); return }
    try store.transaction { try $0.addConditions(id: 2, commit: "def") }
    state = try store.read { try $0.serverOperators() }
    guard case .review = state.conditionsAction else { Issue.record("\(state)"); return }
    // Taking presets again keeps what the user chose.
    try store.transaction { db in
      var changed = state.serverOperators[0]
      changed.enabled = false
      try db.setOperators([changed])
      let again = try db.updatePresetOperators([preset])
      #expect(again[0].operatorId == changed.operatorId && !again[0].enabled)
    }
  }
}
