/// Colours and wallpapers (specification section 2.13).
enum ThemesCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiSetUserUIThemes", "/_set theme user ",
      id("userId"), json(ThemeModeOverrides.self).optional(),
      make: ChatCommand.apiSetUserUIThemes,
      match: { if case .apiSetUserUIThemes(let userId, let themes) = $0 { (userId, themes) } else { nil } })
    commands.command(
      "apiSetChatUIThemes", "/_set theme ",
      chatId, json(ThemeModeOverrides.self).optional(),
      make: ChatCommand.apiSetChatUIThemes,
      match: { if case .apiSetChatUIThemes(let chatId, let themes) = $0 { (chatId, themes) } else { nil } })
  }
}
