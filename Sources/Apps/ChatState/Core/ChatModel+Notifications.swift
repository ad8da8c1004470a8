import ChatAPI

// Push notifications: the token of this device at its notification server.
extension ChatModel {
  /// Takes the token that the system gave this device, and registers it, unless that was done since the program was
  /// started or pushes are off. The notification server then pushes a code: ``verifyToken(nonce:code:)``.
  public func registerToken(_ token: DeviceToken) async throws(ChatError) {
    deviceToken = token
    guard notificationMode != .off, !(tokenRegistered && savedToken == token) else { return }
    try await register(token, mode: notificationMode)
  }

  /// Proves with the code of a push that it was this device that registered.
  public func verifyToken(nonce: String, code: String) async throws(ChatError) {
    guard let token = deviceToken ?? savedToken else { return }
    try await request(.apiVerifyToken(token: token, nonce: nonce, code: code)) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .cmdOk = response else { throw response.unexpected }
      self.update { state in
        state.notifications.registered(.active)
        state.changes.insert(.notifications)
      }
    }
  }

  /// Chooses how messages are announced: `off` deletes the token.
  public func setNotificationMode(_ mode: NotificationsMode) async throws(ChatError) {
    guard mode != .off else { return try await deleteToken() }
    if let token = deviceToken ?? savedToken { try await register(token, mode: mode) }
    notificationMode = mode
  }

  private func register(_ token: DeviceToken, mode: NotificationsMode) async throws(ChatError) {
    try await request(.apiRegisterToken(token: token, notificationMode: mode)) {
      (response: ChatResponse2) throws(ChatError) in
      guard case .ntfTokenStatus(let status) = response else { throw response.unexpected }
      self.update { state in
        state.notifications.deviceToken = token
        state.notifications.registered(status)
        state.changes.insert(.notifications)
      }
    }
  }

  private func deleteToken() async throws(ChatError) {
    if let token = savedToken {
      try await request(.apiDeleteToken(token: token)) { (response: ChatResponse2) throws(ChatError) in
        guard case .cmdOk = response else { throw response.unexpected }
      }
    }
    update { state in
      state.notifications.savedToken = nil
      state.notifications.tokenRegistered = false
      state.notifications.tokenStatus = nil
      state.notifications.notificationServer = nil
      state.notifications.notificationMode = .off
      state.changes.insert(.notifications)
    }
  }
}
