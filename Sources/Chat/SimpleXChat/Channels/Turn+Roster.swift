import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// The list of members with rights in a channel (roster): an owner signs it, relays pass it on in parts, and events of
// owners change it. It is applied in one transaction: up to 256 members.

extension Turn {
  // MARK: Events

  /// Checks the version of the list that an owner's event names, and requests the list where events before it are
  /// missing.
  /// - Returns: false for an event that is outdated.
  func acceptsRosterVersion(
    _ version: Int64?, by member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Bool {
    guard chat.group.topology == .channel, let version, member.memberRole == .owner else { return true }
    let id = chat.group.groupId
    let known = try rows.rosters.versions(ofGroup: id)
    switch RosterRules.step(to: version, seen: known.seen, applied: known.applied) {
    case .outdated:
      reportError("x.grp.mem: roster version not newer than current, ignoring", in: chat)
      return false
    case .complete: try rows.rosters.setApplied(version, ofGroup: id)
    case .incomplete:
      _ = try rows.rosters.note(version: version, ofGroup: id)
      guard let source = try message.forwardedBy.flatMap({ try rows.memberIfPresent($0, of: chat.user) }),
        source.supports(ChatVersion.channelRoster)
      else { break }
      try send(.grpRosterRequest(version: known.applied), to: [source], of: chat.group)
    }
    return true
  }

  /// Adds a member to whom an owner gives rights before any relay told of it.
  func addMemberWithRights(
    _ id: MemberId, as role: GroupMemberRole, key: Ed25519.PublicKey?, by member: GroupMember, in chat: GroupChat
  ) throws {
    guard chat.group.rights.isOnRoster(role), member.memberRole == .owner, let key,
      id.text != chat.group.membership.memberId,
      try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId) == nil
    else { return }
    _ = try addMember(id, key: key, in: chat)
  }

  private func addMember(_ id: MemberId, key: Ed25519.PublicKey, in chat: GroupChat) throws -> GroupMember {
    // Not charged to the relay: an owner signed for it, and a list is limited.
    let payer = rows.payer
    rows.payer = 0
    defer { rows.payer = payer }
    var new = NewMember(
      groupId: chat.group.groupId,
      identity: .profile(Profile(displayName: String(id.text.prefix(7)), fullName: "").withValidName),
      memberId: id.text, role: chat.group.topology.unknownMemberRole, category: .postMember, status: .memUnknown,
      versions: VersionRange(1, 1))
    new.publicKey = key.text
    return try rows.member(try rows.createMember(new, of: chat.user), of: chat.user)
  }

  // MARK: Receiving the list

  /// Handles that an owner announces a list, whose parts follow from the relay that forwards it.
  func handleRoster(
    _ roster: GroupRoster, by owner: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws {
    guard owner.memberRole == .owner else {
      return reportError("x.grp.roster: not signed by an owner", in: chat)
    }
    guard let size = Int(exactly: roster.fileInv.fileSize), (1...RosterRules.maximumSize).contains(size) else {
      return reportError("x.grp.roster: roster blob size exceeds limit", in: chat)
    }
    guard let source = message.forwardedBy, let signed = message.signed, let shared = message.sharedMsgId else {
      return reportError("x.grp.roster: missing shared message id", in: chat)
    }
    let id = chat.group.groupId
    let pending = try rows.rosters.transfer(from: source, inGroup: id)
    guard
      RosterRules.accepts(
        list: roster.version, seen: try rows.rosters.versions(ofGroup: id).seen, pending: pending?.version)
    else { return }
    let header: [UInt8]
    do throws(ChatProtocolError) { header = try signed.element() } catch {
      return reportError("x.grp.roster: \(error)", in: chat)
    }
    try rows.rosters.begin(
      RosterTransfer(
        version: roster.version, sharedMsgId: shared, size: size, digest: roster.fileInv.fileDigest.bytes,
        header: header, headerTime: message.time), from: source, inGroup: id)
  }

  /// Handles a part of a list that a relay announced. Parts of anything else, or out of order, are ignored.
  func receivedRosterPart(_ chunk: InlineFileChunk, from source: GroupMember, in chat: GroupChat) throws {
    let (id, member) = (chat.group.groupId, source.groupMemberId)
    guard case .data(let number, let bytes) = chunk.part,
      let transfer = try rows.rosters.transfer(from: member, inGroup: id), transfer.sharedMsgId == chunk.msgId.text,
      transfer.nextPart == Int(number)
    else { return }
    guard !bytes.isEmpty, transfer.body.count + bytes.count <= transfer.size else {
      try rows.rosters.endTransfer(from: member, inGroup: id)
      return reportError("x.grp.roster: roster blob size exceeds limit", in: chat)
    }
    guard transfer.body.count + bytes.count == transfer.size else {
      return try rows.rosters.append(bytes, from: member, inGroup: id)
    }
    try rows.rosters.endTransfer(from: member, inGroup: id)
    let body = transfer.body + bytes
    guard HashFunction.sha512.digest(of: body.span.bytes) == transfer.digest else {
      return reportError("x.grp.roster: roster digest mismatch", in: chat)
    }
    guard let members = try? RosterMember.listCodec.decode(body) else {
      return reportError("x.grp.roster: roster blob cannot be parsed", in: chat)
    }
    try apply(members, version: transfer.version, at: transfer.headerTime, in: chat)
  }

  /// Applies a list: keys of members are pinned, roles set, and members with rights who are not in the list become
  /// subscribers.
  private func apply(_ members: [RosterMember], version: Int64, at time: Date, in chat: GroupChat) throws {
    let id = chat.group.groupId
    // Events after it may have come while its parts did.
    guard try rows.rosters.note(version: version, ofGroup: id) else { return }
    try rows.rosters.setApplied(version, ofGroup: id)
    var listed: Set<String> = []
    for member in members where chat.group.rights.isOnRoster(member.role) {
      guard listed.insert(member.memberId.text).inserted else { continue }
      let isUser = member.memberId.text == chat.group.membership.memberId
      let known =
        isUser
        ? chat.group.membership : try rows.memberRecord(sharedId: member.memberId.text, ofGroup: id)
      let subject = try known ?? addMember(member.memberId, key: member.key, in: chat)
      // Neither owners nor relays are on the list.
      guard subject.memberRole != .owner, subject.memberRole != .relay else { continue }
      guard try rows.channels.pin(key: member.key.text, ofMember: subject.groupMemberId) else {
        reportError("x.grp.roster: member key conflict, keeping trusted key", in: chat)
        continue
      }
      try setRole(member.role, of: subject, isKnown: known != nil, at: time, in: chat)
    }
    let own = [chat.group.membership].filter { chat.group.rights.isOnRoster($0.memberRole) }
    for member in try own + rows.channels.members(onRosterOfGroup: id, of: chat.user)
    where !listed.contains(member.memberId) {
      try setRole(chat.group.topology.unknownMemberRole, of: member, isKnown: true, at: time, in: chat)
    }
  }

  private func setRole(
    _ role: GroupMemberRole, of subject: GroupMember, isKnown: Bool, at time: Date, in chat: GroupChat
  ) throws {
    guard subject.memberRole != role else { return }
    try rows.setRole(role, ofMember: subject.groupMemberId)
    guard isKnown, let owner = try rows.channels.owner(ofGroup: chat.group.groupId, of: chat.user) else { return }
    let chat = try reloaded(chat)
    if subject.memberCategory == .userMember {
      try addItem(
        .rcvGroupEvent(rcvGroupEvent: .userRole(role: role)), to: chat, from: owner, at: time,
        verified: .signed(sigStatus: .verified))
    }
    var changed = subject
    changed.memberRole = role
    emit(
      .memberRole(
        user: chat.user, groupInfo: chat.group, byMember: owner, member: changed, fromRole: subject.memberRole,
        toRole: role, msgSigned: .verified))
  }
}
