import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Chats of a business with its customers. Who asks to connect by the address of a business gets a group, to which the
// business and the customer may invite others.

extension Turn {
  // MARK: The business

  /// Accepts a request to the address of a business: makes the chat with the customer.
  func acceptCustomer(
    _ request: UserContactRequest, at address: UserContactLink, message: ContactRequestInfo.RequestMessage?,
    of user: User
  ) throws {
    let (chat, customer) = try createChat(with: request, of: user)
    try answer(request, as: customer, in: chat)
    try addBanner(to: chat)
    try makeItem(.sndGroupE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: false)), in: chat)
    for content in GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: true) {
      try makeItem(content, in: chat)
    }
    if let welcome = address.addressSettings.autoReply, let shared = request.welcomeSharedMsgId {
      try makeItem(.sndMsgContent(msgContent: welcome), in: chat, sharedMsgId: shared)
    }
    if let message {
      try addItem(
        .rcvMsgContent(msgContent: message.content), to: chat, from: customer, sharedMsgId: message.msgId.text)
    }
    emit(.acceptingBusinessRequest(user: user, groupInfo: chat.group))
  }

  /// Creates the chat with a customer, which has the customer's name and picture.
  private func createChat(
    with request: UserContactRequest, of user: User
  ) throws -> (chat: GroupChat, customer: GroupMember) {
    var profile = GroupProfile(business: request.profile.shared)
    profile.groupPreferences = GroupPreferences(business: user.profile.preferences)
    var random = SystemRandom()
    let parties = BusinessChatInfo(
      chatType: .customer, businessId: MemberId(random: random.bytes(12)).text,
      customerId: MemberId(random: random.bytes(12)).text)
    let id = try rows.createGroup(profile: profile, named: request.localDisplayName, business: parties, of: user)
    try rows.setBusinessGroup(id, ofRequest: request.contactRequestId)
    var membership = NewMember(
      groupId: id, identity: .user(incognito: nil), memberId: parties.businessId, role: .owner,
      category: .userMember, status: .memCreator, versions: ChatAPI.VersionRange(environment.options.chatVersions))
    membership.invitedBy = .user
    let own = try rows.createMember(membership, of: user)
    try rows.setMembership(own, host: nil, ofGroup: id)
    var customer = NewMember(
      groupId: id, identity: .stored(request.profile), memberId: parties.customerId, role: .member,
      category: .inviteeMember, status: .memAccepted, versions: request.cReqChatVRange)
    customer.invitedBy = .user
    customer.invitedByMember = own
    let customerId = try rows.createMember(customer, of: user)
    try rows.setRequest(
      xContactId: request.xContactId, welcomeId: request.welcomeSharedMsgId, ofMember: customerId)
    return (try groupChat(id, of: user), try rows.member(customerId, of: user))
  }

  /// Answers a request with the chat, as the customer sees it.
  private func answer(_ request: UserContactRequest, as customer: GroupMember, in chat: GroupChat) throws {
    let (user, membership) = (chat.user, chat.group.membership)
    guard let own = MemberId(text: membership.memberId), let id = MemberId(text: customer.memberId) else {
      throw ChatError.error(errorType: .groupInternal(message: "member identifier"))
    }
    let peer = request.cReqChatVRange
    var new = NewConnection(
      agentConnId: ConnectionID.random().text, entity: .member(customer.groupMemberId),
      chatVersion: Int(ChatVersion.agreed(own: environment.options.chatVersions, peer: ChatVersionRange(peer))),
      peerVersions: peer)
    new.pqSupport = request.pqSupport
    new.viaAddress = request.userContactLinkId_
    let connection = try rows.createConnection(new, of: user)
    let answer = GroupLinkInvitation(
      fromMember: MemberIdRole(memberId: own, memberRole: membership.memberRole),
      fromMemberName: user.profile.displayName,
      invitedMember: MemberIdRole(memberId: id, memberRole: customer.memberRole),
      groupProfile: GroupProfile(business: user.profile.shared), accepted: .accepted,
      business: BusinessChatInfo(
        chatType: .business, businessId: membership.memberId, customerId: customer.memberId), groupSize: 1)
    try command(
      .accept(
        user: try user.agentID, try request.agentInvitation, pq: connection.pqSupport,
        info: try connectionInfo(.grpLinkInv(answer), connection)), for: connection.agentConnId)
  }

  /// Sends the welcome message of the address to a customer who was just accepted; a no-op for other members. Whatever
  /// is wrong with it, the customer is accepted.
  func welcomeCustomer(_ member: GroupMember, in chat: GroupChat) throws {
    guard chat.group.businessChat?.isCustomer(member.memberId) == true,
      let address = try? rows.address(of: chat.user), let content = address.addressSettings.autoReply
    else { return }
    try reportingErrors {
      let request = try rows.contactRequest(ofBusinessGroup: chat.group.groupId, for: chat.user)
      if let shared = request?.welcomeSharedMsgId.flatMap({ SharedMsgId(text: $0) }) {
        // The customer saw it; with its id, a later edit can be sent.
        try send(.msgUpdate(MsgUpdate(msgId: shared, content: content)), to: [member], of: chat.group)
        return
      }
      let id = SharedMsgId.random()
      let item = try addItem(.sndMsgContent(msgContent: content), to: chat, sharedMsgId: id.text)
      try send(
        [
          OutgoingGroupEvent(
            id: id, event: .msgNew(MsgContainer(content: content)), item: item.chatItem.meta.itemId)
        ], to: [member], of: chat.group)
    }
  }

  // MARK: Both sides

  /// The chat after the member changed its profile whose name and picture the chat has.
  func changeName(of chat: GroupChat, after member: GroupMember, profile: Profile) throws -> GroupChat {
    let new = chat.group.groupProfile.named(after: profile)
    guard new != chat.group.groupProfile else { return chat }
    var changed = chat
    changed.group = try rows.updateProfile(of: chat.group, to: new, of: chat.user)
    emit(.groupUpdated(user: chat.user, fromGroup: chat.group, toGroup: changed.group, member_: member))
    return changed
  }

  /// Sends members of a chat with a business its preferences; earlier versions get them with the business's profile.
  func sendPreferences(
    of business: BusinessChatInfo, _ profile: GroupProfile, to members: [GroupMember], in chat: GroupChat
  ) throws -> SharedMsgId {
    let preferences = profile.groupPreferences ?? .standardBusiness
    let earlier = members.filter { !$0.supports(ChatVersion.businessChatPreferences) }
    if !earlier.isEmpty {
      let membership = chat.group.membership
      let named =
        membership.memberId == business.businessId
        ? membership : try rows.memberRecord(sharedId: business.businessId, ofGroup: chat.group.groupId)
      try send(
        .grpInfo(named.map { profile.named(after: $0.memberProfile.shared) } ?? profile), to: earlier, of: chat.group)
    }
    return try send(
      .grpPrefs(preferences), to: members.filter { $0.supports(ChatVersion.businessChatPreferences) }, of: chat.group)
  }
}

extension Connection {
  /// Whether the user made it by asking at an address.
  var isByAddress: Bool { xContactId != nil && viaUserContactLink == nil }
}
