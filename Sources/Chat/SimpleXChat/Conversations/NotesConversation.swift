import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

/// The user's notes: a conversation without recipients.
struct NotesConversation: Conversation {
  var user: User
  /// The folder of the notes.
  var folder: NoteFolder

  var chat: ChatRef { ChatRef(chatType: .local, chatId: folder.noteFolderId) }
  var info: ChatInfo { .local(noteFolder: folder) }
  var sentDirection: CIDirection { .localSnd }

  func removesItems(_ mode: CIDeleteMode) -> Bool { true }

  func origin(of item: ChatItem) -> CIForwardedFrom? { nil }

  func check(_ contents: [OutgoingContent]) throws {
    if contents.contains(where: { $0.quotedItemId != nil }) {
      throw ChatError.command("createNoteFolderContentItems: quotes not supported")
    }
  }

  func check(event: String) throws {}

  func mayEdit(_ item: ChatItem) -> Bool { true }

  func mayDelete(_ item: ChatItem, now: Date) -> Bool { true }

  func send(_ contents: [OutgoingContent], live: Bool, ttl: Int?, in turn: Turn) throws -> [AChatItem] {
    try contents.map { content in
      var item = NewItem(chat: chat, content: .sndMsgContent(msgContent: content.content))
      item.forwardedFrom = content.forwardedFrom
      item.fileId = try content.file.map { try turn.addLocalFile($0, of: user) }
      return AChatItem(chatInfo: info, chatItem: try turn.rows.createItem(item, of: user))
    }
  }

  func deliver(_ events: [ChatMessageEvent], in turn: Turn) throws {}

  func checkReactions() throws { throw ChatError.unsupported }
}
