/// Labels on chats (specification section 2.6).
enum ChatTagsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiGetChatTags", "/_get tags ",
      id("userId"),
      make: ChatCommand.apiGetChatTags,
      match: { if case .apiGetChatTags(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiCreateChatTag", "/_create tag ",
      json(ChatTagData.self),
      make: ChatCommand.apiCreateChatTag,
      match: { if case .apiCreateChatTag(let tag) = $0 { tag } else { nil } })
    commands.command(
      "apiSetChatTags", "/_tags ",
      chatType, id("chatId"), ids("tagId").omitted(after: " ", when: []),
      make: ChatCommand.apiSetChatTags,
      match: { if case .apiSetChatTags(let type, let id, let tagIds) = $0 { (type, id, tagIds) } else { nil } })
    commands.command(
      "apiDeleteChatTag", "/_delete tag ",
      id("tagId"),
      make: ChatCommand.apiDeleteChatTag,
      match: { if case .apiDeleteChatTag(let tagId) = $0 { tagId } else { nil } })
    commands.command(
      "apiUpdateChatTag", "/_update tag ",
      id("tagId"), json(ChatTagData.self).after(" "),
      make: ChatCommand.apiUpdateChatTag,
      match: { if case .apiUpdateChatTag(let tagId, let tagData) = $0 { (tagId, tagData) } else { nil } })
    commands.command(
      "apiReorderChatTags", "/_reorder tags ",
      ids("tagId"),
      make: ChatCommand.apiReorderChatTags,
      match: { if case .apiReorderChatTags(let tagIds) = $0 { tagIds } else { nil } })
  }
}
