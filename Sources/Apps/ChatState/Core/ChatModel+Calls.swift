import ChatAPI

// Calls: those that wait for an answer, and those that are over.
extension ChatModel {
  /// Loads the calls that wait for an answer. Calls that came while the app was suspended ring, or were missed.
  public func refreshCallInvitations() async throws(ChatError) {
    try await request(.apiGetCallInvitations) { (response: ChatResponse2) throws(ChatError) in
      guard case .callInvitations(let invitations) = response else { throw response.unexpected }
      let now = self.now()
      self.perform(self.update { $0.refreshCalls(invitations, at: now) })
    }
  }

  /// Ends a call that this app does not have, so that the contact does not wait.
  func endCall(with contact: Contact) {
    guard core != nil else { return }
    Task { @MainActor [weak self] in
      do throws(ChatError) {
        _ = try await self?.requireCore().response(.apiEndCall(contact: contact), as: ChatResponse2.self)
      } catch {
        // The call may be over by now.
        if case .error(.noCurrentCall) = error { return }
        self?.onEffect(.failed(error))
      }
    }
  }

  /// Waits until the first of the calls that nobody answers is over, in the place of another such wait.
  func awaitCallExpiry() {
    callExpiry?.cancel()
    guard let end = state.calls.firstEnd else { return callExpiry = nil }
    let (clock, wait) = (clock, Duration.seconds(max(0, end.timeIntervalSince(now()))))
    callExpiry = Task { @MainActor [weak self] in
      try? await clock.sleep(for: wait)
      guard !Task.isCancelled, let self else { return }
      let now = now()
      perform(update { $0.expireCalls(at: now) })
    }
  }
}
