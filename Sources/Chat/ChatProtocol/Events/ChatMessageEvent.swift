import AgentProtocol
import ChatAPI
import SimplexCrypto
import SimplexJSON

/// An event sent between chat clients. A case is named after the tag of its event without the `x.`.
public indirect enum ChatMessageEvent: Hashable, Sendable {
  // MARK: Messages

  /// A new message.
  case msgNew(MsgContainer)
  /// A part of the description of a file that was announced.
  case msgFileDescr(msgId: SharedMsgId, fileDescr: FileDescr)
  /// A new content of a message.
  case msgUpdate(MsgUpdate)
  /// A message was deleted by its author, or by a moderator if there is a member; with `onlyHistory` just for those who
  /// join later.
  case msgDel(msgId: SharedMsgId, memberId: MemberId? = nil, scope: MsgScope? = nil, onlyHistory: Bool = false)
  /// A placeholder for a deleted message.
  case msgDeleted
  /// A reaction was added or taken back.
  case msgReact(msgId: SharedMsgId, memberId: MemberId? = nil, scope: MsgScope? = nil, reaction: MsgReaction, add: Bool)

  // MARK: Files

  /// A file without a message, from old clients.
  case file(FileInvitation)
  /// The file is wanted: what its receiver says on the connection made for it.
  case fileAcpt(fileName: String)
  /// The file is wanted, inline or over the connection of the link.
  case fileAcptInv(msgId: SharedMsgId, fileConnReq: ConnectionRequest? = nil, fileName: String)
  /// The sender withdrew the file.
  case fileCancel(msgId: SharedMsgId)

  // MARK: Contacts

  /// The sender's profile, on connecting and when it changes.
  case info(Profile)
  /// A request to connect by an address.
  case contact(ContactRequestInfo)
  /// The profile and key of a new member, to a relay of the group, and by which relay it joined.
  case member(
    profile: Profile, newMemberId: MemberId, newMemberKey: Ed25519.PublicKey, viaRelay: MemberId? = nil)
  /// The sender deleted the contact.
  case directDel
  /// A secret, to find out whether a contact and a member are the same person.
  case infoProbe(Probe)
  /// Whether the receiver knows the secret with this hash.
  case infoProbeCheck(ProbeHash)
  /// The secret that was asked for.
  case infoProbeOk(Probe)
  /// Empty connection information.
  case ok

  // MARK: Joining groups

  /// An invitation to a group.
  case grpInv(GroupInvitation)
  /// The invited contact joins.
  case grpAcpt(memberId: MemberId)
  /// The information that a host sends to those who join by a link.
  case grpLinkInv(GroupLinkInvitation)
  /// The host rejected the request to join.
  case grpLinkReject(GroupLinkRejection)
  /// The host's profile.
  case grpLinkMem(Profile)
  /// The host or a moderator decided about a member who joined by a link.
  case grpLinkAcpt(acceptance: GroupAcceptance, role: GroupMemberRole, memberId: MemberId)
  /// A relay is asked to serve a group.
  case grpRelayInv(GroupRelayInvitation)
  /// The relay accepted and has this link; relays before version 18 do not send their capabilities.
  case grpRelayAcpt(relayLink: ShortLink, relayCap: RelayCapabilities? = nil)
  /// The relay rejected the request.
  case grpRelayReject(reason: RelayRejectionReason)
  /// The capabilities of the relay changed.
  case grpRelayCap(RelayCapabilities)
  /// The group has a new relay.
  case grpRelayNew(relayLink: ShortLink)
  /// A challenge to a relay, and its answer.
  case grpRelayTest(challenge: OpaqueBytes, signature: OpaqueBytes? = nil)

  // MARK: Members of groups

  /// A new member, to the others.
  case grpMemNew(MemberInfo, scope: MsgScope? = nil)
  /// A present member, to the new one.
  case grpMemIntro(MemberInfo, memberRestrictions: MemberRestrictions? = nil)
  /// The new member's link for a present one, to the host.
  case grpMemInv(memberId: MemberId, memberIntro: IntroInvitation)
  /// The same from the host to the present member.
  case grpMemFwd(MemberInfo, memberIntro: IntroInvitation)
  /// A member's profile for another, on connecting.
  case grpMemInfo(memberId: MemberId, profile: Profile)
  /// A member has a new role; in groups with relays with the key of who becomes more than an observer, and the version
  /// of the list of such members that this makes.
  case grpMemRole(
    memberId: MemberId, role: GroupMemberRole, memberKey: Ed25519.PublicKey? = nil, rosterVersion: Int64? = nil)
  /// A member's messages are hidden or shown again.
  case grpMemRestrict(memberId: MemberId, memberRestrictions: MemberRestrictions)
  /// Connected to the member: the host may stop forwarding.
  case grpMemCon(memberId: MemberId)
  /// Connected to all members. No client sends it.
  case grpMemConAll(memberId: MemberId)
  /// A member was removed, possibly with its messages; `rosterVersion` as in `grpMemRole`.
  case grpMemDel(memberId: MemberId, withMessages: Bool = false, rosterVersion: Int64? = nil)
  /// An invitation of a member to be a contact.
  case grpDirectInv(connReq: ConnectionRequest, content: MsgContent? = nil, scope: MsgScope? = nil)

  // MARK: Groups

  /// The sender left.
  case grpLeave
  /// The group was deleted.
  case grpDel
  /// The group has a new profile.
  case grpInfo(GroupProfile)
  /// The group has new preferences.
  case grpPrefs(GroupPreferences)
  /// The members who are more than observers, in groups with relays.
  case grpRoster(GroupRoster)
  /// The relay has the list of this version, or not and why.
  case grpRosterAck(version: Int64, error: String? = nil)
  /// The relay asks for the list; which version it has, if any.
  case grpRosterRequest(version: Int64? = nil)
  /// Somebody else's message.
  case grpMsgForward(MessageForward, ChatMessage)

  // MARK: Calls

  /// An invitation to a call.
  case callInv(CallId, CallInvitation)
  /// The invited party's offer.
  case callOffer(CallId, CallOffer)
  /// The caller's answer.
  case callAnswer(CallId, CallAnswer)
  /// Further candidates.
  case callExtra(CallId, CallExtraInfo)
  /// The call is over.
  case callEnd(CallId)

  /// An event of a newer version, to be ignored; written as it was read.
  case unknown(tag: String, params: JSONValue)
}

extension ChatMessageEvent {
  /// Reads the parameters of the event `tag`. A tag that does not begin with `x` is an error.
  init(tag: String, params: JSONNode) throws(JSONError) {
    guard let event = try Self.readKnown(tag, params) else {
      guard tag.utf8.first == UInt8(ascii: "x") else { throw JSONError(.unknownCase(tag)) }
      self = .unknown(tag: tag, params: try JSONValue(json: params))
      return
    }
    self = event
  }

  private static func readKnown(_ tag: String, _ params: JSONNode) throws(JSONError) -> ChatMessageEvent? {
    var fields = try params.fields()
    if tag.hasPrefix("x.grp.") {
      if let event = try readGroup(tag, &fields) { return event }
      return try readMember(tag, &fields)
    }
    if let event = try readMessage(tag, &fields) { return event }
    return try readContact(tag, &fields)
  }

  /// Writes the object with the parameters.
  func encodeParams(to json: inout JSONWriter) {
    if case .unknown(_, let params) = self { return params.encode(to: &json) }
    json.beginObject()
    // One of them handles the event.
    _ = writeMessage(to: &json) || writeContact(to: &json) || writeGroup(to: &json) || writeMember(to: &json)
    json.endObject()
  }
}
