import ChatAPI
import ChatStore
import FoundationTypes

// Items that disappear at their time, items that are too old, and what was deleted leaving the database.

extension ChatController {
  /// Lets an item disappear at its time, if that is soon; what comes later is found when looking around.
  func schedule(_ item: ChatItem, in chat: ChatRef, of user: User) {
    guard let time = item.meta.itemTimed?.deleteAt else { return }
    schedule(item.meta.itemId, at: time, in: chat, of: user)
  }

  /// Lets an item disappear at its time, if that is soon.
  func schedule(_ item: Int64, at time: Date, in chat: ChatRef, of user: User) {
    guard isRunning, timedItems[item] == nil else { return }
    let pause = time.timeIntervalSinceNow
    guard pause <= Double(options.cleanupInterval) / 1_000 else { return }
    timedItems[item] = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(Int64(max(0, pause) * 1_000) + 1))
      guard !Task.isCancelled else { return }
      await self?.disappear(item, in: chat, of: user.userId)
    }
  }

  private func disappear(_ id: Int64, in chat: ChatRef, of userId: Int64) async {
    timedItems[id] = nil
    do throws(ChatError) {
      try await locked(.contact(chat.chatId)) { () throws(ChatError) in
        guard isRunning, session.isActivated, chat.chatType == .direct else { return }
        let user = try store.read { try $0.user(userId) }
        let contact = try store.read { try $0.contact(chat.chatId, of: user) }
        let item = try store.read { try $0.item(id, in: chat, of: user) }
        let deletions = try delete([item], in: contact, of: user)
        tell(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: true))
      }
    } catch .errorStore(.chatItemNotFound), .errorStore(.contactNotFound), .errorStore(.userNotFound) {
      // Somebody was faster.
    } catch {
      tell(error)
    }
  }

  /// Looks around now and then.
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

  /// Looks around no more; what was to disappear soon is found when starting again.
  func stopCleaning() {
    cleaning?.cancel()
    cleaning = nil
    for task in timedItems.values { task.cancel() }
    timedItems = [:]
  }

  /// Looks around once, outside of the usual times.
  func cleanNow() {
    Task { [weak self] in await self?.clean() }
  }

  /// Each step is a short transaction, so that nobody waits for long.
  private func clean() async {
    do throws(ChatError) {
      let soon = Date().addingTimeInterval(Double(options.cleanupInterval) / 1_000)
      for user in try store.read({ try $0.users() }) {
        for timer in try store.read({ try $0.timedItems(of: user, until: soon) }) {
          schedule(timer.itemId, at: timer.deleteAt, in: timer.chat, of: user)
        }
        for (chat, ttl) in try store.read({ try $0.chatsToExpire(of: user) }) where ttl > 0 {
          let limit = Date().addingTimeInterval(-Double(ttl))
          while try store.transaction({ try $0.deleteItems(in: chat, createdBefore: limit, of: user) }) {
            await Task.yield()
          }
        }
      }
      while try store.transaction({ try $0.purge() }) { await Task.yield() }
    } catch {
      // The databases are closed, or in trouble that commands will show.
    }
  }
}
