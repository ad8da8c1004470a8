/// Reading chats, sending, editing and deleting messages (specification section 2.3).
enum MessagesCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareItems(in: &commands)
    declareForwardingAndReading(in: &commands)
  }

  private static func declareItems(in commands: inout CommandDeclarations) {
    commands.command(
      "apiGetChats", "/_get chats ",
      id("userId"), flag(" pcc="), paginationByTime.optional(), json(ChatListQuery.self).optional(),
      make: ChatCommand.apiGetChats,
      match: {
        if case .apiGetChats(let userId, let pendingConnections, let pagination, let query) = $0 {
          (userId, pendingConnections, pagination, query)
        } else {
          nil
        }
      })
    commands.command(
      "apiGetChat", "/_get chat ",
      chatId, scope, contentTag.optional(after: " content="), pagination.after(" "),
      text("search").omitted(after: " search=", when: ""),
      make: ChatCommand.apiGetChat,
      match: {
        if case .apiGetChat(let chatId, let scope, let contentTag, let pagination, let search) = $0 {
          (chatId, scope, contentTag, pagination, search)
        } else {
          nil
        }
      })
    commands.command(
      "apiGetChatContentTypes", "/_get content types ",
      chatId, scope,
      make: ChatCommand.apiGetChatContentTypes,
      match: { if case .apiGetChatContentTypes(let chatId, let scope) = $0 { (chatId, scope) } else { nil } })
    commands.command(
      "apiGetChatItemInfo", "/_get item info ",
      chatType, id("chatId"), scope, id("itemId").after(" "),
      make: ChatCommand.apiGetChatItemInfo,
      match: {
        if case .apiGetChatItemInfo(let type, let id, let scope, let itemId) = $0 {
          (type, id, scope, itemId)
        } else {
          nil
        }
      })
    commands.command(
      "apiSendMessages", "/_send ",
      sendType, id("chatId"), scope, asGroup, flag(" live="), ttl, onOff.omitted(after: " sign=", when: false),
      composedMessages.after(" "),
      make: ChatCommand.apiSendMessages,
      match: {
        if case .apiSendMessages(
          let type, let id, let scope, let sendAsGroup, let live, let ttl, let signMessages, let composedMessages) = $0
        {
          (type, id, scope, sendAsGroup, live, ttl, signMessages, composedMessages)
        } else {
          nil
        }
      })
    commands.command(
      "apiCreateChatItems", "/_create *",
      id("noteFolderId"), composedMessages.after(" "),
      make: ChatCommand.apiCreateChatItems,
      match: {
        if case .apiCreateChatItems(let noteFolderId, let composedMessages) = $0 {
          (noteFolderId, composedMessages)
        } else {
          nil
        }
      })
    commands.command(
      "apiUpdateChatItem", "/_update item ",
      chatType, id("chatId"), scope, id("itemId").after(" "), flag(" live="), updatedMessage.after(" "),
      make: { type, id, scope, itemId, live, updatedMessage in
        .apiUpdateChatItem(type: type, id: id, scope: scope, itemId: itemId, updatedMessage: updatedMessage, live: live)
      },
      match: {
        if case .apiUpdateChatItem(let type, let id, let scope, let itemId, let updatedMessage, let live) = $0 {
          (type, id, scope, itemId, live, updatedMessage)
        } else {
          nil
        }
      })
    commands.command(
      "apiDeleteChatItem", "/_delete item ",
      chatType, id("chatId"), scope, ids("itemId").after(" "), deleteMode.after(" "),
      make: ChatCommand.apiDeleteChatItem,
      match: {
        if case .apiDeleteChatItem(let type, let id, let scope, let itemIds, let mode) = $0 {
          (type, id, scope, itemIds, mode)
        } else {
          nil
        }
      })
    commands.command(
      "apiDeleteMemberChatItem", "/_delete member item #",
      id("groupId"), ids("itemId").after(" "),
      make: ChatCommand.apiDeleteMemberChatItem,
      match: { if case .apiDeleteMemberChatItem(let groupId, let itemIds) = $0 { (groupId, itemIds) } else { nil } })
    commands.command(
      "apiChatItemReaction", "/_reaction ",
      chatType, id("chatId"), scope, id("itemId").after(" "), onOff.after(" "), reaction.after(" "),
      make: ChatCommand.apiChatItemReaction,
      match: {
        if case .apiChatItemReaction(let type, let id, let scope, let itemId, let add, let reaction) = $0 {
          (type, id, scope, itemId, add, reaction)
        } else {
          nil
        }
      })
    commands.command(
      "apiGetReactionMembers", "/_reaction members ",
      id("userId"), id("groupId").after(" #"), id("itemId").after(" "), reaction.after(" "),
      make: ChatCommand.apiGetReactionMembers,
      match: {
        if case .apiGetReactionMembers(let userId, let groupId, let itemId, let reaction) = $0 {
          (userId, groupId, itemId, reaction)
        } else {
          nil
        }
      })
  }

  private static func declareForwardingAndReading(in commands: inout CommandDeclarations) {
    commands.command(
      "apiPlanForwardChatItems", "/_forward plan ",
      chatType, id("chatId"), scope, ids("itemId").after(" "),
      make: ChatCommand.apiPlanForwardChatItems,
      match: {
        if case .apiPlanForwardChatItems(let fromChatType, let fromChatId, let fromScope, let itemIds) = $0 {
          (fromChatType, fromChatId, fromScope, itemIds)
        } else {
          nil
        }
      })
    commands.command(
      "apiForwardChatItems", "/_forward ",
      chatType, id("chatId"), scope, onOff.omitted(after: " as_group=", when: false), chatType.after(" "),
      id("fromChatId"), scope, ids("itemId").after(" "), ttl,
      make: ChatCommand.apiForwardChatItems,
      match: {
        if case .apiForwardChatItems(
          let toChatType, let toChatId, let toScope, let sendAsGroup, let fromChatType, let fromChatId, let fromScope,
          let itemIds, let ttl) = $0
        {
          (toChatType, toChatId, toScope, sendAsGroup, fromChatType, fromChatId, fromScope, itemIds, ttl)
        } else {
          nil
        }
      })
    commands.command(
      "apiReportMessage", "/_report #",
      id("groupId"), id("chatItemId").after(" "), reportReason.after(" reason="),
      text("text").omitted(after: " ", when: ""),
      make: ChatCommand.apiReportMessage,
      match: {
        if case .apiReportMessage(let groupId, let chatItemId, let reportReason, let reportText) = $0 {
          (groupId, chatItemId, reportReason, reportText)
        } else {
          nil
        }
      })
    commands.command(
      "apiChatRead", "/_read chat ",
      chatType, id("chatId"), scope,
      make: ChatCommand.apiChatRead,
      match: { if case .apiChatRead(let type, let id, let scope) = $0 { (type, id, scope) } else { nil } })
    commands.command(
      "apiChatItemsRead", "/_read chat items ",
      chatType, id("chatId"), scope, ids("itemId").after(" "),
      make: ChatCommand.apiChatItemsRead,
      match: {
        if case .apiChatItemsRead(let type, let id, let scope, let itemIds) = $0 {
          (type, id, scope, itemIds)
        } else {
          nil
        }
      })
    commands.command(
      "apiChatUnread", "/_unread chat ",
      chatType, id("chatId"), onOff.after(" "),
      make: ChatCommand.apiChatUnread,
      match: { if case .apiChatUnread(let type, let id, let unreadChat) = $0 { (type, id, unreadChat) } else { nil } })
    commands.command(
      "apiArchiveReceivedReports", "/_archive reports #",
      id("groupId"),
      make: ChatCommand.apiArchiveReceivedReports,
      match: { if case .apiArchiveReceivedReports(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiDeleteReceivedReports", "/_delete reports #",
      id("groupId"), ids("itemId").after(" "), deleteMode.after(" "),
      make: ChatCommand.apiDeleteReceivedReports,
      match: {
        if case .apiDeleteReceivedReports(let groupId, let itemIds, let mode) = $0 {
          (groupId, itemIds, mode)
        } else {
          nil
        }
      })
    commands.command(
      "apiShareChatMsgContent", "/_share chat content ",
      chatType, id("chatId"), sendType.after(" "), id("chatId"), scope, asGroup,
      make: ChatCommand.apiShareChatMsgContent,
      match: {
        if case .apiShareChatMsgContent(
          let shareChatType, let shareChatId, let toChatType, let toChatId, let toScope, let sendAsGroup) = $0
        {
          (shareChatType, shareChatId, toChatType, toChatId, toScope, sendAsGroup)
        } else {
          nil
        }
      })
    commands.command(
      "apiGetChatItems", "/_get items ",
      pagination, text("search").optional(after: " search="),
      make: ChatCommand.apiGetChatItems,
      match: { if case .apiGetChatItems(let pagination, let search) = $0 { (pagination, search) } else { nil } })
    commands.command(
      "apiUserRead", "/_read user ",
      id("userId"),
      make: ChatCommand.apiUserRead,
      match: { if case .apiUserRead(let userId) = $0 { userId } else { nil } })
  }
}
