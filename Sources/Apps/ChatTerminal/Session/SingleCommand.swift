import ChatAPI
import SimpleXChat
import Synchronization

/// Messages and files that the reader of events and the command share.
private final class Shared: Sendable {
  struct Value {
    var deliveries = Deliveries()
    var transfers = Transfers(followsResultsOnly: true)
    /// The time of the last progress of a file.
    var progressTime: ContinuousClock.Instant?

    var isEmpty: Bool { deliveries.isEmpty && transfers.isEmpty }
  }

  let value = Mutex(Value())

  /// Takes an event; true if it completes the transfer of a file of the command.
  func follow(_ event: ChatEvent) -> Bool {
    value.withLock { value in
      if case .chatItemsStatusesUpdated(_, let items) = event { value.deliveries.update(items) }
      let before = value.transfers
      value.transfers.follow(event)
      if before.running != value.transfers.running { value.progressTime = .now }
      guard let id = event.endedFile, before.running[id] != nil else { return false }
      return before.failures.count == value.transfers.failures.count
    }
  }
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

  private var view: ChatView { ChatView(user: user, showsReactions: options.session.showsReactions) }

  /// Performs the command.
  /// - Throws: If it failed, or its messages did not reach a relay in time.
  func run(_ command: String) async throws(TerminalApp.Failure) {
    if !options.writesJSON, let lines = Self.ownLines(command) { return StandardOutput.write(lines.map(\.text)) }
    let output = CoreOutput(core)
    let shared = Shared()
    let reading = Task { [log = options.executeLog] in
      await output.read { event in
        var isShown = log == .all
        if case .result(let event) = event {
          if shared.follow(event) { isShown = true }
          if case .newChatItems = event, log == .messages { isShown = true }
        }
        if isShown { StandardOutput.write(lines(event)) }
      }
    }
    let request = ((try? ChatCommand(parsing: command)) ?? .string(command)).namingArchive()
    let result = await output.request(request) { result in
      shared.value.withLock { shared in
        if case .result(.response1(.newChatItems(_, let items))) = result { shared.deliveries.add(items) }
        shared.transfers.follow(result)
      }
      StandardOutput.write(lines(result, of: command, request))
      return result
    }
    let limit = await wait(result, for: shared)
    reading.cancel()
    await reading.value
    if result.isFailure(of: command) { throw TerminalApp.Failure([]) }
    let (failures, waiting) = shared.value.withLock { shared in
      (
        shared.deliveries.failures + shared.transfers.failures,
        [shared.deliveries.text, shared.transfers.text].compactMap(\.self)
      )
    }
    guard failures.isEmpty, waiting.isEmpty else {
      let late = waiting.map { "\($0) It was waited for \(limit.components.seconds) s (-t)." }
      throw TerminalApp.Failure((failures + late).map { StyledText($0) })
    }
  }

  /// The lines of a command that needs no core; nil for others.
  private static func ownLines(_ command: String) -> [StyledText]? {
    switch try? ChatCommand(parsing: command) {
    case .terminal(.quitChat): []
    case .terminal(.chatHelp(let section)): HelpTexts.lines(section)
    case nil: CommandHelp.topic(command)
    default: nil
    }
  }

  /// The lines of an event, or its JSON.
  private func lines(_ event: APIResult<ChatEvent>) -> [String] {
    options.writesJSON ? [OutputJSON(event).jsonText()] : view.lines(event).map(\.text)
  }

  /// The lines of the result of a command, or its JSON.
  private func lines(
    _ result: APIResult<ChatResponse>, of command: String, _ request: ChatCommand
  ) -> [String] {
    if options.writesJSON { return [OutputJSON(result).jsonText()] }
    guard case .error(.error(errorType: .commandError(let message))) = result else {
      let further = [result.explanation, request.archiveLine(result)].compactMap(\.self)
      return (view.lines(result) + further).map(\.text)
    }
    return CommandHelp.lines(command, refusedBecause: message).map(\.text)
  }

  /// Waits for what the command caused, and returns the limit. Without a given time, a file has it for each part.
  private func wait(_ result: APIResult<ChatResponse>, for shared: Shared) async -> Duration {
    let given = options.commandDelay.map { Duration.seconds(max(0, $0)) }
    if options.executeLog != .none || Self.hasOtherEffects(result) {
      let pause = given ?? Self.usualPause
      try? await Task.sleep(for: pause)
      return pause
    }
    let limit = given ?? Self.usualTime
    var deadline = ContinuousClock.now + limit
    while !shared.value.withLock({ $0.isEmpty }), ContinuousClock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(10))
      if given == nil, let time = shared.value.withLock({ $0.progressTime }) { deadline = max(deadline, time + limit) }
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
    case .sndFileCancelled, .sentGroupInvitation, .userAcceptedGroupSent, .userDeletedMembers, .leftMemberUser,
      .memberAccepted, .membersRoleUser, .membersBlockedForAllUser, .groupUpdated, .newMemberContactSentInv,
      .memberContactAccepted:
      true
    default: false
    }
  }
}
