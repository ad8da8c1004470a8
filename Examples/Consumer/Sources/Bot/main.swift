import ChatAPI
import SimpleXChat

var options = ChatOptions(databasePrefix: "./echo")
options.takeServersFromEnvironment()  // SIMPLEX_SMP_SERVERS names relays in place of the preset ones
let bot = try await ChatController.open(options)
try await bot.start(as: Profile(displayName: "Echo", fullName: ""))
print(try await bot.address(accepting: .automatic(welcome: .text("Welcome!"))))
for await case .result(.newChatItems(_, let items)) in bot.events {
  for item in items {
    if let text = item.receivedText { try await bot.reply(text, to: item) }
  }
}
