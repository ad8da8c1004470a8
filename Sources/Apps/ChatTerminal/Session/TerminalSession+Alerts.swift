import ChatAPI
import SimpleXChat

/// Alerts and the title of the window, for a person who looks elsewhere.
extension TerminalSession {
  /// The shortest time between two alerts; those in between are dropped.
  private static let alertPause = Duration.seconds(1)
  /// How long further changes are waited for before messages are counted.
  private static let countPause = Duration.milliseconds(300)

  private var alerts: Bool { input.isInteractive && options.alerts && !options.isTestView }

  /// Alerts for direct messages, mentions and calls, unless the window has the keyboard.
  func alert(_ event: ChatEvent) {
    guard alerts else { return }
    switch event {
    case .newChatItems(let user, let items):
      guard let item = items.last(where: { isForAlert($0, to: user) }) else { return }
      alert(item.chatInfo, Self.text(of: item.chatItem))
    case .callInvitation(let invitation):
      guard invitation.user.showNtfs || invitation.user.activeUser else { return }
      alert(.direct(contact: invitation.contact), "calls")
    default: return
    }
  }

  private func isForAlert(_ item: AChatItem, to user: User) -> Bool {
    let chatItem = item.chatItem
    if case .directRcv = chatItem.chatDir {} else if !chatItem.meta.userMention { return false }
    return chatItem.content.msgContent != nil
      && view.isShown(to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
  }

  /// The text of an item; `…` in the place of parts that its author marked as secret.
  static func text(of item: ChatItem) -> String {
    item.formattedText?.map { $0.format == .secret ? "…" : $0.text }.joined() ?? item.meta.itemText
  }

  private func alert(_ chat: ChatInfo, _ text: String) {
    guard !input.isLookedAt, let name = chat.typedName else { return }
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.lastAlert, now - last < Self.alertPause { return false }
      state.lastAlert = now
      return true
    }
    if isDue { input.alert(TerminalAlert(title: name.trimmed, text: text)) }
  }

  /// Counts the messages that are not read, soon, for the title of the window.
  func countUnread() {
    guard alerts else { return }
    let isFirst = state.withLock { state in
      defer { state.isCounting = true }
      return !state.isCounting
    }
    guard isFirst else { return }
    Task {
      try? await Task.sleep(for: Self.countPause)
      let isOver = state.withLock { state in
        state.isCounting = false
        return state.isOver
      }
      guard !isOver, case .result(.response0(.usersList(let users))) = await core.send(.listUsers) else { return }
      let counted = users.filter { $0.user.activeUser || $0.user.showNtfs }
      input.showUnread(counted.reduce(0) { $0 + $1.unreadCount })
    }
  }
}
