import ChatAPI

extension ChatController {
  /// Looks for the desktops that this device knows, connects to them and verifies by itself, as the settings allow it,
  /// until the task is cancelled or the controller closed: a session that was lost begins again without a hand. For
  /// programs without a person; apps do the same with the preferences of their user.
  public func followKnownDesktops(_ settings: KnownDesktopSearch.Settings) async {
    var search = KnownDesktopSearch(settings)
    let events = eventQueue.observer()
    var step = search.begin()
    while !Task.isCancelled {
      switch step {
      case .send(let command):
        switch await send(command) {
        case .error(let error): step = search.finished(command, error: error)
        case .result, .invalid: step = search.finished(command, error: nil)
        }
      case .pause(let time):
        let end = ContinuousClock.now + time
        step = nil
        while step == nil, !events.isClosed, ContinuousClock.now < end,
          let event = await events.next(within: end - .now)
        {
          step = search.event(event)
        }
        if events.isClosed { return }
        if step == nil { step = search.pauseIsOver() }
      case nil:
        guard let event = await events.next() else { return }
        step = search.event(event)
      }
    }
  }
}

extension KnownDesktopSearch {
  /// Takes an event or an error.
  fileprivate mutating func event(_ event: APIResult<ChatEvent>) -> Step? {
    guard case .result(let event) = event else { return nil }
    return self.event(event)
  }
}
