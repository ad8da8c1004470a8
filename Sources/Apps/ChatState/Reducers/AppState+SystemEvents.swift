import ChatAPI

extension AppState {
  /// Events of the core itself. None of them changes what is shown of chats.
  mutating func reduceSystem(_ event: ChatEvent) -> [StateEffect]? {
    switch event {
    case .chatSuspended: return [.chatSuspended]
    case .chatError(let error): return [.failed(error)]
    case .chatErrors(let errors): return errors.map { .failed($0) }
    default: return nil
    }
  }
}
