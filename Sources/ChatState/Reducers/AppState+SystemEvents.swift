import ChatAPI

extension AppState {
  /// Events of the core itself. None of them changes what is shown of chats.
  mutating func reduceSystem(_ event: ChatEvent) -> [StateEffect]? {
    if case .chatSuspended = event { return [.chatSuspended] }
    return nil
  }
}
