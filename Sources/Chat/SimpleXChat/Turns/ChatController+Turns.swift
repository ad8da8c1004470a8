import ChatAPI
import ChatLogic
import ChatStore

extension ChatController {
  /// Handles an input: runs `body` as one transaction, commits, and performs the effects. The commit is not durable
  /// when this returns; whatever leaves the controller waits until it is.
  /// - Parameter mayBeLost: whether the input is repeated if a power failure loses the turn, so that nothing needs to
  ///   wait until it is durable.
  @discardableResult
  func turn<Value: Sendable>(
    mayBeLost: Bool = false, _ body: (Turn) throws -> Value
  ) throws(ChatError) -> Value {
    let environment = TurnEnvironment(
      options: options, mergesContacts: session.mergesContacts, folders: folders,
      encryptsFiles: session.encryptsLocalFiles, network: session.networkConfig,
      commandsInFlight: outbox.inFlight)
    let start = ContinuousClock.now
    defer { reportLongTurn(since: start) }
    let (value, effects, timer) = try store.transaction(mayBeLost: mayBeLost) { rows in
      let turn = Turn(rows, environment)
      let value = try body(turn)
      try turn.sendHostNotices()
      if rows.leavesItems { turn.purgeSoon() }
      return (value, turn.effects, rows.timer)
    }
    perform(effects)
    if let timer { arm(at: timer) }
    return value
  }

  /// Reports a turn that held up everything else for so long that a person may notice it.
  private func reportLongTurn(since start: ContinuousClock.Instant) {
    let duration = ContinuousClock.now - start
    guard duration > .milliseconds(StepLimit.longTurn.rawValue) else { return }
    emit(.timedAction(action: "turn", durationMilliseconds: Int64(duration / .milliseconds(1))))
  }

  private func perform(_ effects: TurnEffects) {
    if let user = effects.activeUser { activeUser = user }
    for event in effects.events { eventQueue.push(event) }
    acknowledgements += effects.acknowledgements
    if !effects.withdrawnCommands.isEmpty { outbox.remove(effects.withdrawnCommands) }
    if !effects.commands.isEmpty { enqueue(effects.commands) }
    if !effects.endedLinkDataWaits.isEmpty { endLinkDataWaits(of: effects.endedLinkDataWaits) }
    if effects.purges { cleanNow() }
    if effects.hasJobs { workOnJobs() }
    if !effects.wantedFiles.isEmpty { receiveWantedFiles(only: effects.wantedFiles) }
  }
}
