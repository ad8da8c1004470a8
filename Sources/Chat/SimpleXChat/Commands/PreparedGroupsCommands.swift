import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Groups that are shown before the user joins them by their link.

extension ChatController {
  func performPreparedGroups(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiPrepareGroup(let id, let link, let direct, let data, _):
      return try prepareGroup(try runningUser(id), by: link, data: data, isChannel: !direct)
    case .apiChangePreparedGroupUser(let id, let newId): return try changeUser(ofPreparedGroup: id, to: newId)
    case .apiConnectPreparedGroup(let id, let incognito, let owner, let message):
      return try await connectPreparedGroup(id, incognito: incognito, owner: owner, message)
    default: return nil
    }
  }

  private func prepareGroup(
    _ user: User, by link: CreatedConnLink, data: GroupShortLinkData, isChannel: Bool
  ) throws(ChatError) -> ChatResponse {
    let request = try ConnectionRequest(link)
    guard !request.isInvitation else { throw .error(errorType: .invalidConnReq) }
    return try turn { turn in
      if isChannel {
        guard data.groupProfile.publicGroup != nil else { throw ChatError.command("not a public group") }
        let shown = try turn.prepareChannel(data, by: link, of: user)
        return .response1(.newPreparedChat(user: user, chat: shown))
      }
      let welcome = data.groupProfile.description.map { MsgContent.text($0) }
      let shown = try turn.prepareGroup(data.groupProfile, welcome: welcome, by: link, of: user)
      return .response1(.newPreparedChat(user: user, chat: shown))
    }
  }

  /// Makes the chat with a business that its address shows.
  func prepareBusiness(
    _ user: User, by link: CreatedConnLink, _ data: ContactShortLinkData
  ) throws(ChatError) -> ChatResponse {
    try turn { turn in
      let shown = try turn.prepareGroup(
        GroupProfile(business: data.profile), welcome: data.message, isBusiness: true, by: link, of: user)
      return .response1(.newPreparedChat(user: user, chat: shown))
    }
  }

  private func changeUser(ofPreparedGroup id: Int64, to newId: Int64) throws(ChatError) -> ChatResponse {
    let newUser = try privateUser(newId)
    return try turn(inGroup: id) { turn, chat in
      guard chat.group.preparedGroup != nil else { throw ChatError.command("group doesn't have link to connect") }
      guard chat.group.membership.memberStatus == .memUnknown else {
        throw ChatError.command("group is joined already")
      }
      let host =
        chat.group.topology == .channel ? nil : try turn.rows.hostMember(ofGroup: id, of: chat.user)
      guard host?.activeConn == nil else { throw ChatError.command("host member already has connection") }
      guard newUser.userId != chat.user.userId else {
        return .response1(
          .groupUserChanged(user: chat.user, fromGroup: chat.group, newUser: newUser, toGroup: chat.group))
      }
      let moved = try turn.rows.move(prepared: chat.group, host: host, from: chat.user, to: newUser)
      return .response1(
        .groupUserChanged(user: chat.user, fromGroup: chat.group, newUser: newUser, toGroup: moved))
    }
  }

  private func connectPreparedGroup(
    _ id: Int64, incognito: Bool, owner: GroupOwnerContact?, _ message: MsgContent?
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let group = try store.read { try $0.group(id, of: user) }
    guard let prepared = group.preparedGroup else { throw .command("group doesn't have link to connect") }
    if group.topology == .channel { return try await joinChannel(id, incognito: incognito, owner: owner, of: user) }
    let request = try ConnectionRequest(prepared.connLinkToConnect)
    guard message == nil || request.groupLinkId == nil else { throw .error(errorType: .connReqMessageProhibited) }
    let named = try message.map { (content) throws(ChatError) in
      (sharedMsgId: try requestSharedMsgId(prepared, id), content: content)
    }
    do throws(ChatError) {
      let outcome = try await connect(
        user, byAddress: prepared.connLinkToConnect, request: request, incognito: incognito, chat: .group(group),
        message: RequestMessage(welcomeSharedMsgId: prepared.welcomeSharedMsgId, message: named))
      guard case .sent(_, let shown) = outcome else { throw .command("contact already exists") }
      // Who was asked before got the message then, or none.
      let asked = prepared.connLinkStartedConnection ? nil : named?.sharedMsgId
      let (started, item) = try turn { turn in
        let started = try turn.groupChat(id, of: user)
        return (started, try asked.flatMap { try turn.requestItem($0, in: started) })
      }
      if let item {
        let sent = AChatItem(chatInfo: started.info, chatItem: item)
        emitAfterResponse(.newChatItems(user: user, chatItems: [sent]))
      }
      return .response1(
        .startedConnectionToGroup(
          user: user, groupInfo: started.group, customUserProfile: shown, relayResults: []))
    } catch {
      if let named { try turn { try $0.removeOrShowRequestMessage(named.sharedMsgId, toGroup: id, of: user) } }
      // The connection may have been prepared: user and incognito mode cannot be changed any more.
      if let group = try? store.read({ try $0.group(id, of: user) }) {
        emit(.chatInfoUpdated(user: user, chatInfo: .group(groupInfo: group, groupChatScope: nil)))
      }
      throw error
    }
  }

  private func requestSharedMsgId(_ prepared: PreparedGroup, _ id: Int64) throws(ChatError) -> String {
    if let known = prepared.requestSharedMsgId { return known }
    let new = SharedMsgId.random().text
    try turn { try $0.rows.setRequestSharedMsgId(new, ofGroup: id) }
    return new
  }
}

extension Turn {
  /// Creates the group that a link shows, with its features and welcome message; the host and the user get random
  /// identifiers for now. Returns what is shown of it.
  fileprivate func prepareGroup(
    _ profile: GroupProfile, welcome: MsgContent?, isBusiness: Bool = false, by link: CreatedConnLink, of user: User
  ) throws -> ChatData {
    let id = try rows.createPreparedGroup(
      profile: profile.withValidName, link: link,
      welcomeSharedMsgId: welcome.map { _ in SharedMsgId.random().text }, of: user)
    var random = SystemRandom()
    let hostId = MemberId(random: random.bytes(12)).text
    let versions = ChatAPI.VersionRange(environment.options.chatVersions)
    let host = try rows.createMember(
      NewMember(
        groupId: id, identity: .profile(Profile(displayName: String(hostId.prefix(7)), fullName: "").withValidName),
        memberId: hostId, role: .admin, category: .hostMember, status: .memAccepted,
        versions: ChatAPI.VersionRange(1, 1)), of: user)
    let ownId = MemberId(random: random.bytes(12)).text
    var membership = NewMember(
      groupId: id, identity: .user(incognito: nil), memberId: ownId, role: .member, category: .userMember,
      status: .memUnknown, versions: versions)
    membership.invitedByMember = host
    try rows.setMembership(try rows.createMember(membership, of: user), host: host, ofGroup: id)
    if isBusiness {
      try rows.setBusiness(
        BusinessChatInfo(chatType: .business, businessId: hostId, customerId: ownId), ofGroup: id)
    }
    let chat = try groupChat(id, of: user)
    try addBanner(to: chat)
    let hostMember = try rows.member(host, of: user)
    for content in GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: false) {
      try makeItem(content, in: chat, from: hostMember)
    }
    var shown = ChatData(chatInfo: chat.info, chatItems: [])
    guard let welcome else { return shown }
    let item = try makeItem(
      .rcvMsgContent(msgContent: welcome), in: chat, from: hostMember,
      sharedMsgId: chat.group.preparedGroup?.welcomeSharedMsgId)
    shown.chatItems = [item.chatItem]
    shown.chatStats.unreadCount = 1
    shown.chatStats.minUnreadItemId = item.chatItem.meta.itemId
    return shown
  }
}
