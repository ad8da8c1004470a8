import ChatAPI
import ChatStore
import FoundationTypes
import XFTPProtocol

// Disappearing items, items older than their chat keeps them, and purging deleted data from the database.

extension ChatController {
  /// Starts the timer of a disappearing item, if it is due before the next cleaning (``startCleaning()``).
  func arm(_ timer: ItemTimer) {
    guard isRunning, timedItems[timer.item] == nil else { return }
    let pause = timer.time.timeIntervalSince(options.clock())
    guard pause <= Double(options.cleanupInterval) / 1_000 else { return }
    timedItems[timer.item] = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(Int64(max(0, pause) * 1_000) + 1))
      guard !Task.isCancelled else { return }
      await self?.disappear(timer)
    }
  }

  private func disappear(_ timer: ItemTimer) {
    timedItems[timer.item] = nil
    guard isRunning, session.isActivated else { return }
    do throws(ChatError) {
      try turn { turn in
        let user = try turn.rows.user(timer.userId)
        let conversation = try turn.conversation(
          timer.chat.chatType, timer.chat.chatId, scope: timer.chat.chatScope, of: user)
        let item = try turn.rows.item(timer.item, in: timer.chat, of: user)
        let deletions = try turn.delete([item], in: timer.chat, info: conversation.info, of: user)
        turn.emit(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: true))
      }
    } catch .errorStore(.chatItemNotFound), .errorStore(.contactNotFound), .errorStore(.groupNotFound),
      .errorStore(.groupMemberNotFound), .errorStore(.userNotFound)
    {
      // It was deleted meanwhile.
    } catch {
      emit(error)
    }
  }

  /// Starts deleting items that are due or too old, at regular intervals.
  func startCleaning() {
    guard cleaning == nil else { return }
    let interval = options.cleanupInterval
    cleaning = Task { [weak self] in
      while !Task.isCancelled {
        await self?.clean()
        try? await Task.sleep(for: .milliseconds(interval))
      }
    }
  }

  /// Stops ``startCleaning()`` and all timers; the next start finds the items again.
  func stopCleaning() {
    cleaning?.cancel()
    cleaning = nil
    for task in timedItems.values { task.cancel() }
    timedItems = [:]
  }

  /// Cleans once, outside of the regular intervals.
  func cleanNow() {
    guard !cleansSoon else { return }
    cleansSoon = true
    Task { [weak self] in await self?.cleanOnce() }
  }

  private func cleanOnce() async {
    cleansSoon = false
    await clean()
  }

  /// Each step is a short turn, so that nothing else waits for long. Those that only read are turns too, because reads
  /// would open databases that were closed by a suspension.
  private func clean() async {
    do throws(ChatError) {
      let soon = options.clock().addingTimeInterval(Double(options.cleanupInterval) / 1_000)
      for user in try turn(mayBeLost: true, { try $0.rows.users() }) {
        for timer in try turn(mayBeLost: true, { try $0.rows.timedItems(of: user, until: soon) }) {
          arm(ItemTimer(item: timer.itemId, time: timer.deleteAt, chat: timer.chat, userId: user.userId))
        }
        try await expireItems(of: user)
        // A day, as in other clients.
        while try turn({ try $0.rows.deleteRemovedMembers(of: user, olderThan: 86_400) }) { await Task.yield() }
      }
      while try turn({ try $0.rows.purge(limit: 100) }) { await Task.yield() }
      try await removeFiles()
      try await forgetEndedTransfers()
      let lifetime = Double(ChunkLifetime.seconds)
      while try turn({ try $0.rows.deleteEarlyDescriptions(olderThan: lifetime) }) { await Task.yield() }
      // Two weeks, as in other clients.
      while try turn({ try $0.rows.deleteProbes(olderThan: 14 * 86_400) }) { await Task.yield() }
      // A month, as in other clients.
      while try turn({ try $0.rows.deletePending(olderThan: 30 * 86_400) }) { await Task.yield() }
      while try turn({ try $0.rows.releaseOldState(olderThan: 30 * 86_400) }) { await Task.yield() }
      while try turn({ try $0.rows.deleteEarlyReactions(olderThan: 30 * 86_400) }) { await Task.yield() }
      // Copies of a message come within the time that relays keep it, 21 days.
      while try turn({ try $0.rows.deleteReceived(olderThan: 30 * 86_400) }) { await Task.yield() }
    } catch {
      // The databases are closed, or in trouble that commands will show.
    }
  }

  /// Deletes the items of a user that are older than their chat keeps them, and their files.
  func expireItems(of user: User) async throws(ChatError) {
    for (chat, _) in try turn(mayBeLost: true, { try $0.rows.chatsToExpire(of: user) }) {
      while try turn({ try $0.expireSomeItems(in: chat, of: user) }) { await Task.yield() }
    }
    try await removeFiles()
  }
}

extension Turn {
  /// Deletes some of the items that are older than their chat keeps them now: the user may choose to keep the rest
  /// while many are being deleted.
  /// - Returns: whether more are left.
  fileprivate func expireSomeItems(in chat: ChatRef, of user: User) throws -> Bool {
    let ttl = try rows.currentItemTTL(of: chat, of: user)
    guard ttl > 0 else { return false }
    return try rows.deleteItems(in: chat, createdBefore: rows.now.addingTimeInterval(-Double(ttl)), of: user)
  }
}
