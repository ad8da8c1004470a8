import WireCodec

/// Messages and files.
enum MessagesTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareMessages(in: &commands)
    declareLists(in: &commands)
  }

  /// The author of a quoted message, if it is said; the quoted text is in brackets.
  private static var quotedAuthor: Argument<String?> {
    let author = memberName.optional(after: " ")
    return Argument(
      author.usage,
      read: { (reader) throws(WireError) -> String? in
        var ahead = reader
        return ahead.take(" (") ? nil : try author.read(&reader)
      },
      write: author.write)
  }

  private static func declareMessages(in commands: inout CommandDeclarations) {
    commands.terminal(
      "sendMessage", "", signs: ["@", "#", "/*"], recipient, newMessage.after(" "),
      make: TerminalCommand.sendMessage,
      match: { if case .sendMessage(let to, let text) = $0 { (to, text) } else { nil } })
    commands.terminal(
      "sendMemberContactMessage", "@#", name("group"), memberName.after(" "), message().after(" "),
      make: TerminalCommand.sendMemberContactMessage,
      match: {
        if case .sendMemberContactMessage(let group, let member, let text) = $0 { (group, member, text) } else { nil }
      })
    commands.terminal(
      "sendLiveMessage", "/live ", chatName, text("message").omitted(after: " ", when: ""),
      make: TerminalCommand.sendLiveMessage,
      match: { if case .sendLiveMessage(let chat, let text) = $0 { (chat, text) } else { nil } })
    commands.terminal(
      "sendMessageQuote", ">@", or: ["> @"], name("contact"), quotedText.after(" "), message(),
      make: TerminalCommand.sendMessageQuote,
      match: {
        if case .sendMessageQuote(let contact, let quoted, let text) = $0 { (contact, quoted, text) } else { nil }
      })
    commands.terminal(
      "sendOwnMessageQuote", ">>@", or: [">> @"], name("contact"), quotedText.after(" "), message(),
      make: TerminalCommand.sendOwnMessageQuote,
      match: {
        if case .sendOwnMessageQuote(let contact, let quoted, let text) = $0 { (contact, quoted, text) } else { nil }
      })
    commands.terminal(
      "sendGroupMessageQuote", ">#", or: ["> #"], name("group"), quotedAuthor,
      quotedText.after(" "), message(),
      make: TerminalCommand.sendGroupMessageQuote,
      match: {
        if case .sendGroupMessageQuote(let group, let member, let quoted, let text) = $0 {
          (group, member, quoted, text)
        } else {
          nil
        }
      })
    commands.terminal(
      "sendMessageBroadcast", "/feed ", message(),
      make: TerminalCommand.sendMessageBroadcast,
      match: { if case .sendMessageBroadcast(let text) = $0 { text } else { nil } })
    commands.terminal(
      "forwardMessage", "", signs: ["@", "#", "*", ":"], chatName, name("contact").after(" <- @"), message().after(" "),
      make: TerminalCommand.forwardMessage,
      match: { if case .forwardMessage(let to, let contact, let text) = $0 { (to, contact, text) } else { nil } })
    commands.terminal(
      "forwardGroupMessage", "", signs: ["@", "#", "*", ":"], chatName, name("group").after(" <- #"),
      name("member").optional(after: " @"), unsignedMessage.after(" "),
      make: TerminalCommand.forwardGroupMessage,
      match: {
        if case .forwardGroupMessage(let to, let group, let member, let text) = $0 {
          (to, group, member, text)
        } else {
          nil
        }
      })
    commands.terminal(
      "forwardLocalMessage", "", signs: ["@", "#", "*", ":"], chatName, message().after(" <- * "),
      make: TerminalCommand.forwardLocalMessage,
      match: { if case .forwardLocalMessage(let to, let text) = $0 { (to, text) } else { nil } })
    commands.terminal(
      "editMessage", "!", or: ["! "], chatName, quotedText.optional(), unquotedMessage.after(" ").or(unquotedMessage),
      make: TerminalCommand.editMessage,
      match: { if case .editMessage(let chat, let edited, let text) = $0 { (chat, edited, text) } else { nil } })
    commands.terminal(
      "deleteMessage", "\\", or: ["\\ "], chatName, text("message").after(" "),
      make: TerminalCommand.deleteMessage,
      match: { if case .deleteMessage(let chat, let text) = $0 { (chat, text) } else { nil } })
    commands.terminal(
      "deleteMemberMessage", "\\\\#", or: ["\\\\ #"], name("group"), memberName.after(" "), text("message").after(" "),
      make: TerminalCommand.deleteMemberMessage,
      match: {
        if case .deleteMemberMessage(let group, let member, let text) = $0 { (group, member, text) } else { nil }
      })
    commands.terminal(
      "reactToMessage", "", signs: ["+", "-"], addOrRemove, emoji, chatOrContactName.after(" "),
      text("message").after(" "),
      make: TerminalCommand.reactToMessage,
      match: {
        if case .reactToMessage(let add, let reaction, let chat, let text) = $0 {
          (add, reaction, chat, text)
        } else {
          nil
        }
      })
  }

  private static func declareLists(in commands: inout CommandDeclarations) {
    commands.terminal(
      "reportMessage", "/report #", name("group"), name("member").optional(after: " @"), reportReason.after(" "),
      message().after(" "),
      make: TerminalCommand.reportMessage,
      match: {
        if case .reportMessage(let group, let member, let reason, let text) = $0 {
          (group, member, reason, text)
        } else {
          nil
        }
      })
    commands.terminal(
      "clearNoteFolder", "/clear *",
      make: { .clearNoteFolder }, match: { if case .clearNoteFolder = $0 { () } else { nil } })
    commands.terminal(
      "lastChats", "/chats", or: ["/cs"], number("count").orWord("all").optional(after: " ", default: 20),
      make: TerminalCommand.lastChats, match: { if case .lastChats(let count) = $0 { .some(count) } else { nil } })
    commands.terminal(
      "lastMessages", "/tail", or: ["/t"], chatName.optional(), number("count").optional(after: " ", default: 10),
      make: TerminalCommand.lastMessages,
      match: { if case .lastMessages(let chat, let count) = $0 { (chat, count) } else { nil } })
    commands.terminal(
      "searchMessages", "/search", or: ["/?"], chatName.optional(), number("count").optional(after: " ", default: 10),
      text("text").after(" "),
      make: TerminalCommand.searchMessages,
      match: { if case .searchMessages(let chat, let count, let search) = $0 { (chat, count, search) } else { nil } })
    commands.terminal(
      "lastChatItemId", "/last_item_id", chatName.optional(), number("index").optional(after: " ", default: 0),
      make: TerminalCommand.lastChatItemId,
      match: { if case .lastChatItemId(let chat, let index) = $0 { (chat, index) } else { nil } })
    commands.terminal(
      "showChatItem", "/show ", id("itemId"),
      make: TerminalCommand.showChatItem,
      match: { if case .showChatItem(let itemId) = $0 { itemId } else { nil } })
    commands.terminal(
      "showLiveItems", "/show", onOff.optional(after: " ", default: true),
      make: TerminalCommand.showLiveItems,
      match: { if case .showLiveItems(let show) = $0 { show } else { nil } })
    commands.terminal(
      "showChatItemInfo", "/item info ", chatName, message().after(" "),
      make: TerminalCommand.showChatItemInfo,
      match: { if case .showChatItemInfo(let chat, let text) = $0 { (chat, text) } else { nil } })
    commands.terminal(
      "sendFile", "/file ", or: ["/f "], chatOrContactName, cryptoFile.after(" "),
      make: TerminalCommand.sendFile,
      match: { if case .sendFile(let chat, let file) = $0 { (chat, file) } else { nil } })
    commands.terminal(
      "sendImage", "/image ", or: ["/img "], chatOrContactName, cryptoFile.after(" "),
      make: TerminalCommand.sendImage,
      match: { if case .sendImage(let chat, let file) = $0 { (chat, file) } else { nil } })
    commands.terminal(
      "forwardFile", "/fforward ", or: ["/ff "], chatOrContactName, id("fileId").after(" "),
      make: TerminalCommand.forwardFile,
      match: { if case .forwardFile(let chat, let fileId) = $0 { (chat, fileId) } else { nil } })
    commands.terminal(
      "forwardImage", "/image_forward ", or: ["/imgf "], chatOrContactName, id("fileId").after(" "),
      make: TerminalCommand.forwardImage,
      match: { if case .forwardImage(let chat, let fileId) = $0 { (chat, fileId) } else { nil } })
    commands.terminal(
      "sendFileDescription", "/fdescription ", or: ["/fd "], chatOrContactName, text("path").after(" "),
      make: TerminalCommand.sendFileDescription,
      match: { if case .sendFileDescription(let chat, let path) = $0 { (chat, path) } else { nil } })
    commands.terminal(
      "fileStatus", "/fstatus ", or: ["/fs "], id("fileId"),
      make: TerminalCommand.fileStatus,
      match: { if case .fileStatus(let fileId) = $0 { fileId } else { nil } })
  }
}
