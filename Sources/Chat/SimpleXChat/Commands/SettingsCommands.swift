import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import SMPProtocol

// Settings of the app, of chats and of the network; how long messages are kept.

extension ChatController {
  func performSettings(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiSaveSettings(let settings):
      try turn { try $0.rows.saveAppSettings(settings) }
      return .done()
    case .apiGetSettings(let platform):
      let saved = try store.read { try $0.appSettings() }
      return .response2(.appSettings(appSettings: .combined(saved: saved, platform: platform)))
    case .apiSetChatSettings(let type, let id, let settings):
      let user = try runningUser()
      if type == .group { return try setSettings(settings, ofGroup: id, user) }
      guard type == .direct else { throw .unsupported }
      return try turn { turn in
        let contact = try turn.rows.contact(id, of: user)
        try turn.rows.setSettings(settings, of: contact.chat, of: user)
        if let connection = contact.activeConn {
          try turn.command(.setNotifications(settings.enableNtfs != .none), for: connection.agentConnId)
        }
        return .done(user)
      }
    case .apiSetChatItemTTL(let id, let seconds):
      let user = try runningUser(id)
      let old = try turn { turn in
        let old = try turn.rows.itemTTL(of: user)
        try turn.rows.setItemTTL(seconds, of: user)
        return old
      }
      if seconds > 0 && (seconds < old || old == 0) { try await expireItems(of: user) }
      return .done(user)
    case .apiGetChatItemTTL(let id):
      let user = try currentUser(id)
      return .response0(.chatItemTTL(user: user, chatItemTTL: try store.read { try $0.itemTTL(of: user) }))
    case .apiSetChatTTL(let userId, let type, let id, let seconds):
      let user = try runningUser(userId)
      guard type == .direct || type == .group else { throw .unsupported }
      try turn { try $0.rows.setItemTTL(seconds, of: ChatRef(chatType: type, chatId: id), of: user) }
      try await expireItems(of: user)
      return .done(user)
    case .apiSetNetworkConfig(let config):
      _ = try currentUser()
      try await setNetwork(config)
      return .done()
    case .apiGetNetworkConfig:
      _ = try currentUser()
      return .response0(.networkConfig(networkConfig: session.networkConfig))
    case .apiSetNetworkInfo(let info):
      life.isNetworkOnline = info.online
      if !info.online { endLinkDataWaits() }
      try await updateAgentNetwork()
      return .done()
    case .reconnectAllServers:
      _ = try currentUser()
      try await withAgent { (agent) throws(AgentError) in try await agent.reconnect() }
      return .done()
    case .reconnectServer(let id, let server):
      let agentUser = try runningUser(id).agentID
      guard let address = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: server) else {
        throw .command("not a relay: \(server)")
      }
      try await withAgent { (agent) throws(AgentError) in try await agent.reconnect(agentUser, address.server) }
      return .done()
    case .apiSetChatUIThemes(let chat, let themes):
      let user = try runningUser()
      guard let chat = ChatRef(id: chat), chat.chatType == .direct || chat.chatType == .group else {
        throw .unsupported
      }
      try turn { try $0.rows.setThemes(themes, of: chat, of: user) }
      return .done(user)
    case .apiSetContactCustomData(let id, let data):
      let user = try runningUser()
      try turn { turn in
        _ = try turn.rows.contact(id, of: user)
        try turn.rows.setCustomData(data, of: ChatRef(chatType: .direct, chatId: id), of: user)
      }
      return .done(user)
    default: return nil
    }
  }

  /// Stores the settings of a group; its members wake the device or not.
  private func setSettings(_ settings: ChatSettings, ofGroup id: Int64, _ user: User) throws(ChatError) -> ChatResponse
  {
    try turn { turn in
      let old = try turn.rows.group(id, of: user).chatSettings
      try turn.rows.setSettings(settings, of: ChatRef(chatType: .group, chatId: id), of: user)
      guard (old.enableNtfs == .none) != (settings.enableNtfs == .none) else { return .done(user) }
      let group = try turn.rows.group(id, of: user)
      for member in try turn.rows.members(ofGroup: id) { try turn.updateNotifications(of: member, in: group) }
      return .done(user)
    }
  }
}

extension ChatRef {
  /// The chat that an identifier such as `@12` names.
  init?(id: ChatId) {
    let types = ChatType.allCases.sorted { $0.rawValue.count > $1.rawValue.count }
    guard let type = types.first(where: { id.hasPrefix($0.rawValue) }),
      let number = Int64(id.dropFirst(type.rawValue.count))
    else { return nil }
    self.init(chatType: type, chatId: number)
  }
}
