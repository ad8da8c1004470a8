import ChatAPI
import ChatStore
import FoundationTypes

// Items that disappear. One timer runs, for the item that disappears next; the turn that it starts deletes all items
// that are due.

extension ChatController {
  /// Starts the timer for something that disappears at `time`; no-op where it is set for an earlier time.
  func arm(at time: Date) {
    guard isRunning, session.isActivated else { return }
    if let disappearing, disappearing.time <= time { return }
    disappearing?.task.cancel()
    // No longer than cleaning waits: the clock may be changed.
    let pause = min(max(0, time.timeIntervalSince(options.clock())), Double(options.cleanupInterval) / 1_000)
    let task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(Int64(pause * 1_000) + 1))
      guard !Task.isCancelled else { return }
      await self?.disappear()
    }
    disappearing = (time, task)
  }

  /// Starts the timer for what disappears next, and deletes what is due.
  func armNext() throws(ChatError) {
    if let next = try turn(mayBeLost: true, { try $0.rows.nextTimer() }) { arm(at: next) }
  }

  private func disappear() async {
    disappearing = nil
    guard isRunning, session.isActivated else { return }
    var count = 0
    // The next cleaning retries a deletion that fails.
    await step("disappearing") { () throws(ChatError) in
      var last = 0
      repeat {
        last = try turn { try $0.deleteDueItems() }
        count += last
        await Task.yield()
      } while last >= Turn.dueLimit
      try armNext()
    }
    if count > 0 { await emptyLogs() }
  }

  /// Stops the timer; ``armNext()`` starts it again.
  func disarm() {
    disappearing?.task.cancel()
    disappearing = nil
  }
}

extension Turn {
  /// The most items that disappear in one turn.
  fileprivate static var dueLimit: Int { 50 }

  /// Deletes some of the items whose time to live is over, with an event for each, and all such elements of messages
  /// that were not understood.
  /// - Returns: how many; ``dueLimit`` or more where more may be left.
  fileprivate func deleteDueItems() throws -> Int {
    let kept = try rows.deleteDueKept()
    let due = try rows.dueItems(limit: Self.dueLimit)
    var rest = due
    while let first = rest.first {
      let together = rest.filter { $0.chat == first.chat && $0.userId == first.userId }
      rest.removeAll { $0.chat == first.chat && $0.userId == first.userId }
      do {
        try savepoint { try deleteDue(together, in: first.chat, ofUser: first.userId) }
      } catch {
        if rows.hadOutage { throw error }
        // The chat cannot be shown, so no event reports its items.
        try rows.deleteUnshown(together)
        purgeSoon()
      }
    }
    return due.count + kept
  }

  private func deleteDue(_ due: [DueItem], in chat: ChatRef?, ofUser id: Int64) throws {
    guard let chat else {
      purgeSoon()
      return try rows.deleteUnshown(due)
    }
    let user = try rows.user(id)
    let conversation = try conversation(chat.chatType, chat.chatId, scope: chat.chatScope, of: user)
    let items = try due.map { try rows.item($0.itemId, in: chat, of: user) }
    for deletion in try delete(items, in: chat, info: conversation.info, of: user) {
      emit(.chatItemsDeleted(user: user, chatItemDeletions: [deletion], byUser: true, timed: true))
    }
  }
}
