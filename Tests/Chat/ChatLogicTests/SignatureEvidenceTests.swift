import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStateTesting
import Foundation
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing

/// The evidence for the authors of messages.
@Suite struct SignatureEvidenceTests {
  private let golden: JSONValue
  private let key: Ed25519.PrivateKey
  private let groupID: [UInt8]
  private let memberID: MemberId
  private let leave = ChatMessageEvent.grpLeave
  private let text = ChatMessageEvent.msgNew(MsgContainer(content: .text("hello")))

  init() throws {
    let file = try JSONValue(jsonBytes: Array(Data(contentsOf: Vectors.folder.appending(path: "chat-messages.json"))))
    let golden = try #require(file["signedElements"])
    func bytes(_ name: String) throws -> [UInt8] { try #require([UInt8](hex: golden[name]?.stringValue ?? "")) }
    self.golden = golden
    key = try Ed25519.PrivateKey(der: bytes("memberPrivateKeyDer"))
    groupID = try bytes("publicGroupId")
    memberID = MemberId(try bytes("memberId"))
  }

  private func rules(_ topology: GroupTopology = .channel, user: GroupMemberRole = .observer) -> SignatureRules {
    SignatureRules(topology: topology, publicGroupID: topology == .channel ? groupID : nil, userRole: user)
  }

  private func author(_ role: GroupMemberRole = .observer, hasKey: Bool = true) -> GroupMember {
    var member = Samples.member(7, in: 1, "bob", role: role)
    member.memberId = memberID.text
    member.memberPubKey = hasKey ? key.publicKey.text : nil
    return member
  }

  private func signed(
    _ event: ChatMessageEvent, as binding: ChatBinding = .group, in group: [UInt8]? = nil, by id: MemberId? = nil,
    key other: Ed25519.PrivateKey? = nil
  ) throws -> SignedMessage {
    let data =
      binding == .channel
      ? try ChatBinding.channelData(publicGroupId: group ?? groupID)
      : try ChatBinding.groupData(publicGroupId: group ?? groupID, memberId: id ?? memberID)
    return SignedMessage(
      signing: ChatMessage(event: event).jsonBytes(), binding: binding, bindingData: data, key: other ?? key)
  }

  /// Elements that the reference signed.
  @Test func signaturesOfTheReference() throws {
    let elements = try #require(golden["elements"]?.arrayValue)
    var outcomes: [SignatureEvidence] = []
    for element in elements {
      let bytes = try #require([UInt8](hex: element["bytes"]?.stringValue ?? ""))
      let parsed = try MessageElement(decoding: bytes)
      guard case .message(let message) = parsed.content else { continue }
      outcomes.append(rules().evidence(parsed.signed, of: message.event, by: author()))
    }
    // Plain; signed by the member, and as the channel, which is not checked; forwarded: plain, and as the channel.
    #expect(outcomes == [.optional, .verified, .noKey, .optional, .noKey])
  }

  @Test func eventsThatHaveToBeSigned() throws {
    let good = try signed(leave)
    #expect(rules().evidence(good, of: leave, by: author()) == .verified)
    #expect(rules().evidence(nil, of: leave, by: author()) == .refused(.missing))
    #expect(rules().evidence(nil, of: text, by: author()) == .optional)
    #expect(rules(.p2p).evidence(nil, of: leave, by: author()) == .optional)
    #expect(rules(.business).evidence(nil, of: leave, by: author()) == .optional)
    let asChannel = try signed(leave, as: .channel)
    #expect(rules().evidence(asChannel, of: leave, by: author()) == .refused(.otherBinding))
  }

  /// Every event that changes members or the group has to be signed.
  @Test func requiredEvents() throws {
    let id = MemberId([1, 2, 3])
    let events: [ChatMessageEvent] = [
      .grpDel, .grpInfo(GroupProfile(displayName: "news", fullName: "")), .grpPrefs(GroupPreferences()),
      .grpMemDel(memberId: id), .grpMemRole(memberId: id, role: .member),
      .grpMemRestrict(memberId: id, memberRestrictions: MemberRestrictions(restriction: .blocked)), .grpLeave,
      .info(Profile(displayName: "bob", fullName: "")),
    ]
    for event in events {
      #expect(rules().evidence(nil, of: event, by: author(.owner)) == .refused(.missing), "\(event.tag)")
      #expect(rules().evidence(try signed(event), of: event, by: author(.owner)) == .verified, "\(event.tag)")
    }
  }

  @Test func wrongSignatures() throws {
    var random = SystemRandom()
    let other = Ed25519.PrivateKey(using: &random)
    let wrong = [
      try signed(leave, key: other), try signed(leave, in: [UInt8](repeating: 1, count: 32)),
      try signed(leave, by: MemberId([9, 9, 9])), try signed(text),
    ]
    for (index, signature) in wrong.enumerated() {
      var signature = signature
      // The last one is a signature of another message.
      if index == 3 { signature.body = ChatMessage(event: leave).jsonBytes() }
      #expect(rules().evidence(signature, of: leave, by: author()) == .refused(.wrong), "\(index)")
      // Contents need no signature, but a wrong one is not passed over.
      #expect(rules().evidence(signature, of: text, by: author()) == .refused(.wrong), "\(index)")
    }
    var two = try signed(leave)
    two.signatures.append(try signed(leave, key: other).signatures[0])
    #expect(rules().evidence(two, of: leave, by: author()) == .refused(.wrong))
    var damaged = author()
    damaged.memberPubKey = "bm90IGEga2V5"
    #expect(rules().evidence(try signed(leave), of: leave, by: damaged) == .refused(.wrong))
  }

  @Test func unknownKeys() throws {
    let unknown = author(hasKey: false)
    #expect(rules().evidence(try signed(text), of: text, by: unknown) == .noKey)
    #expect(rules().evidence(try signed(leave), of: leave, by: unknown) == .noKey)
    let profile = ChatMessageEvent.info(Profile(displayName: "bob", fullName: ""))
    #expect(rules().evidence(try signed(profile), of: profile, by: unknown) == .noKey)
    // Moderators know all keys, and theirs are known.
    #expect(rules(user: .moderator).evidence(try signed(leave), of: leave, by: unknown) == .refused(.unknownKey))
    let moderator = author(.moderator, hasKey: false)
    #expect(rules().evidence(try signed(leave), of: leave, by: moderator) == .refused(.unknownKey))
    #expect(rules().evidence(try signed(.grpDel), of: .grpDel, by: unknown) == .refused(.unknownKey))
    #expect(rules(.p2p).evidence(try signed(.grpDel), of: .grpDel, by: unknown) == .noKey)
  }

  /// Without an identifier of the group, signatures are bound to the member's key.
  @Test func groupsWithoutRelays() throws {
    let data = try MemberId.codec.encode(memberID) + Ed25519.PublicKey.codec.encode(key.publicKey)
    let good = SignedMessage(
      signing: ChatMessage(event: leave).jsonBytes(), binding: .group, bindingData: data, key: key)
    #expect(rules(.p2p).evidence(good, of: leave, by: author()) == .verified)
    #expect(rules(.p2p).evidence(try signed(leave), of: leave, by: author()) == .refused(.wrong))
    #expect(rules().evidence(good, of: leave, by: author()) == .refused(.wrong))
  }

  @Test func states() {
    #expect(SignatureEvidence.verified.status == .verified)
    #expect(SignatureEvidence.noKey.status == .signedNoKey)
    #expect(SignatureEvidence.optional.status == nil)
    #expect(SignatureEvidence.refused(.missing).status == nil)
  }
}
