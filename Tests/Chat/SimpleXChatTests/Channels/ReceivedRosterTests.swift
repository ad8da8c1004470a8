import ChatAPI
import ChatProtocol
import Foundation
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// Members with rights, as a subscriber gets to know them.
@Suite struct ReceivedRosterTests {
  private let dan = MemberId(Array("dandandandan".utf8))
  private let eve = MemberId(Array("eveeveeveeve".utf8))
  private let danKey: Ed25519.PrivateKey
  private let eveKey: Ed25519.PrivateKey

  init() {
    var random = SystemRandom()
    danKey = Ed25519.PrivateKey(using: &random)
    eveKey = Ed25519.PrivateKey(using: &random)
  }

  /// The events and parts of a list, as a relay passes them on.
  private func list(
    _ version: Int64, _ members: [RosterMember], in channel: TestChannel, partSize: Int = 40,
    digest: [UInt8]? = nil, signedBy key: Ed25519.PrivateKey? = nil
  ) throws -> [[UInt8]] {
    let body = try RosterMember.listCodec.encode(members)
    let id = SharedMsgId.fresh()
    let file = InlineFileInvitation(
      fileSize: Int64(body.count),
      fileDigest: OpaqueBytes(digest ?? HashFunction.sha512.digest(of: body.span.bytes)))
    var elements = [
      try channel.forwarded(
        .grpRoster(GroupRoster(version: version, fileInv: file)), of: channel.ownerID, id: id,
        signedBy: key ?? channel.owner)
    ]
    for (index, start) in stride(from: 0, to: body.count, by: partSize).enumerated() {
      let part = Array(body[start..<min(start + partSize, body.count)])
      let chunk = InlineFileChunk(msgId: id, part: .data(number: UInt8(index + 1), bytes: part))
      elements.append(try MessageElement(.fileChunk(chunk)).encoded())
    }
    return elements
  }

  private func post(_ text: String, of member: MemberId, in channel: TestChannel) throws -> [UInt8] {
    try channel.forwarded(.msgNew(MsgContainer(content: .text(text))), of: member, named: "dan")
  }

  @Test func membersOnTheListMayPost() async throws {
    try await Subscription.play { world in
      let channel = world.channel
      let members = [
        RosterMember(memberId: dan, key: danKey.publicKey, role: .member),
        RosterMember(memberId: eve, key: eveKey.publicKey, role: .moderator),
      ]
      for element in try list(1, members, in: channel) { try await world.handled(element) }
      let known = try await world.members()
      #expect(known[dan.text]?["memberRole"]?.stringValue == "member")
      #expect(known[dan.text]?["memberPubKey"]?.stringValue == danKey.publicKey.text)
      #expect(known[eve.text]?["memberRole"]?.stringValue == "moderator")
      try await world.handled(try post("from a member", of: dan, in: channel))
      #expect(try await world.messages().map { $0.hasSuffix("from a member") } == [true])
      // Who is not on the next list is a subscriber again.
      for element in try list(2, [members[1]], in: channel) { try await world.handled(element) }
      #expect(try await world.members()[dan.text]?["memberRole"]?.stringValue == "observer")
      let info = try await world.bob.run("/_info #\(world.group)")["groupInfo"]
      #expect(info?["rosterVersion"]?.integerValue == 2)
    }
  }

  /// The user's own rights come from the list, too.
  @Test func theUserIsPromoted() async throws {
    try await Subscription.play { world in
      let subscriber = try #require(world.relay.subscriber)
      let member = RosterMember(memberId: subscriber.id, key: subscriber.key, role: .member)
      for element in try list(1, [member], in: world.channel) { try await world.relay.send(element) }
      let event = try await world.bob.event("memberRole")
      #expect(event["toRole"]?.stringValue == "member")
      #expect(event["msgSigned"]?.stringValue == "verified")
      _ = try await world.bob.run("#news hello everybody")
      _ = try await world.relay.received("x.msg.new")
    }
  }

  @Test func listsThatAreRefused() async throws {
    try await Subscription.play { world in
      let (bob, channel) = (world.bob, world.channel)
      let members = [RosterMember(memberId: dan, key: danKey.publicKey, role: .admin)]
      for element in try list(3, members, in: channel, digest: [UInt8](repeating: 0, count: 64)) {
        try await world.handled(element)
      }
      _ = try await bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.roster: roster digest mismatch"
      }
      // Not by an owner's key.
      for element in try list(3, members, in: channel, signedBy: world.relay.key) { try await world.handled(element) }
      // Parts that are missing or swapped never become a list.
      let elements = try list(3, members, in: channel)
      try await world.handled(elements[0], elements[2], elements[1])
      #expect(try await world.members()[dan.text] == nil)
      // An old list does not come back.
      for element in try list(5, [], in: channel) { try await world.handled(element) }
      for element in try list(4, members, in: channel) { try await world.handled(element) }
      #expect(try await world.members()[dan.text] == nil)
    }
  }

  /// A pinned key stays.
  @Test func keysDoNotChange() async throws {
    try await Subscription.play { world in
      let channel = world.channel
      let first = RosterMember(memberId: dan, key: danKey.publicKey, role: .member)
      for element in try list(1, [first], in: channel) { try await world.handled(element) }
      let other = RosterMember(memberId: dan, key: eveKey.publicKey, role: .admin)
      for element in try list(2, [other], in: channel) { try await world.handled(element) }
      _ = try await world.bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.roster: member key conflict, keeping trusted key"
      }
      let member = try await world.members()[dan.text]
      #expect(member?["memberPubKey"]?.stringValue == danKey.publicKey.text)
      #expect(member?["memberRole"]?.stringValue == "member")
    }
  }

  /// An owner's event gives rights to a member of whom nobody told before; after a gap the list is requested.
  @Test func rolesAndGaps() async throws {
    try await Subscription.play { world in
      let channel = world.channel
      try await world.handled(
        try channel.ownerEvent(
          .grpMemRole(memberId: dan, role: .member, memberKey: danKey.publicKey, rosterVersion: 0)))
      #expect(try await world.members()[dan.text]?["memberRole"]?.stringValue == "member")
      try await world.relay.send(
        .grpMemIntro(
          MemberInfo(
            memberId: dan, memberRole: .observer, v: ChatVersion.supported,
            profile: Profile(displayName: "dan", fullName: ""))), in: channel)
      try await world.relay.send(
        try channel.ownerEvent(
          .grpMemRole(memberId: eve, role: .member, memberKey: eveKey.publicKey, rosterVersion: 4)))
      // The relay's version is known by what it sent itself.
      let request = try await world.relay.received("x.grp.roster.request")
      guard case .message(let message) = request.content, case .grpRosterRequest(let version) = message.event else {
        Issue.record("no request")
        return
      }
      #expect(version == 0)
      // Only owners give rights.
      try await world.handled(
        try channel.forwarded(
          .grpMemRole(memberId: eve, role: .admin, rosterVersion: 9), of: dan, signedBy: danKey))
      #expect(try await world.members()[eve.text]?["memberRole"]?.stringValue == "member")
      // And no event of an earlier version is applied.
      try await world.handled(
        try channel.ownerEvent(.grpMemRole(memberId: dan, role: .admin, rosterVersion: 3)))
      #expect(try await world.members()[dan.text]?["memberRole"]?.stringValue == "member")
    }
  }
}
