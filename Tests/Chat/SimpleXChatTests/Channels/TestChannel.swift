import AgentCore
import AgentProtocol
import ChatAPI
import ChatProtocol
import Foundation
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// A channel whose owner and relays are agents that write to the wire whatever a test wants.
final class TestChannel {
  /// The root key of the channel, and the key of its owner.
  let root: Ed25519.PrivateKey
  let owner: Ed25519.PrivateKey
  let ownerID = MemberId(Array("ownerownerow".utf8))
  /// The identifier of the channel.
  let id: [UInt8]
  let relays: [TestChannelRelay]
  /// The short link of the channel, and what it shows.
  let link: String
  let profile: GroupProfile
  private let agent: Agent
  private let connection: ConnectionID

  init(
    in world: TestWorld, relays count: Int = 1, type: GroupType = .channel, description: String? = nil,
    entityID: [UInt8]? = nil, listsRelays: Bool = true
  ) async throws {
    var random = SystemRandom()
    root = Ed25519.PrivateKey(using: &random)
    owner = Ed25519.PrivateKey(using: &random)
    id = HashFunction.sha256.digest(of: root.publicKey.rawBytes.span.bytes)
    var relays: [TestChannelRelay] = []
    for number in 0..<count { relays.append(try await TestChannelRelay("relay\(number)", in: world)) }
    self.relays = relays
    agent = try await Agent.open(path: world.folder.appending(path: "owner_agent.db").path)
    let server = try ServerWithAuth<SMPScheme>.textCodec.decode(text: world.server)
    let user = try await agent.createUser(servers: [AgentUserServer(server)])
    let prepared = try await agent.prepareLink(user, root: root, entityID: entityID ?? id)
    var short = try #require(prepared.link.short)
    short.kind = .contact(.channel)
    link = try ShortLink.textCodec.text(short)
    profile = GroupProfile(
      displayName: "news", fullName: "", description: description,
      publicGroup: PublicGroupProfile(
        groupType: type, groupLink: link, publicGroupId: Base64URL.string(id),
        publicGroupAccess: nil), groupPreferences: nil)
    let data = GroupShortLinkData(groupProfile: profile, publicGroupData: PublicGroupData(publicMemberCount: 7))
    connection = ConnectionID.fresh()
    _ = try await agent.createConnection(
      user, connection: connection, for: prepared,
      linkData: UserLinkData(
        agentVersions: AgentVersion.supported,
        kind: .contact(
          ContactLinkData(
            isDirect: false,
            owners: [LinkOwner(ownerID: ownerID.bytes, key: owner.publicKey, authorizedBy: root)],
            relays: listsRelays ? relays.map(\.link) : [])), content: ShortLinkContent.encode(data)))
  }

  func close() async {
    await agent.close()
    for relay in relays { await relay.close() }
  }

  /// A message of the channel itself, as a relay forwards it.
  func post(_ event: ChatMessageEvent, id: SharedMsgId = .fresh()) throws -> [UInt8] {
    try element(event, id: id, from: .channel)
  }

  /// A message of a member, as a relay forwards it.
  func forwarded(
    _ event: ChatMessageEvent, of member: MemberId, named name: String = "", id: SharedMsgId = .fresh(),
    signedBy key: Ed25519.PrivateKey? = nil, for group: [UInt8]? = nil
  ) throws -> [UInt8] {
    try element(
      event, id: id, from: .member(member, name: name),
      signer: try key.map { key in
        try MemberSignature(key: key, publicGroupID: group ?? self.id, memberId: member)
      })
  }

  /// A message of the owner, signed where it has to be.
  func ownerEvent(_ event: ChatMessageEvent) throws -> [UInt8] {
    try forwarded(event, of: ownerID, signedBy: event.requiresSignature ? owner : nil)
  }

  private func element(
    _ event: ChatMessageEvent, id: SharedMsgId, from sender: MessageForward.Sender, signer: MemberSignature? = nil
  ) throws -> [UInt8] {
    let message = ChatMessage(msgId: id, event: event)
    let time = try #require(UTCTime(seconds: Int64(Date.now.timeIntervalSince1970)))
    let forward = MessageForward(sender: sender, brokerTs: time)
    guard let signer else { return try MessageElement(.message(message), forward: forward).encoded() }
    let signed = SignedMessage(
      signing: message.jsonBytes(), binding: .group, bindingData: signer.bindingData, key: signer.key)
    return try MessageElement(.message(message), forward: forward, signed: signed).encoded()
  }
}

/// A relay of a channel, or what says that it is one.
final class TestChannelRelay {
  let name: String
  let key: Ed25519.PrivateKey
  let memberID: MemberId
  /// The link for the channel.
  let link: ShortLink
  private let agent: Agent
  private let user: UserID
  private let address: ConnectionID
  private var events: AgentEvents.AsyncIterator
  private(set) var connection: ConnectionID?
  /// The subscriber who asked.
  private(set) var subscriber: (id: MemberId, key: Ed25519.PublicKey, profile: Profile)?

  init(_ name: String, in world: TestWorld) async throws {
    self.name = name
    var random = SystemRandom()
    key = Ed25519.PrivateKey(using: &random)
    memberID = MemberId(random.bytes(12))
    agent = try await Agent.open(path: world.folder.appending(path: "\(name)_agent.db").path)
    let server = try ServerWithAuth<SMPScheme>.textCodec.decode(text: world.server)
    user = try await agent.createUser(servers: [AgentUserServer(server)])
    events = agent.events.makeAsyncIterator()
    let prepared = try await agent.prepareLink(user, root: key, entityID: memberID.bytes)
    let data = RelayShortLinkData(relayProfile: RelayProfile(displayName: name, fullName: ""))
    address = ConnectionID.fresh()
    let created = try await agent.createConnection(
      user, connection: address, for: prepared,
      linkData: UserLinkData(
        agentVersions: AgentVersion.supported, kind: .contact(ContactLinkData(isDirect: true)),
        content: ShortLinkContent.encode(data)))
    var short = try #require(created.short)
    short.kind = .contact(.group)
    link = short
  }

  func close() async { await agent.close() }

  /// Deletes the link for the channel, which nobody can ask by then.
  func deleteLink() async throws { try await agent.deleteShortLink(address) }

  /// Waits for a request to join, which has to be signed for this relay, and accepts it.
  /// - Parameter change: changes the answer.
  func accept(
    in channel: TestChannel, _ change: (inout GroupLinkInvitation) -> Void = { _ in }
  ) async throws {
    while let event = await events.next() {
      guard case .request(let request, _, _, let info) = event.kind else { continue }
      let element = try #require(MessageBody.parse(info).first).get()
      guard case .message(let message) = element.content,
        case .member(let profile, let id, let key, let viaRelay) = message.event
      else { throw TestWorld.Unexpected(description: "no x.member: \(String(decoding: info, as: UTF8.self))") }
      let data = try ChatBinding.groupData(publicGroupId: channel.id, memberId: id)
      #expect(element.signed?.isSigned(by: key, bindingData: data) == true)
      #expect(viaRelay == memberID)
      subscriber = (id, key, profile)
      var answer = GroupLinkInvitation(
        fromMember: MemberIdRole(memberId: memberID, memberRole: .relay), fromMemberName: name,
        invitedMember: MemberIdRole(memberId: id, memberRole: .observer), groupProfile: channel.profile,
        accepted: .accepted)
      change(&answer)
      connection = try await agent.acceptContact(
        user, request, info: try ConnectionInfo.encode(.grpLinkInv(answer)), options: ConnectionOptions(pq: false)
      ).connection
      return
    }
    throw TestWorld.Unexpected(description: "nobody asked")
  }

  /// Waits until the subscriber is connected.
  func connected() async throws {
    while let event = await events.next() {
      if case .connected = event.kind { return }
    }
    throw TestWorld.Unexpected(description: "not connected")
  }

  /// Sends elements in a batch.
  func send(_ elements: [UInt8]...) async throws {
    guard let connection else { throw TestWorld.Unexpected(description: "not connected") }
    _ = try await agent.send(connection, body: try MessageBatch.binaryCodec.encode(elements))
  }

  /// Sends an event of the relay's own.
  func send(_ event: ChatMessageEvent, isSigned: Bool = false, in channel: TestChannel) async throws {
    let body = ChatMessage(msgId: .fresh(), event: event).jsonBytes()
    let signature = try MemberSignature(key: key, publicGroupID: channel.id, memberId: memberID)
    try await send(isSigned ? try signature.element(body) : body)
  }

  /// The next element that the subscriber sends with an event of this tag.
  func received(_ tag: String) async throws -> MessageElement {
    while let event = await events.next() {
      guard case .message(let metadata, _, let body) = event.kind, let connection else { continue }
      try await agent.ack(connection, metadata.id)
      for case .success(let element) in MessageBody.parse(body) {
        if case .message(let message) = element.content, message.event.tag == tag { return element }
      }
    }
    throw TestWorld.Unexpected(description: "no \(tag)")
  }
}

extension SharedMsgId {
  /// A new identifier.
  static func fresh() -> SharedMsgId {
    var random = SystemRandom()
    return SharedMsgId(random: random.bytes(12))
  }
}

extension ConnectionID {
  /// A new identifier.
  static func fresh() -> ConnectionID {
    var random = SystemRandom()
    return ConnectionID(using: &random)
  }
}
