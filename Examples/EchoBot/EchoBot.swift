import ChatAPI
import Foundation
import SimpleXChat

/// `echo-bot [PREFIX [RELAY ...]]`: accepts everybody who asks by its address, and answers messages with their text.
/// Without relays it uses those of SIMPLEX_SMP_SERVERS, or the preset ones.
@main struct EchoBot {
  static func main() async {
    do { try await run(CommandLine.arguments.dropFirst()) } catch {
      FileHandle.standardError.write(Data("echo-bot: \(error)\n".utf8))
      exit(1)
    }
  }

  static func run(_ arguments: ArraySlice<String>) async throws {
    var options = ChatOptions(databasePrefix: arguments.first ?? "./echo")
    options.smpServers = Array(arguments.dropFirst())
    options.takeServersFromEnvironment()
    let bot = try await ChatController.open(options)
    // Messages that an earlier run received and did not answer.
    let missed = try await bot.unreadItems(count: 1_000).flatMap(\.items)
    try await bot.start(as: Profile(displayName: "Echo", fullName: ""))
    print("Its address:", try await bot.address(accepting: .automatic(welcome: .text("Send me something!"))))
    fflush(nil)  // A log shows it at once.
    for item in missed { await answer(item, by: bot) }
    for await case .result(.newChatItems(_, let items)) in bot.events {
      for item in items { await answer(item, by: bot) }
    }
  }

  static func answer(_ item: AChatItem, by bot: ChatController) async {
    guard let text = item.receivedText else { return }
    do {
      try await bot.reply(text, to: item)
      try await bot.markAsRead(item)
    } catch { print("Not answered:", error) }
  }
}
