import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Whether an item becomes read because it is shown. That can be one of another user, but not one of a muted chat, or
  /// of a user who is muted or hidden.
  func isReadByShowing(_ item: AChatItem, to user: User) -> Bool {
    let chatItem = item.chatItem
    return options.marksRead && chatItem.meta.itemStatus == .rcvNew
      && view.isShown(to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
  }

  /// Marks an item as read that is shown, where the options say so.
  func markRead(_ item: AChatItem, of user: User) async {
    guard isReadByShowing(item, to: user) || isReadByLooking(item, to: user) else { return }
    let command = ChatCommand.apiChatItemsRead(
      type: item.chatInfo.chatType, id: item.chatInfo.apiId, scope: item.chatInfo.groupChatScope(),
      itemIds: [item.chatItem.meta.itemId])
    _ = await core.send(command)
  }

  /// Whether a person reads an item that is shown: it is in the chosen chat, and they look at the terminal.
  private func isReadByLooking(_ item: AChatItem, to user: User) -> Bool {
    let chatItem = item.chatItem
    return input.isInteractive && input.isLookedAt && isCurrent(user) && chatItem.meta.itemStatus == .rcvNew
      && item.chatInfo.typedName == input.chosenChat
      && view.isShown(to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
  }

  /// Marks as read what came in the chosen chat while the person looked elsewhere.
  func markChosenRead() async {
    guard let chat = reference(input.chosenChat) else { return }
    _ = await core.send(.apiChatRead(type: chat.chatType, id: chat.chatId, scope: nil))
    countUnread()
  }

  /// Marks the chats as read that a person has written to.
  func markAnswered(_ result: APIResult<ChatResponse>) async {
    guard input.isInteractive, case .result(.response1(.newChatItems(_, let items))) = result else { return }
    for chat in Set(items.compactMap(\.chatInfo.typedReference)) {
      _ = await core.send(.apiChatRead(type: chat.chatType, id: chat.chatId, scope: nil))
    }
  }

  /// `/read`, and `/read @<name>` or `/read #<group>`: marks messages as read. False for other lines.
  func performRead(_ line: String) async -> Bool {
    guard input.isInteractive, let rest = Self.readChat(line) else { return false }
    echo(line)
    guard !rest.isEmpty else {
      let result = await core.send(.terminal(.userRead))
      input.show(result.isFailure(of: line) ? view.lines(result) : ["All messages are marked as read."])
      return true
    }
    guard let target = ChatTarget(of: rest), target.isAlone else {
      input.show(CommandHelp.lines(line) ?? [])
      return true
    }
    let chat =
      target.isContact
      ? await contact(named: target.name).map { ChatRef(chatType: .direct, chatId: $0.contactId) }
      : await group(named: target.name).map { ChatRef(chatType: .group, chatId: $0.groupId) }
    guard let chat else {
      input.show([target.isContact ? "no contact \(.contact(target.name))" : "no group \(.group(target.name))"])
      return true
    }
    let result = await core.send(.apiChatRead(type: chat.chatType, id: chat.chatId, scope: nil))
    input.show(
      result.isFailure(of: line)
        ? view.lines(result) : ["The messages of \(.from(target.prefix.trimmed)) are marked as read."])
    return true
  }

  /// The argument of `/read`; nil for other commands, such as `/read user`.
  private static func readChat(_ line: String) -> String? {
    guard line == "/read" || line.hasPrefix("/read @") || line.hasPrefix("/read #") else { return nil }
    return String(line.dropFirst("/read".count)).trimmed
  }
}
