import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Goes on with a message that was sent as a live one.
  func beginLive(_ result: APIResult<ChatResponse>, text: String) async {
    guard case .result(.response1(.newChatItems(_, let items))) = result, let item = items.first,
      let message = LiveMessage(item, text: text)
    else { return }
    guard input.isInteractive else { return state.withLock { $0.programLives[message.itemID] = message } }
    let ticking = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: message.pause)
        if Task.isCancelled { return }
        await self?.sendLive()
      }
    }
    state.withLock { $0.live = (message, ticking) }
    input.beginLive(text, in: item.chatInfo.typedName ?? "")
  }

  /// Completes the live messages that a program began and did not complete, as they are.
  func endProgramLives() async {
    let lives = state.withLock { state in
      defer { state.programLives = [:] }
      return state.programLives.sorted { $0.key < $1.key }.map(\.value)
    }
    for live in lives { input.show(view.lines(await core.send(live.update(live.sent, isOver: true)))) }
  }

  /// Sends what was typed since. A line that became a command is not sent.
  private func sendLive() async {
    let typed = input.typed
    guard !typed.hasPrefix("/") else { return }
    let update = state.withLock { state -> (LiveMessage, String)? in
      guard var live = state.live else { return nil }
      let text = live.message.next(typed: typed)
      if let text { live.message.sent = text }
      state.live = live
      return text.map { (live.message, $0) }
    }
    guard let (message, text) = update else { return }
    if case .error(let error) = await core.send(message.update(text, isOver: false)) {
      input.show(view.lines(error, isOfCommand: true))
    }
  }

  /// Ends the live message with this text, or with what was sent of it; a no-op where there is none.
  func endLive(_ text: String?) async {
    let live = state.withLock { state in
      defer { state.live = nil }
      return state.live
    }
    guard let live else { return }
    live.ticking.cancel()
    await live.ticking.value
    let text = text.flatMap { $0.trimmed.isEmpty ? nil : $0 } ?? live.message.sent
    let command = live.message.update(text, isOver: true)
    await output.request(command) { self.input.show(self.view.lines($0)) }
  }
}
