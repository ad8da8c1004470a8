import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto
import WireCodec

// Joining a prepared channel: by all of its relays at once.

extension ChatController {
  /// Asks all relays of a prepared channel, at the same time. What was asked before is not asked again.
  /// - Parameter owner: a contact who is an owner of the channel, as the card that the contact sent says.
  /// - Throws: the error of a relay where none could be asked, one that may pass before others.
  func joinChannel(
    _ id: Int64, incognito: Bool, owner: GroupOwnerContact?, of user: User
  ) async throws(ChatError) -> ChatResponse {
    let group = try store.read { try $0.group(id, of: user) }
    guard let text = group.preparedGroup?.connLinkToConnect.connShortLink, case .short(let short) = try ParsedLink(text)
    else { throw .error(errorType: .exception(message: "failed to retrieve relays: no short link")) }
    return try await locked(.link(text)) { () throws(ChatError) in
      let (request, content) = try await linkContent(of: short, for: user)
      let channel = try ChannelLink(content)
      guard !channel.relays.isEmpty else { throw .command("no relays") }
      let full = link(request, short)
      let shown = try turn { turn in
        try turn.prepareToJoin(channel, by: full, group: id, incognito: incognito, owner: owner, of: user)
      }
      let results = await join(channel.relays.prefix(ChannelLink.relaysLimit), ofChannel: id, for: user)
      guard results.contains(where: { $0.relayError == nil }) else {
        // Profile and user cannot be changed any more.
        if let group = try? store.read({ try $0.group(id, of: user) }) {
          emit(.chatInfoUpdated(user: user, chatInfo: .group(groupInfo: group, groupChatScope: nil)))
        }
        let errors = results.compactMap(\.relayError)
        throw errors.first(where: \.mayPass) ?? errors.first ?? .command("no relays")
      }
      return .response1(
        .startedConnectionToGroup(
          user: user, groupInfo: try store.read { try $0.group(id, of: user) }, customUserProfile: shown,
          relayResults: results))
    }
  }

  private func join(
    _ relays: some Sequence<ShortLink>, ofChannel id: Int64, for user: User
  ) async -> [RelayConnectionResult] {
    await withTaskGroup(of: (Int, RelayConnectionResult?).self) { group in
      for (index, relay) in relays.enumerated() {
        group.addTask {
          let result = await self.join(relay, ofChannel: id, for: user)
          return (index, result)
        }
      }
      var results: [(Int, RelayConnectionResult)] = []
      for await case (let index, let result?) in group { results.append((index, result)) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Asks a relay of a channel.
  /// - Returns: nil where the relay could not even be stored.
  private func join(
    _ relay: ShortLink, ofChannel id: Int64, for user: User
  ) async -> RelayConnectionResult? {
    let text = relay.text(presets: linkServers)
    guard let member = try? turn({ try $0.relay(withLink: text, ofChannel: id, of: user) }) else { return nil }
    do throws(ChatError) {
      if member.activeConn?.connStatus.isUnderWay != true {
        let (request, content) = try await linkContent(of: relay, for: user)
        try await join(
          member, request, by: link(request, relay), as: try ChannelRelayLink(content), of: user)
      }
      return RelayConnectionResult(
        relayMember: try store.read { try $0.member(member.groupMemberId, of: user) }, relayError: nil)
    } catch {
      let current = try? store.read { try $0.member(member.groupMemberId, of: user) }
      return RelayConnectionResult(relayMember: current ?? member, relayError: error)
    }
  }

  private func join(
    _ member: GroupMember, _ request: ConnectionRequest, by link: CreatedConnLink, as relay: ChannelRelayLink,
    of user: User
  ) async throws(ChatError) {
    let (connection, info, followUp) = try turn { turn in
      let (connection, info) = try turn.prepareToJoin(member, request, by: link, as: relay, of: user)
      return (
        connection, info, try turn.joinIfInterrupted(connection, request: request, info: info, of: user)
      )
    }
    _ = try await join(connection, request, info: info, followUp: followUp, of: user)
    try turn { turn in
      _ = try turn.finishJoining(connection.agentConnId)
      try turn.rows.setLinkStarted(by: connection.connId)
      _ = try turn.rows.setStatus(of: connection, from: .prepared, to: .joined)
    }
  }
}

extension Turn {
  /// Stores what the link of a channel says before any relay is asked: keys, owners, and the number of members.
  /// - Returns: the incognito profile that relays see; nil for the user's own.
  fileprivate func prepareToJoin(
    _ link: ChannelLink, by full: CreatedConnLink, group id: Int64, incognito: Bool, owner: GroupOwnerContact?,
    of user: User
  ) throws -> Profile? {
    let chat = try groupChat(id, of: user)
    let membership = chat.group.membership
    if membership.memberGone { throw ChatErrorType.groupMemberUserRemoved }
    guard
      chat.group.groupProfile.publicGroup.map({ Base64URL.decode($0.publicGroupId) == link.publicGroupID }) == true
    else { throw ChatErrorType.invalidConnReq }
    try rows.channels.setMemberCount(link.data.publicGroupData?.publicMemberCount, ofGroup: id)
    if let keys = try rows.channels.keys(ofGroup: id) {
      // The keys of a membership are made once: a retry goes on with what was stored.
      guard keys.publicGroupID == link.publicGroupID, keys.root.publicKey == link.rootKey else {
        throw ChatErrorType.invalidConnReq
      }
      guard incognito == membership.memberIncognito else {
        throw ChatError.command("incognito mode is different from prepared connection")
      }
      return incognito ? membership.memberProfile.shared : nil
    }
    var random = SystemRandom()
    let key = Ed25519.PrivateKey(using: &random)
    try rows.channels.add(
      ChannelKeys(publicGroupID: link.publicGroupID, root: .known(link.rootKey), member: key), toGroup: id)
    guard try rows.channels.pin(key: key.publicKey.text, ofMember: membership.groupMemberId) else {
      throw ChatErrorType.groupInternal(message: "member key")
    }
    let shown = incognito ? Profile.random() : nil
    let profile = try shown.map { try rows.createIncognitoProfile($0, of: user) }
    try rows.setLinkPrepared(full, incognito: profile, of: chat.group, for: user)
    for known in link.owners where known.memberId.text != membership.memberId {
      try add(known, in: chat, contact: owner?.memberId == known.memberId.text ? owner?.contactId : nil)
    }
    return shown
  }

  /// Adds an owner of whom the link tells the key. Everything else comes from relays, or from the contact it is.
  private func add(_ owner: ChannelLink.Owner, in chat: GroupChat, contact id: Int64?) throws {
    let contact = try id.map { try rows.contact($0, of: chat.user) }
    var new = NewMember(
      groupId: chat.group.groupId,
      identity: contact.map { .contact($0) }
        ?? .profile(Profile(displayName: String(owner.memberId.text.prefix(7)), fullName: "").withValidName),
      memberId: owner.memberId.text, role: .owner, category: .preMember, status: .memUnknown,
      versions: VersionRange(1, 1))
    new.publicKey = owner.key.text
    _ = try rows.createMember(new, of: chat.user)
  }

  /// The relay with a link as a member of a channel. Its identifier is random until its link was read.
  fileprivate func relay(withLink link: String, ofChannel id: Int64, of user: User) throws -> GroupMember {
    if let known = try rows.channels.relay(withLink: link, ofGroup: id) { return try rows.member(known, of: user) }
    var random = SystemRandom()
    let memberId = MemberId(random: random.bytes(12)).text
    let member = try rows.createMember(
      NewMember(
        groupId: id, identity: .profile(Profile(displayName: "relay", fullName: "")), memberId: memberId, role: .relay,
        category: .hostMember, status: .memAccepted, versions: VersionRange(1, 1)), of: user)
    try rows.channels.setLink(link, ofRelay: member)
    return try rows.member(member, of: user)
  }

  /// The connection to ask a relay with, and the signed request. The relay's link alone says who the relay is.
  fileprivate func prepareToJoin(
    _ member: GroupMember, _ request: ConnectionRequest, by link: CreatedConnLink, as relay: ChannelRelayLink,
    of user: User
  ) throws -> (Connection, info: [UInt8]) {
    let chat = try groupChat(member.groupId, of: user)
    if chat.group.membership.memberGone { throw ChatErrorType.groupMemberUserRemoved }
    let current = try rows.member(member.groupMemberId, of: user)
    if current.memberId != relay.memberId.text {
      guard current.memberPubKey == nil,
        try rows.memberRecord(sharedId: relay.memberId.text, ofGroup: member.groupId) == nil
      else { throw ChatErrorType.groupDuplicateMemberId }
      try rows.setIdentity(sharedId: relay.memberId.text, role: .relay, ofMember: member.groupMemberId)
      try rows.updateProfile(of: current, to: relay.profile, of: user)
    }
    guard try rows.channels.pin(key: relay.key.text, ofMember: member.groupMemberId) else {
      throw ChatErrorType.invalidConnReq
    }
    let connection: Connection
    if let known = current.activeConn, known.connStatus == .prepared {
      connection = known
    } else {
      if let failed = current.activeConn { try deleteAttempt(failed, of: user) }
      var new = NewConnection(
        agentConnId: ConnectionID.random().text, entity: .member(member.groupMemberId), status: .prepared,
        chatVersion: Int(request.impliedChatVersion(for: environment.options)))
      new.initiated = true
      new.viaLink = link
      new.viaLinkHash = request.hash
      new.viaGroupLink = true
      if chat.group.membership.memberIncognito {
        new.customUserProfileId = chat.group.membership.memberProfile.profileId
      }
      connection = try rows.createConnection(new, of: user)
    }
    // What an interrupted command stored is sent, whichever of the two gets to the agent first.
    if let info = try joiningInfo(connection.agentConnId) { return (connection, info) }
    return (connection, try joiningRequest(to: relay.memberId, in: chat))
  }

  /// The signed request to join by a relay. It names the relay, so that no other one can use it.
  private func joiningRequest(to relay: MemberId, in chat: GroupChat) throws -> [UInt8] {
    let membership = chat.group.membership
    guard let signature = try signature(in: chat.group), let own = MemberId(text: membership.memberId) else {
      throw ChatErrorType.groupInternal(message: "no group keys for channel membership")
    }
    let profile = chat.group.redacted(membership.memberProfile.shared, of: membership)
    do throws(ChatProtocolError) {
      return try ConnectionInfo.encode(
        .member(
          profile: profile, newMemberId: own, newMemberKey: signature.key.publicKey, viaRelay: relay),
        signedBy: signature, versions: environment.options.chatVersions)
    } catch {
      throw ChatErrorType.exception(message: "large signed info")
    }
  }

  /// The signature of the user as a member of a channel; nil in groups without relays.
  func signature(in group: GroupInfo) throws -> MemberSignature? {
    guard group.topology.requiresSignatures, let keys = try rows.channels.keys(ofGroup: group.groupId),
      let id = MemberId(text: group.membership.memberId)
    else { return nil }
    return try? MemberSignature(key: keys.member, publicGroupID: keys.publicGroupID, memberId: id)
  }
}

extension ChatError {
  /// Whether the same may succeed later.
  fileprivate var mayPass: Bool {
    guard case .errorAgent(let error, _, _) = self else { return false }
    switch error {
    case .BROKER(_, .TIMEOUT), .BROKER(_, .HOST), .BROKER(_, .NETWORK), .INACTIVE: return true
    default: return false
    }
  }
}
