import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// How long the end of the session waits for messages that were just typed.
  private static let lastWait = Duration.seconds(2)
  /// The time after the start at which unreachable relays are reported.
  private static let relayWait = Duration.seconds(5)

  /// Shows the new status of messages, in their lines or below.
  func followDelivery(_ user: User, _ items: [AChatItem]) {
    state.withLock { $0.deliveries.update(items) }
    for item in items where item.chatItem.chatDir.sent {
      let isReplaced = input.replace(item.chatItem.meta.itemId, with: view.newItems(user, [item]))
      guard let failure = Deliveries.failure(item) else { continue }
      if isReplaced && input.isInteractive { continue }
      // A program gets the error event of the connection instead.
      switch item.chatItem.meta.itemStatus {
      case .sndErrorAuth, .sndError(.auth): if !input.isInteractive { continue }
      default: break
      }
      input.show([.error(failure)])
    }
  }

  /// Whether an item becomes read because it is shown. That can be one of another user, but not one of a muted chat, or
  /// of a user who is muted or hidden.
  func isReadByShowing(_ item: AChatItem, to user: User) -> Bool {
    let chatItem = item.chatItem
    return options.marksRead && chatItem.meta.itemStatus == .rcvNew
      && view.isShown(to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
  }

  /// Marks an item as read that is shown, where the options say so.
  func markRead(_ item: AChatItem, of user: User) async {
    guard isReadByShowing(item, to: user) else { return }
    let command = ChatCommand.apiChatItemsRead(
      type: item.chatInfo.chatType, id: item.chatInfo.apiId, scope: item.chatInfo.groupChatScope(),
      itemIds: [item.chatItem.meta.itemId])
    _ = await core.send(command)
  }

  /// Takes what a result or event says of files, and shows how much was transferred.
  func followTransfers(_ follow: (inout Transfers) -> Void) {
    let isChanged = state.withLock { state in
      let before = state.transfers.rows(of: state.view.user)
      follow(&state.transfers)
      return state.transfers.rows(of: state.view.user) != before
    }
    if isChanged { showStatusRows() }
  }

  /// Waits for messages that were just typed, and reports those that are not sent.
  func finishDeliveries() async {
    let deadline = ContinuousClock.now + Self.lastWait
    while ContinuousClock.now < deadline, !Task.isCancelled, !state.withLock({ $0.deliveries.isEmpty }) {
      try? await Task.sleep(for: .milliseconds(20))
    }
    let texts = state.withLock { [$0.deliveries.text, $0.transfers.text] }.compactMap(\.self)
    input.show(texts.map { StyledText($0) })
  }

  /// Reports once if relays cannot be reached after the start; not in the view for the reference's suite.
  func showUnreachableRelays() async {
    try? await Task.sleep(for: Self.relayWait)
    guard !Task.isCancelled, !view.isTestView, let user = view.user else { return }
    guard
      case .result(.response2(.agentSubsTotal(_, let total, _))) = await core.send(
        .getAgentSubsTotal(userId: user.userId)), total.ssPending > 0, !Task.isCancelled
    else { return }
    let what = total.ssPending == 1 ? "1 connection waits" : "\(total.ssPending) connections wait"
    input.show([
      "The relays cannot be reached: \(what) for them. What you send is kept and sent when they answer."
    ])
  }
}
