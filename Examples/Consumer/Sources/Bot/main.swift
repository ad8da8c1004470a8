import ChatAPI
import SimpleXChat

let bot = try await ChatController.open(ChatOptions(databasePrefix: "./echo"))
try await bot.start(as: Profile(displayName: "Echo", fullName: ""))
print(try await bot.address(accepting: .automatic(welcome: .text("Welcome!"))))
for await case .result(.newChatItems(_, let items)) in bot.events {
  for item in items {
    if let text = item.receivedText { try await bot.reply(text, to: item) }
  }
}
