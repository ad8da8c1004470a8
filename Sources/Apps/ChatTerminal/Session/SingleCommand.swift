import ChatAPI
import SimpleXChat
import Synchronization

/// Deliveries that the reader of events and the command share.
private final class Shared: Sendable {
  let value = Mutex(Deliveries())
}

/// A command that is given as an argument of the program: it is performed, and what it sends is waited for.
struct SingleCommand: Sendable {
  /// How long messages of the command may take, where no time is given.
  private static let usualTime = Duration.seconds(10)
  /// How long is waited for other effects of the command, or for events to log, where no time is given.
  private static let usualPause = Duration.seconds(3)

  let core: ChatController
  let options: TerminalOptions
  let user: User

  /// Performs the command.
  /// - Throws: If it failed, or its messages did not reach a relay in time.
  func run(_ command: String) async throws(TerminalApp.Failure) {
    let view = ChatView(user: user, showsReactions: options.session.showsReactions)
    let output = CoreOutput(core)
    let deliveries = Shared()
    let reading = Task { [log = options.executeLog] in
      await output.read { event in
        if case .result(.chatItemsStatusesUpdated(_, let items)) = event {
          deliveries.value.withLock { $0.update(items) }
        }
        let isMessage = if case .result(.newChatItems) = event { true } else { false }
        if log == .all || log == .messages && isMessage { StandardOutput.write(view.lines(event).map(\.text)) }
      }
    }
    let result = await output.request((try? ChatCommand(parsing: command)) ?? .string(command)) { result in
      if case .result(.response1(.newChatItems(_, let items))) = result { deliveries.value.withLock { $0.add(items) } }
      return result
    }
    StandardOutput.write(Self.lines(result, of: command, view).map(\.text))
    let limit = await wait(result) { deliveries.value.withLock { $0.isEmpty } }
    reading.cancel()
    await reading.value
    if case .error = result { throw TerminalApp.Failure([]) }
    let (failures, waiting) = deliveries.value.withLock { ($0.failures, $0.text) }
    guard failures.isEmpty, waiting == nil else {
      let late = waiting.map { ["\($0) It was waited for \(limit.components.seconds) s (-t)."] } ?? []
      throw TerminalApp.Failure((failures + late).map { StyledText($0) })
    }
  }

  /// The lines of a result.
  private static func lines(_ result: APIResult<ChatResponse>, of command: String, _ view: ChatView) -> [StyledText] {
    guard case .error(.error(errorType: .commandError(let message))) = result else { return view.lines(result) }
    return CommandHelp.lines(command, refusedBecause: message)
  }

  /// Waits for what the command caused, and returns the limit.
  private func wait(_ result: APIResult<ChatResponse>, until isSent: @Sendable () -> Bool) async -> Duration {
    let given = options.commandDelay.map { Duration.seconds(max(0, $0)) }
    if options.executeLog != .none || Self.hasOtherEffects(result) {
      let pause = given ?? Self.usualPause
      try? await Task.sleep(for: pause)
      return pause
    }
    let limit = given ?? Self.usualTime
    let deadline = ContinuousClock.now + limit
    while !isSent(), ContinuousClock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(10))
    }
    return limit
  }

  /// Whether the command sends something whose arrival is not reported.
  private static func hasOtherEffects(_ result: APIResult<ChatResponse>) -> Bool {
    if case .result(.response2(let response)) = result { return tellsMembers(response) }
    guard case .result(.response1(let response)) = result else { return false }
    switch response {
    case .sentConfirmation, .sentInvitation, .sentInvitationToContact, .startedConnectionToContact,
      .acceptingContactRequest, .contactRequestRejected, .chatItemUpdated, .chatItemReaction, .chatItemsDeleted,
      .contactDeleted, .contactConnectionDeleted, .contactPrefsUpdated, .userProfileUpdated, .userContactLinkDeleted,
      .groupDeletedUser, .startedConnectionToGroup:
      return true
    default: return false
    }
  }

  private static func tellsMembers(_ response: ChatResponse2) -> Bool {
    switch response {
    case .sentGroupInvitation, .userAcceptedGroupSent, .userDeletedMembers, .leftMemberUser, .memberAccepted,
      .membersRoleUser, .membersBlockedForAllUser, .groupUpdated, .newMemberContactSentInv, .memberContactAccepted:
      true
    default: false
    }
  }
}
