import AgentCore
import ChatAPI
import ChatLogic
import ChatStore

// What people type that has no command of the API.

extension ChatController {
  /// Carries out a typed command that has no command of the API; nil for all others.
  func performLocally(_ typed: TerminalCommand) async throws(ChatError) -> ChatResponse? {
    switch typed {
    case .connect(let incognito, let link):
      return try await connectWithPlan(try runningUser(), to: link, incognito: incognito)
    case .connectSimplex(let incognito):
      guard let link = Profile.presetCards.last?.contactLink else { return nil }
      return try await connectWithPlan(try runningUser(), to: link, incognito: incognito)
    case .sendMemberContactMessage(let group, let name, let text):
      let (id, member) = try memberID(name, group)
      return try await sendDirectly(text, toMember: member, inGroup: id)
    case .setClientService(let id, let name, let enable): return try setClientService(enable, of: id, named: name)
    case .joinGroup(let group, true): return try await joinGroup(try groupID(group), isMuted: true)
    case .sendMessageBroadcast(let text): return try broadcast(text)
    default:
      if let response = try await setLocally(typed) { return response }
      if let response = try await performForMobiles(typed) { return response }
      return try await showLocally(typed)
    }
  }

  /// Carries out a typed command that sets something of the program; nil for all others.
  private func setLocally(_ typed: TerminalCommand) async throws(ChatError) -> ChatResponse? {
    switch typed {
    case .setFilesFolder(let path):
      await setFilesFolder(try makeFolder(path))
      return .done()
    case .setTempFolder(let path):
      session.tempFolder = try makeFolder(path)
      return .done()
    case .setRemoteHostsFolder(let path):
      session.remoteHostsFolder = try makeFolder(path)
      return .done()
    case .setNetworkConfig(let options):
      _ = try currentUser()
      try await changeNetwork { $0.changed(by: options) }
      return .response0(.networkConfig(networkConfig: session.networkConfig))
    default: return nil
    }
  }

  /// Carries out a typed command that shows something; nil for all others.
  private func showLocally(_ typed: TerminalCommand) async throws(ChatError) -> ChatResponse? {
    switch typed {
    case .chatHelp(let section): return .response3(.chatHelp(helpSection: section))
    case .showProfile:
      let user = try runningUser()
      return .response3(.userProfile(user: user, profile: user.profile.shared))
    case .showProfileImage:
      let user = try runningUser()
      return .response3(.userProfileImage(user: user, profile: user.profile.shared))
    case .welcome: return .response3(.welcome(user: try currentUser()))
    case .fileStatus(let id): return try fileStatus(id)
    case .getUserProtoServers(let kind):
      let user = try runningUser()
      let groups = try groupedServers(of: user)
      return .response0(.userServers(user: user, userServers: UserServerRules.only(kind, of: groups)))
    case .getChatTTL(let name):
      let user = try currentUser()
      guard let chat = try chatRef(name) else { return nil }
      return .response0(
        .chatItemTTL(user: user, chatItemTTL: try store.read { try $0.itemTTL(of: chat, of: user) }))
    case .lastChats(let count): return try lastChats(count)
    case .lastMessages(let chat, let count): return try lastMessages(chat, count: count, matching: nil)
    case .searchMessages(let chat, let count, let text): return try lastMessages(chat, count: count, matching: text)
    case .lastChatItemId(let chat, let index): return try lastItem(chat, index)
    case .showGroupProfile(let name):
      let user = try currentUser()
      let id = try groupID(name)
      return .response3(.groupProfile(user: user, groupInfo: try store.read { try $0.group(id, of: user) }))
    case .listMemberSupportChats(let name): return try supportChats(ofGroup: name)
    case .showGroupDescription(let name):
      let user = try currentUser()
      let id = try groupID(name)
      return .response3(.groupDescription(user: user, groupInfo: try store.read { try $0.group(id, of: user) }))
    case .showChatItem(let id):
      let user = try runningUser()
      let item = try store.read { try $0.itemWithChat(id, in: try $0.chat(ofItem: id, of: user), of: user) }
      return .response3(.chatItems(user: user, chatItems: [item]))
    case .execChatStoreSQL(let sql): return .response3(.sQLResult(rows: try store.rows(of: sql)))
    case .execAgentStoreSQL(let sql):
      let rows = try await withAgent { (agent) throws(AgentError) in try await agent.rows(of: sql) }
      return .response3(.sQLResult(rows: rows))
    default: return nil
    }
  }

  private func lastChats(_ count: Int?) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let chats = try store.read {
      try $0.chats(
        of: user, pendingConnections: false, pagination: .last(count: count ?? 5_000),
        query: .filters(favorite: false, unread: false))
    }
    return .response3(.chats(chats: chats))
  }

  private func lastMessages(_ name: ChatName?, count: Int, matching search: String?) throws(ChatError) -> ChatResponse?
  {
    let user = try runningUser()
    guard let name else {
      let items = try store.read { try $0.allItems(of: user, pagination: .last(count: count), search: search) }
      return .response3(.chatItems(user: user, chatItems: items))
    }
    guard let chat = try chatRef(name) else { return nil }
    let data = try store.read { try $0.chat(chat, pagination: .last(count: count), search: search, of: user) }.chat
    return .response3(
      .chatItems(
        user: user, chatName_: name,
        chatItems: data.chatItems.map { AChatItem(chatInfo: data.chatInfo, chatItem: $0) }))
  }

  private func lastItem(_ name: ChatName?, _ index: Int) throws(ChatError) -> ChatResponse? {
    let user = try runningUser()
    let (count, overflow) = index.addingReportingOverflow(1)
    guard !overflow, count > 0 else { return .response3(.chatItemId(user: user)) }
    let ids: [Int64]
    if let name {
      guard let chat = try chatRef(name) else { return nil }
      ids = try store.read { try $0.chat(chat, pagination: .last(count: count), of: user) }.chat.chatItems
        .map(\.meta.itemId)
    } else {
      ids = try store.read { try $0.allItems(of: user, pagination: .last(count: count)) }.map(\.chatItem.meta.itemId)
    }
    return .response3(.chatItemId(user: user, chatItemId: ids.count == count ? ids.first : nil))
  }

  private func broadcast(_ text: String) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let content = MsgContent.text(text)
    var (successes, failures) = (0, 0)
    for contact in try store.read({ try $0.contacts(of: user) })
    where contact.ready && contact.active && contact.directOrUsed {
      do throws(ChatError) {
        try turn { _ = try $0.sendMessages([OutgoingContent(content: content)], to: contact, of: user) }
        successes += 1
      } catch {
        failures += 1
      }
    }
    let now = try store.read { $0.now }
    return .response3(
      .broadcastSent(user: user, msgContent: content, successes: successes, failures: failures, timestamp: now))
  }
}
