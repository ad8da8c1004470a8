import ChatAPI
import ChatState
import ChatStateInProcess
import SimpleXChat

// The examples of documents, so that the build compiles them; `scripts/check-snippets` compares. Nothing runs them: the
// calls are played in `ConvenienceTests`.

private func exampleOfREADME() async throws {
  // snippet: README.md
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
  // end
}

private func exampleOfABot() async throws {
  // snippet: Sources/Chat/SimpleXChat/SimpleXChat.docc/SimpleXChat.md
  let bot = try await ChatController.open(ChatOptions(databasePrefix: "./echo"))
  try await bot.start(as: Profile(displayName: "Echo", fullName: ""))
  print(try await bot.address(accepting: .automatic(welcome: .text("Welcome!"))))
  for await case .result(.newChatItems(_, let items)) in bot.events {
    for item in items {
      guard let text = item.receivedText else { continue }
      try await bot.reply(text, to: item)
    }
  }
  // end
}

private func exampleOfFiles(_ bot: ChatController) async throws {
  // snippet: Sources/Chat/SimpleXChat/SimpleXChat.docc/SimpleXChat.md
  try await bot.sendFile("./report.pdf", to: ChatRef(chatType: .direct, chatId: 4), text: "the report")
  for await case .result(let event) in bot.events {
    switch event {
    case .newChatItems(_, let items):
      for item in items where (item.offeredFile?.fileSize ?? .max) <= 10_000_000 {
        try await bot.receiveFile(of: item, to: "./received/")
      }
    case .rcvFileComplete(_, let item): print("received", item.chatItem.file?.fileSource?.filePath ?? "")
    case .sndFileCompleteXFTP(_, _, let file): print("sent", file.fileName)
    default: break
    }
  }
  // end
}

@MainActor
private func exampleOfAnApp() async throws {
  // snippet: Sources/Apps/ChatState/ChatState.docc/ChatState.md
  let model = ChatModel()
  let options = ChatOptions(databasePrefix: "./alice")
  // Opens the databases, loads users, chats and tags, and receives events from then on.
  try await model.initChatAndMigrate { await InProcessCore.open(options) }
  if let problem = model.chatDbStatus, problem != .ok { print("The databases cannot be opened:", problem.text) }
  if model.currentUser == nil { try await model.createActiveUser(Profile(displayName: "Alice", fullName: "")) }
  // The private notes; "@2" is the contact with the number 2, "#3" a group.
  if let chat = model.getChat("*1") {
    model.im.loadOpenChat(chat.id)  // shows the chat when its items are there
    let items = try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("hello"))])
    print("sent:", items.map(\.meta.itemText))
  }
  // end
}

@MainActor
private func exampleOfPreferences(_ passphrase: String) throws {
  // snippet: Sources/Apps/ChatState/ChatState.docc/PreferencesPage.md
  let preferences = try AppPreferences.files()
  preferences.app[AppDefaults.DEFAULT_LA_LOCK_DELAY] = 60
  try preferences.secrets.set(passphrase, kcDatabasePassword)
  // end
}
