import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Shows an event of messages in their rows, as a person sees them; false where its lines are still to be shown.
  func showInRows(_ event: ChatEvent) -> Bool {
    guard input.isInteractive, !options.isTestView else { return false }
    switch event {
    case .newChatItems(let user, let items) where items.count <= 20:
      for item in items {
        let lines = view.newItems(user, [item])
        if !lines.isEmpty { followLinks([item], of: user) }
        input.show(lines, as: item.chatItem.meta.itemId)
      }
      return true
    case .chatItemReaction(let user, _, let reaction):
      guard !replaceRow(of: reaction, user), isCurrent(user) else { return true }
      // The message is not on the screen any more.
      var view = view
      view.showsReactions = true
      input.show(view.lines(event))
      return true
    case .chatItemsDeleted(let user, let deletions, _, let isTimed):
      // With a message that disappears its row does.
      return replaceRows(of: deletions, user) == deletions.count || isTimed
    default: return false
    }
  }

  /// Shows in the rows of messages what a response changed.
  func showInRows(_ response: APIResult<ChatResponse>) {
    guard input.isInteractive, !options.isTestView else { return }
    switch response {
    case .result(.response1(.chatItemReaction(let user, _, let reaction))): _ = replaceRow(of: reaction, user)
    case .result(.response1(.chatItemsDeleted(let user, let deletions, _, _))): replaceRows(of: deletions, user)
    default: break
    }
  }

  /// Shows the reactions to a message below it; false where it is not on the screen.
  private func replaceRow(of reaction: ACIReaction, _ user: User) -> Bool {
    let item = AChatItem(chatInfo: reaction.chatInfo, chatItem: reaction.chatReaction.chatItem)
    let lines = view.newItems(user, [item])
    return !lines.isEmpty && input.replace(item.chatItem.meta.itemId, with: lines)
  }

  /// Hides the texts of messages that are deleted; returns how many of them were on the screen.
  @discardableResult
  private func replaceRows(of deletions: [ChatItemDeletion], _ user: User) -> Int {
    deletions.count { deletion in
      let item = deletion.toChatItem ?? deletion.deletedChatItem
      let line = view.deletedLine(item) ?? view.gone(item)
      return input.replace(item.chatItem.meta.itemId, with: view.of(user, [line]))
    }
  }
}
