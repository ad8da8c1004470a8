import ChatAPI
import ChatState
import ChatStateInProcess
import SimpleXChat

let model = ChatModel()
let options = ChatOptions(databasePrefix: "./alice")
// Opens the databases, loads users, chats and tags, and receives events from then on.
try await model.initChatAndMigrate { await InProcessCore.open(options) }
if let problem = model.chatDbStatus, problem != .ok { print("The databases cannot be opened:", problem.text) }
if model.currentUser == nil { try await model.createActiveUser(Profile(displayName: "Alice", fullName: "")) }
if let chat = model.chats.first {
  model.im.loadOpenChat(chat.id)  // shows the chat when its items are there
  try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("hello"))])
}
