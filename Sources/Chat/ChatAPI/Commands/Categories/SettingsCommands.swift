/// App, chat and network settings, and the time messages live (specification section 2.10).
enum SettingsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiSaveSettings", "/_save app settings",
      json(AppSettings.self).after(" ").or(json(AppSettings.self)),
      make: ChatCommand.apiSaveSettings,
      match: { if case .apiSaveSettings(let settings) = $0 { settings } else { nil } })
    commands.command(
      "apiGetSettings", "/_get app settings",
      json(AppSettings.self).optional(),
      make: ChatCommand.apiGetSettings,
      match: { if case .apiGetSettings(let settings) = $0 { settings } else { nil } })
    commands.command(
      "apiSetChatSettings", "/_settings ",
      chatType, id("chatId"), json(ChatSettings.self).after(" "),
      make: ChatCommand.apiSetChatSettings,
      match: {
        if case .apiSetChatSettings(let type, let id, let chatSettings) = $0 { (type, id, chatSettings) } else { nil }
      })
    commands.command(
      "apiSetChatItemTTL", "/_ttl ",
      id("userId"), number("seconds").after(" "),
      make: ChatCommand.apiSetChatItemTTL,
      match: { if case .apiSetChatItemTTL(let userId, let seconds) = $0 { (userId, seconds) } else { nil } })
    commands.command(
      "apiGetChatItemTTL", "/_ttl ",
      id("userId"),
      make: ChatCommand.apiGetChatItemTTL,
      match: { if case .apiGetChatItemTTL(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiSetChatTTL", "/_ttl ",
      id("userId"), chatType.after(" "), id("chatId"), secondsOrDefault.after(" "),
      make: ChatCommand.apiSetChatTTL,
      match: {
        if case .apiSetChatTTL(let userId, let type, let id, let seconds) = $0 {
          (userId, type, id, seconds)
        } else {
          nil
        }
      })
    commands.command(
      "apiSetNetworkConfig", "/_network ", remotely: .local,
      json(NetCfg.self).secret { hasProxyPassword($0.socksProxy) },
      make: ChatCommand.apiSetNetworkConfig,
      match: { if case .apiSetNetworkConfig(let networkConfig) = $0 { networkConfig } else { nil } })
    commands.command(
      "apiGetNetworkConfig", "/network", or: ["/net"], remotely: .local,
      make: { .apiGetNetworkConfig }, match: { if case .apiGetNetworkConfig = $0 { () } else { nil } })
    commands.command(
      "apiSetNetworkInfo", "/_network info ",
      json(UserNetworkInfo.self),
      make: ChatCommand.apiSetNetworkInfo,
      match: { if case .apiSetNetworkInfo(let networkInfo) = $0 { networkInfo } else { nil } })
    commands.command(
      "reconnectAllServers", "/reconnect",
      make: { .reconnectAllServers }, match: { if case .reconnectAllServers = $0 { () } else { nil } })
    commands.command(
      "reconnectServer", "/reconnect ",
      id("userId"), server("smp server").after(" "),
      make: ChatCommand.reconnectServer,
      match: { if case .reconnectServer(let userId, let smpServer) = $0 { (userId, smpServer) } else { nil } })
    commands.command(
      "setContactMergeEnabled", "/contact_merge ",
      onOff,
      make: ChatCommand.setContactMergeEnabled,
      match: { if case .setContactMergeEnabled(let enable) = $0 { enable } else { nil } })
  }
}
