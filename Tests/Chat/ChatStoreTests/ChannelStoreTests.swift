import ChatAPI
import Foundation
import SimplexCrypto
import Testing

@testable import ChatStore

/// What is stored of channels: keys, relays, lists of members with rights, deliveries.
@Suite struct ChannelStoreTests {
  private let store: ChatDatabase
  private let clock = TestClock()
  private let user: User
  private let group: Int64
  /// A relay and two subscribers.
  private let members: [Int64]

  init() throws {
    let store = try memoryStore(clock: clock)
    let user = try store.makeUser()
    (self.store, self.user) = (store, user)
    (group, members) = try store.transaction { db in
      let group = try db.createGroup(profile: GroupProfile(displayName: "news", fullName: ""), of: user)
      let membership = NewMember(
        groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
        status: .memCreator, versions: VersionRange(1, 19))
      try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
      let members = try ["relay", "bob", "cath"].map { name in
        try db.createMember(
          NewMember(
            groupId: group, identity: .profile(profile(name)), memberId: name,
            role: name == "relay" ? .relay : .observer, category: .inviteeMember, status: .memConnected,
            versions: VersionRange(1, 19)), of: user)
      }
      return (group, members)
    }
  }

  private func privateKey(_ seed: UInt8) throws -> Ed25519.PrivateKey {
    try Ed25519.PrivateKey(secret: SecretBytes([UInt8](repeating: seed, count: 32)))
  }

  private func counts() throws -> [String] {
    try [
      "channel_keys", "group_relays", "rosters", "roster_transfers", "channel_deliveries", "channel_delivery_parts",
      "delivery_positions",
    ].flatMap { try store.rows(of: "SELECT count(*) FROM \($0)") }
  }

  // MARK: Keys

  @Test func keysOfAnOwner() throws {
    let keys = ChannelKeys(
      publicGroupID: [UInt8](repeating: 7, count: 32), root: .owned(try privateKey(1)), member: try privateKey(2))
    #expect(try store.read { try $0.channels.keys(ofGroup: group) } == nil)
    try store.transaction { try $0.channels.add(keys, toGroup: group) }
    let stored = try #require(try store.read { try $0.channels.keys(ofGroup: group) })
    #expect(stored.publicGroupID == keys.publicGroupID)
    #expect(stored.root.publicKey == keys.root.publicKey)
    guard case .owned(let root) = stored.root else { Issue.record("no root key"); return }
    let message = Array("hello".utf8)
    #expect(keys.root.publicKey.isValid(root.signature(of: message), of: message))
    #expect(keys.member.publicKey.isValid(stored.member.signature(of: message), of: message))
    // Keys are made once for a membership.
    let others = ChannelKeys(publicGroupID: [1], root: .known(try privateKey(3).publicKey), member: try privateKey(4))
    try store.transaction { try $0.channels.add(others, toGroup: group) }
    #expect(try store.read { try $0.channels.keys(ofGroup: group) }?.publicGroupID == keys.publicGroupID)
  }

  @Test func keysOfASubscriber() throws {
    let keys = ChannelKeys(
      publicGroupID: [UInt8](repeating: 7, count: 32), root: .known(try privateKey(1).publicKey),
      member: try privateKey(2))
    try store.transaction { try $0.channels.add(keys, toGroup: group) }
    let stored = try #require(try store.read { try $0.channels.keys(ofGroup: group) })
    guard case .known(let root) = stored.root else { Issue.record("a private root key"); return }
    #expect(root == keys.root.publicKey)
  }

  @Test func aPinnedKeyDoesNotChange() throws {
    let (first, second) = (try #require(members.first), "b3RoZXI=")
    try store.transaction { (db) throws in
      #expect(try db.channels.pin(key: "a2V5", ofMember: first))
      #expect(try !db.channels.pin(key: second, ofMember: first))
      #expect(try db.channels.pin(key: "a2V5", ofMember: first))
      #expect(try db.member(first, of: user).memberPubKey == "a2V5")
    }
  }

  @Test func groupsShowWhatIsStored() throws {
    try store.transaction { db in
      try db.channels.setUsesRelays(group: group)
      try db.channels.setMemberCount(12, ofGroup: group)
      try db.channels.setOwnRelayStatus(.rsActive, ofGroup: group)
      _ = try db.rosters.note(version: 3, ofGroup: group)
      try db.channels.setLink("https://relay.example/g#1", ofRelay: members[0])
      let shown = try db.group(group, of: user)
      #expect(shown.useRelays)
      #expect(shown.groupSummary.publicMemberCount == 12)
      #expect(shown.relayOwnStatus == .rsActive)
      #expect(shown.rosterVersion == 3)
      #expect(try db.member(members[0], of: user).relayLink == "https://relay.example/g#1")
    }
  }

  // MARK: Relays

  @Test func relays() throws {
    let relay = UserChatRelay(
      address: "https://smp.example/r#1", relayProfile: RelayProfile(displayName: "one", fullName: ""),
      domains: ["example"], preset: false, enabled: true, deleted: false)
    try store.transaction { db in
      let added = try db.groupRelays.add(relay, asMember: members[0], toGroup: group)
      #expect(added.relayStatus == .rsNew)
      #expect(try db.groupRelays.all(ofGroup: group) == [added])
      try db.groupRelays.setStatus(.acknowledgedRoster, ofMember: members[0])
      try db.groupRelays.setLink("https://smp.example/g#2", ofMember: members[0])
      try db.groupRelays.setCapabilities(RelayCapabilities(webDomain: "news.example"), ofMember: members[0])
      let changed = try #require(try db.groupRelays.relay(ofMember: members[0]))
      #expect(changed.userChatRelay == relay)
      #expect(changed.relayStatus == .acknowledgedRoster)
      #expect(changed.relayLink == "https://smp.example/g#2")
      #expect(changed.relayCap.webDomain == "news.example")
      #expect(try db.groupRelays.relay(ofMember: members[1]) == nil)
    }
  }

  // MARK: Lists of members with rights

  private func roster(_ version: Int64) -> ServedRoster {
    ServedRoster(
      version: version, header: [1, UInt8(version)], headerTime: Date(timeIntervalSince1970: 1_700_000_000),
      body: [2, UInt8(version)])
  }

  @Test func versionsOfRosters() throws {
    try store.transaction { db in
      #expect(try db.rosters.versions(ofGroup: group) == RosterVersions())
      #expect(try db.rosters.note(version: 2, ofGroup: group))
      #expect(try db.rosters.note(version: 2, ofGroup: group))
      #expect(try !db.rosters.note(version: 1, ofGroup: group))
      try db.rosters.setApplied(1, ofGroup: group)
      #expect(try db.rosters.versions(ofGroup: group) == RosterVersions(seen: 2, applied: 1))
      try db.rosters.setApplied(4, ofGroup: group)
      try db.rosters.setApplied(3, ofGroup: group)
      #expect(try db.rosters.versions(ofGroup: group) == RosterVersions(seen: 4, applied: 4))
      try db.rosters.store(roster(3), ofGroup: group)
      try db.rosters.store(roster(2), ofGroup: group)
      #expect(try db.rosters.served(ofGroup: group) == roster(3))
      #expect(try db.rosters.versions(ofGroup: group) == RosterVersions(seen: 4, applied: 4, stored: 3))
    }
  }

  @Test func transfersFromSeveralSources() throws {
    func transfer(_ version: Int64) -> RosterTransfer {
      RosterTransfer(
        version: version, sharedMsgId: "aWQ=", size: 4, digest: [9], header: [8],
        headerTime: Date(timeIntervalSince1970: 1_700_000_000))
    }
    try store.transaction { db in
      try db.rosters.begin(transfer(1), from: members[0], inGroup: group)
      try db.rosters.append([1, 2], from: members[0], inGroup: group)
      try db.rosters.append([0, 255], from: members[0], inGroup: group)
      var expected = transfer(1)
      (expected.nextPart, expected.body) = (3, [1, 2, 0, 255])
      #expect(try db.rosters.transfer(from: members[0], inGroup: group) == expected)
      #expect(try db.rosters.transfer(from: members[1], inGroup: group) == nil)
      // A list that begins replaces the one that came before from the same source.
      try db.rosters.begin(transfer(2), from: members[0], inGroup: group)
      #expect(try db.rosters.transfer(from: members[0], inGroup: group) == transfer(2))
      try db.rosters.endTransfer(from: members[0], inGroup: group)
      #expect(try db.rosters.transfer(from: members[0], inGroup: group) == nil)
    }
  }

  // MARK: Deliveries

  private func delivery(_ text: String, by author: Int64 = 0) -> ChannelDelivery {
    ChannelDelivery(
      .members(includingPending: false), sender: author,
      parts: [ChannelDelivery.Part(author: author, sharedMsgId: text, body: Array(text.utf8))])
  }

  @Test func deliveriesGoOnWhereTheyStopped() throws {
    try store.transaction { db in
      let first = try db.deliveries.add(delivery("one"), toGroup: group)
      let second = try db.deliveries.add(
        ChannelDelivery(.support(members[1]), sender: members[2], isLast: true, parts: []), toGroup: group)
      var waiting = try db.deliveries.waiting(inGroup: group, limit: 9)
      #expect(waiting.map(\.id) == [first, second])
      #expect(waiting.map(\.cursor) == [-1, -1])
      #expect(waiting[0].delivery == delivery("one"))
      #expect(waiting[1].delivery == ChannelDelivery(.support(members[1]), sender: members[2], isLast: true, parts: []))
      try db.deliveries.advance(first, to: 7)
      waiting = try db.deliveries.waiting(inGroup: group, limit: 1)
      #expect(waiting.map(\.cursor) == [7])
      try db.deliveries.advance(first, to: nil)
      #expect(try db.deliveries.waiting(inGroup: group, limit: 9).map(\.id) == [second])
      // Members who are behind still get those that all others have.
      #expect(try db.deliveries.waiting(inGroup: group, from: first, limit: 9).map(\.id) == [first, second])
    }
  }

  /// A message of another author may have the same identifier.
  @Test func deletedMessagesAreNotDelivered() throws {
    try store.transaction { db in
      var both = delivery("one", by: members[1])
      both.parts += delivery("one", by: members[2]).parts + delivery("two", by: members[1]).parts
      try db.deliveries.add(both, toGroup: group)
      try db.deliveries.remove(sharedMsgId: "one", by: members[1], inGroup: group)
      let left = try #require(try db.deliveries.waiting(inGroup: group, limit: 1).first)
      #expect(left.delivery.parts == Array(both.parts[1...]))
      try db.deliveries.remove(sharedMsgId: "one", by: members[2], inGroup: group + 1)
      #expect(try db.deliveries.waiting(inGroup: group, limit: 1).first?.delivery.parts.count == 2)
    }
  }

  @Test func membersWhoAreBehindKeepDeliveries() throws {
    let ids = try store.transaction { db in
      let ids = try ["one", "two", "three"].map { try db.deliveries.add(delivery($0), toGroup: group) }
      for id in ids { try db.deliveries.advance(id, to: nil) }
      try db.deliveries.pass(over: members[1], at: ids[1], inGroup: group)
      // The first delivery that it missed counts.
      try db.deliveries.pass(over: members[1], at: ids[2], inGroup: group)
      #expect(try db.deliveries.position(ofMember: members[1]) == ids[1])
      #expect(try db.deliveries.position(ofMember: members[2]) == nil)
      #expect(try !db.deliveries.deleteDelivered(inGroup: group, olderThan: 3_600, limit: 9))
      #expect(try db.deliveries.waiting(inGroup: group, from: 0, limit: 9).map(\.id) == Array(ids[1...]))
      return ids
    }
    // Those that are too old go all the same; the member goes on with what is left.
    clock.advance(7_200)
    let next = try store.transaction { db in
      let next = try db.deliveries.add(delivery("four"), toGroup: group)
      try db.deliveries.advance(next, to: nil)
      #expect(try db.deliveries.deleteDelivered(inGroup: group, olderThan: 3_600, limit: 1))
      #expect(try db.deliveries.position(ofMember: members[1]) == ids[2])
      #expect(try !db.deliveries.deleteDelivered(inGroup: group, olderThan: 3_600, limit: 9))
      #expect(try db.deliveries.position(ofMember: members[1]) == next)
      return next
    }
    try store.transaction { db in
      try db.deliveries.setPosition(next + 1, ofMember: members[1])
      try db.deliveries.setPosition(nil, ofMember: members[1])
      #expect(try db.deliveries.position(ofMember: members[1]) == nil)
      #expect(try !db.deliveries.deleteDelivered(inGroup: group, olderThan: 3_600, limit: 9))
    }
    #expect(try counts().suffix(3) == ["0", "0", "0"])
  }

  @Test func everythingGoesWithTheGroup() throws {
    try store.transaction { db in
      try db.channels.add(
        ChannelKeys(publicGroupID: [1], root: .known(try privateKey(1).publicKey), member: try privateKey(2)),
        toGroup: group)
      _ = try db.groupRelays.add(
        UserChatRelay(
          address: "a", relayProfile: RelayProfile(displayName: "one", fullName: ""), domains: [], preset: false,
          enabled: true, deleted: false), asMember: members[0], toGroup: group)
      try db.rosters.store(roster(1), ofGroup: group)
      try db.rosters.begin(
        RosterTransfer(version: 1, sharedMsgId: "a", size: 1, digest: [], header: [], headerTime: Date()),
        from: members[0], inGroup: group)
      let delivery = try db.deliveries.add(delivery("one"), toGroup: group)
      try db.deliveries.pass(over: members[1], at: delivery, inGroup: group)
    }
    #expect(try counts() == ["1", "1", "1", "1", "1", "1", "1"])
    try store.delete(user)
    #expect(try counts() == ["0", "0", "0", "0", "0", "0", "0"])
  }
}
