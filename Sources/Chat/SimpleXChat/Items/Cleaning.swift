import AgentCore
import ChatAPI
import ChatStore
import FoundationTypes
import SimplexAgent
import XFTPProtocol

// Cleaning: items older than their chat keeps them, purging deleted data from the database, and records that are kept
// for a limited time.

extension ChatController {
  /// Starts deleting items that are due or too old, at regular intervals.
  func startCleaning() {
    guard cleaning == nil else { return }
    let interval = options.cleanupInterval
    cleaning = Task { [weak self] in
      await self?.repairTimers()
      while !Task.isCancelled {
        await self?.clean()
        await self?.deliverMessagesAside()
        try? await Task.sleep(for: .milliseconds(interval))
      }
    }
  }

  /// Stops ``startCleaning()`` and the timer; the next start finds the items again.
  func stopCleaning() {
    cleaning?.cancel()
    cleaning = nil
    disarm()
    stopEmptyingLogs()
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

  /// Has the agent deliver the messages again that could not be handled. Those that cannot be handled yet are reported
  /// again; a start and an activation deliver them, too.
  private func deliverMessagesAside() async {
    await step("messages aside") { () throws(ChatError) in
      guard agent != nil else { return }
      try await withAgent { (agent) throws(AgentError) in try await agent.deliverMessagesAside() }
    }
  }

  private func repairTimers() async {
    await step("timers") { () throws(ChatError) in try turn { try $0.rows.repairTimers() } }
  }

  /// Runs a step of cleaning. If it fails, the others go on, and the next cleaning tries it again. The same error of a
  /// step is reported once until the step succeeds.
  func step(_ name: String, _ body: () async throws(ChatError) -> Void) async {
    do throws(ChatError) {
      try await body()
      cleaningErrors[name] = nil
    } catch {
      // Databases that were closed concurrently are no error.
      guard isRunning, session.isActivated, store.isOpen, cleaningErrors[name] != error else { return }
      cleaningErrors[name] = error
      emit(error)
    }
  }

  /// Each step consists of short turns, so that nothing else waits for long. Those that only read are turns too: reads
  /// would open databases that were closed by a suspension.
  private func clean() async {
    await step("disappearing items") { () throws(ChatError) in try armNext() }
    var users: [User] = []
    await step("users") { () throws(ChatError) in users = try turn(mayBeLost: true) { try $0.rows.users() } }
    for user in users {
      await step("expiry of \(user.userId)") { () throws(ChatError) in try await expireItems(of: user) }
      // A day, as in other clients.
      await repeated("members of \(user.userId)") { try $0.rows.deleteRemovedMembers(of: user, olderThan: 86_400) }
    }
    // A day: apps ignore calls that are older than a few minutes.
    await step("calls") { () throws(ChatError) in try turn { try $0.endUnansweredCalls(olderThan: 86_400) } }
    await repeated("purge") { try $0.rows.purge(limit: 100) }
    await step("files") { () throws(ChatError) in try await removeFiles() }
    await step("uploads of desktops") { () throws(ChatError) in try await removeUnusedUploads() }
    await step("leftovers") { () throws(ChatError) in try await removeLeftovers() }
    await step("transfers") { () throws(ChatError) in try await forgetEndedTransfers() }
    let lifetime = Double(ChunkLifetime.seconds)
    await repeated("descriptions") { try $0.rows.deleteEarlyDescriptions(olderThan: lifetime) }
    // Two weeks, as in other clients.
    await repeated("probes") { try $0.rows.deleteProbes(olderThan: 14 * 86_400) }
    // A month, as in other clients.
    await repeated("pending") { try $0.rows.deletePending(olderThan: 30 * 86_400) }
    await repeated("budgets of peers") { try $0.rows.releaseOldState(olderThan: 30 * 86_400, requestAge: 86_400) }
    await repeated("reactions") { try $0.rows.deleteEarlyReactions(olderThan: 30 * 86_400) }
    // Copies of a message come within the time that relays keep it, 21 days.
    await repeated("received") { try $0.rows.deleteReceived(olderThan: 30 * 86_400) }
    // Also where only a part was deleted.
    await emptyLogs()
  }

  /// A step that is a turn, repeated until it returns false.
  private func repeated(_ name: String, _ body: (Turn) throws -> Bool) async {
    await step(name) { () throws(ChatError) in while try turn(body) { await Task.yield() } }
  }

  /// Deletes the items of a user that are older than their chat keeps them, and their files. A chat that fails does not
  /// keep others from it.
  func expireItems(of user: User) async throws(ChatError) {
    var failure: ChatError?
    for (chat, _) in try turn(mayBeLost: true, { try $0.rows.chatsToExpire(of: user) }) {
      do throws(ChatError) {
        while try turn({ try $0.expireSomeItems(in: chat, of: user) }) { await Task.yield() }
      } catch {
        failure = failure ?? error
      }
    }
    try await removeFiles()
    if let failure { throw failure }
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
