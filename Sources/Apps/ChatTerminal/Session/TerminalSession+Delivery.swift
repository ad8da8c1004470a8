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
