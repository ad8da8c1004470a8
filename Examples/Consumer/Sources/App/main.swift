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
// The private notes; "@2" is the contact with the number 2, "#3" a group.
if let chat = model.getChat("*1") {
  model.im.loadOpenChat(chat.id)  // shows the chat when its items are there
  let items = try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("hello"))])
  print("sent:", items.map(\.meta.itemText))
}
