import ChatAPI

/// The commands that a bot publishes in its profile, for people at a terminal. They are sent as messages: `@bot /help`.
struct BotCommands {
  /// The most commands that a hint has: a bot may publish many.
  private static let shown = 20

  private let commands: [(keyword: String, label: String, params: String?)]

  init(of contact: Contact) { self.init(contact.mergedPreferences.commands ?? []) }

  init(_ commands: [ChatBotCommand]) { self.commands = Self.flat(commands, depth: 0) }

  /// The commands of menus, which are as deep as the bot likes.
  private static func flat(
    _ commands: [ChatBotCommand], depth: Int
  ) -> [(keyword: String, label: String, params: String?)] {
    guard depth < 8 else { return [] }
    return commands.flatMap { command -> [(keyword: String, label: String, params: String?)] in
      switch command {
      case .command(let keyword, let label, let params): [(keyword, label, params)]
      case .menu(_, let commands): flat(commands, depth: depth + 1)
      }
    }
  }

  /// The words that begin commands, without the slash; not those that nobody could type.
  var keywords: [String] {
    commands.map(\.keyword).filter { StyledText($0).text == $0 && !$0.contains(where: \.isWhitespace) }
  }

  /// The lines about them; none where there are no commands.
  func lines(for prefix: String) -> [StyledText] {
    guard !commands.isEmpty else { return [] }
    let lines = commands.prefix(Self.shown).map { command -> StyledText in
      let text = [command.keyword, command.params].compactMap(\.self).joined(separator: " ")
      return "  \(.highlight("\(prefix)/\(text)")) \(StyledText(command.label))"
    }
    let hidden = commands.count - lines.count
    return ["commands of this bot:"] + lines + (hidden > 0 ? [StyledText("  and \(hidden) more (Tab after /)")] : [])
  }
}
