import ChatAPI
import Testing

@testable import ChatTerminal

/// The commands of a bot as lines.
@Suite struct BotCommandsTests {
  private func command(_ keyword: String, params: String? = nil) -> ChatBotCommand {
    .command(keyword: keyword, label: "about \(keyword)", params: params)
  }

  @Test func commandsOfMenusAreListed() {
    let commands = BotCommands([.menu(label: "menu", commands: [command("a")]), command("b", params: "<n>")])
    #expect(commands.keywords == ["a", "b"])
    #expect(
      commands.lines(for: "@bot ").map(\.text) == [
        "commands of this bot:", "  @bot /a about a", "  @bot /b <n> about b",
      ])
    #expect(BotCommands([]).lines(for: "@bot ").isEmpty)
  }

  /// A bot chooses how many it has, how deep its menus are, and what their texts are.
  @Test func aBotOfManyCommands() throws {
    let many = BotCommands((0..<1_000).map { command("c\($0)") })
    #expect(many.lines(for: "@bot ").count == 22 && many.lines(for: "@bot ").last?.text.contains("980 more") == true)
    let deep = (0..<100).reduce(command("deep")) { inner, _ in .menu(label: "menu", commands: [inner]) }
    #expect(BotCommands([deep]).keywords.isEmpty)
    let odd = BotCommands([.command(keyword: "a\u{1B}[2J\r", label: "b", params: nil)])
    #expect(odd.keywords.isEmpty && odd.lines(for: "@bot ").isEmpty)
    let long = String(repeating: "x", count: 3_000)
    let longest = BotCommands([.command(keyword: long, label: "\u{07}" + long, params: long)])
    let line = try #require(longest.lines(for: "@bot ").last).text
    #expect(line.count < 200 && !line.unicodeScalars.contains { $0.value < 0x20 })
  }
}
