import ChatAPI

/// The commands that a bot publishes in its profile, for people at a terminal. They are sent as messages: `@bot /help`.
struct BotCommands {
  /// The most commands that a hint has: a bot may publish many.
  private static let shown = 20

  private let commands: [(keyword: String, label: String, params: String?)]

  init(of contact: Contact) { self.init(contact.mergedPreferences.commands ?? []) }

  /// Takes the commands, without those that nobody could type.
  init(_ commands: [ChatBotCommand]) {
    self.commands = Self.flat(commands, depth: 0).filter { command in
      StyledText(command.keyword).text == command.keyword && !command.keyword.contains(where: \.isWhitespace)
    }
  }

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

  /// The words that begin commands, without the slash.
  var keywords: [String] { commands.map(\.keyword) }

  private static func shortened(_ text: String) -> String { text.count > 60 ? text.prefix(60) + "…" : text }

  /// The lines about them; none where there are no commands.
  func lines(for prefix: String) -> [StyledText] {
    guard !commands.isEmpty else { return [] }
    let lines = commands.prefix(Self.shown).map { command -> StyledText in
      let text = [command.keyword, command.params].compactMap { $0.map(Self.shortened) }.joined(separator: " ")
      return "  \(.highlight("\(prefix)/\(text)")) \(StyledText(Self.shortened(command.label)))"
    }
    let hidden = commands.count - lines.count
    return ["commands of this bot:"] + lines + (hidden > 0 ? [StyledText("  and \(hidden) more (Tab after /)")] : [])
  }
}
