import ChatAPI

// The lifecycle of an app that shares its databases with an extension: suspend and close in the background, reopen and
// activate in the foreground. What is shown stays.
extension ChatModel {
  /// Suspends the core: it receives nothing more, and sends what is in flight for at most `timeout`. The effect
  /// ``StateEffect/chatSuspended`` reports that it is done.
  public func suspendChat(timeout: Duration) async throws(ChatError) {
    let (seconds, attoseconds) = timeout.components
    let (whole, isTooLong) = max(0, seconds).multipliedReportingOverflow(by: 1_000_000)
    let microseconds = isTooLong ? Int64(Int32.max) : min(whole + attoseconds / 1_000_000_000_000, Int64(Int32.max))
    try await request(.apiSuspendChat(timeoutMicroseconds: Int(microseconds))) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .cmdOk = response else { throw response.unexpected }
    }
  }

  /// Activates a suspended core: it receives again.
  ///
  /// - Parameter restoreChat: Whether it receives messages even where it was not started as the main app.
  public func activateChat(restoreChat: Bool = true) async throws(ChatError) {
    try await request(.apiActivateChat(restoreChat: restoreChat)) { (response: ChatResponse2) throws(ChatError) in
      guard case .cmdOk = response else { throw response.unexpected }
    }
    try? await refreshCallInvitations()
  }

  /// Closes the databases, so that another process can open them. Call ``suspendChat(timeout:)`` first.
  public func closeStore() async throws(ChatError) { try await requireCore().closeStore() }

  /// Opens the databases again after ``closeStore()``, with the passphrase that the core keeps. Call
  /// ``activateChat(restoreChat:)`` then.
  public func reopenStore() async throws(ChatError) { try await requireCore().reopenStore() }
}
