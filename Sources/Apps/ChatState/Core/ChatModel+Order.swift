import ChatAPI

// Responses and events change the state in the core's order.
extension ChatModel {
  /// Sends a command, and takes its response at its place among the events: what `take` does to the state is done after
  /// all that the response knows of, and before anything else. For commands that the model has no method for.
  ///
  /// - Returns: The value that `take` returns.
  /// - Throws: The core's error, or that of `take`.
  @discardableResult
  public func request<R: ChatAPIResult, Value: Sendable>(
    _ command: ChatCommand, _ take: @escaping @MainActor (R) throws(ChatError) -> Value
  ) async throws(ChatError) -> Value {
    let outcome: Result<Value, ChatError> = await result(of: command) { (result: APIResult<R>) in
      guard case .result(let response) = result else { return .failure(result.unexpected) }
      do throws(ChatError) { return .success(try take(response)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// Sends a command, and takes its result at its place among the events.
  func result<R: ChatAPIResult, Value: Sendable>(
    of command: ChatCommand, _ take: @escaping @MainActor (APIResult<R>) -> Value
  ) async -> Value {
    guard let core else { return take(.error(.error(errorType: .chatNotStarted))) }
    // A core that says nothing any more can still answer.
    guard receiver != nil else { return take(await core.send(command)) }
    lastRequest += 1
    let number = lastRequest
    async let posted: Void = core.post(command, as: number)
    // Responses are taken on the main actor, so not before this one is expected.
    let value = await withCheckedContinuation { continuation in
      requests[number] = { continuation.resume(returning: take($0.narrowed())) }
    }
    await posted
    return value
  }

  /// Receives what the core says, until it has no more, or the model is gone; done by
  /// ``initChatAndMigrate(paths:encryptLocalFiles:onboarded:start:open:)``.
  public func receiveEvents() {
    guard receiver == nil, let core else { return }
    receiver = Task { @MainActor [weak self] in
      while let output = await core.nextOutput(), !Task.isCancelled {
        guard let self else { return }
        take(output)
      }
      if !Task.isCancelled { self?.stopReceiving() }
    }
  }

  /// Stops receiving from the core; requests without a response fail.
  func stopReceiving() {
    receiver?.cancel()
    receiver = nil
    let waiting = requests.sorted { $0.key < $1.key }
    requests = [:]
    for (_, answer) in waiting { answer(.error(.error(errorType: .chatNotStarted))) }
  }

  private func take(_ output: ChatOutput) {
    switch output {
    case .event(.result(let event)): processReceivedMsg(event)
    case .event(.error(let error)): onEffect(.failed(error))
    case .event(.invalid(let type, let json)): onEffect(.unreadableEvent(type: type, json: json))
    // Apps of mobile devices control no others.
    case .remoteEvent: break
    case .response(let number, let result): requests.removeValue(forKey: number)?(result)
    }
  }
}
