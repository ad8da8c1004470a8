import ChatAPI
import Foundation
import SimpleXChat

/// `echo-bot [PREFIX [RELAY ...]]`: accepts everybody who asks by its address, and answers every message with the same
/// text.
@main
struct EchoBot {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    var options = ChatOptions(databasePrefix: arguments.first ?? "./echo")
    options.smpServers = Array(arguments.dropFirst())
    do throws(ChatOpeningError) {
      let bot = try await ChatController.open(options)
      do throws(ChatError) { try await run(bot) } catch { fail(error.text) }
    } catch {
      fail(error.result.text)
    }
  }

  private static func run(_ bot: ChatController) async throws(ChatError) {
    let events = bot.events
    try await bot.start(as: Profile(displayName: "Echo", fullName: ""))
    print("Its address:", try await bot.address(accepting: .automatic(welcome: .text("Send me something!"))))
    for await case .result(.newChatItems(_, let items)) in events {
      for item in items {
        guard let text = item.receivedText else { continue }
        do throws(ChatError) { try await bot.reply(text, to: item) } catch { print("Not answered:", error.text) }
      }
    }
  }

  private static func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("echo-bot: \(reason)\n".utf8))
    exit(1)
  }
}
