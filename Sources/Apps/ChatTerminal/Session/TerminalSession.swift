import ChatAPI
import SimpleXChat
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A person's session: typed lines become commands, responses and events become lines.
///
/// A line without a mark at its beginning goes to the chat that the person chose last, by a message or by its name
/// alone. Messages that arrive never change that.
public final class TerminalSession: Sendable {
  /// How much is shown.
  public struct Options: Sendable {
    /// Whether reactions of others are shown.
    public var showsReactions = false
    /// Whether messages are marked as read when they are shown.
    public var marksRead = false
    /// Whether the terminal rings and notifies of messages, and its title counts those that are not read.
    public var alerts = true
    /// How much is shown of errors outside of commands.
    public var logLevel = ChatView.LogLevel.important
    /// Whether lines of a pipe are shown as a terminal shows what is typed.
    public var echoesInput = false
    /// Whether lines are those of the reference's view for tests.
    public var isTestView = false
    /// Whether these also tell of receipts.
    public var showsReceipts = false
    /// Whether desktops are looked for again and again, so that a search without result is not shown.
    public var findsDesktops = false
    /// The file that gets what concerns servers and connections; nil to show it.
    public var logFile: String?
    /// The folder for files that a person receives without naming a path; nil for the core's. It is made when needed.
    public var receivedFolder: String?

    /// The usual options.
    public init() {}
  }

  struct State {
    var view: ChatView
    /// Contacts and groups of each profile by the beginning of a message to them, as they were when the person used it:
    /// one that takes another's name gets nothing that was meant for that one.
    var chats: [Int64: [String: ChatRef]] = [:]
    /// Whether the prompt names the profile, because there is another one.
    var namesProfile = false
    /// The message that is sent while it is typed, and what does that.
    var live: (message: LiveMessage, ticking: Task<Void, Never>)?
    /// The live messages of a program that are not completed, by the database ids of their items.
    var programLives: [Int64: LiveMessage] = [:]
    var deliveries = Deliveries()
    var transfers = Transfers()
    var waiting = WaitingCommands()
    var links = ShownLinks()
    var lost = LostConnections()
    /// Whether the session has ended: what is still waited for is not shown any more.
    var isOver = false
    /// The subscriptions that other programs with a copy of a profile took over, by the ids of users.
    var ended: [Int64: EndedSubscriptions] = [:]
    /// When an alert was shown last.
    var lastAlert: ContinuousClock.Instant?
    /// Whether unread messages will be counted soon.
    var isCounting = false
    /// The command that waits for a yes.
    var unconfirmed: String?
    var remote = RemoteHosts()
  }

  let core: ChatController
  let output: CoreOutput
  let input: any LineInput
  let options: Options
  let state: Mutex<State>

  /// A session of this user.
  public init(core: ChatController, input: any LineInput, user: User?, options: Options = Options()) {
    self.core = core
    self.input = input
    self.options = options
    output = CoreOutput(core)
    var view = ChatView(user: user, showsReactions: options.showsReactions)
    view.logLevel = options.logLevel
    view.showsStatus = input.isInteractive
    view.isTestView = options.isTestView
    view.showsReceipts = options.showsReceipts
    view.receivedFolder = input.isInteractive ? options.receivedFolder : nil
    state = Mutex(State(view: view))
  }

  /// Runs until the input ends or somebody types `/quit`.
  public func run() async {
    if let user = view.user { input.showProfile(user.userId, name: nil) }
    await nameProfile()
    countUnread()
    input.setAttention { [weak self] in Task { await self?.markChosenRead() } }
    let events = Task { await output.read({ await self.show($0) }, remote: { self.show($1, ofRemoteHost: $0) }) }
    let completions = Task {
      for await beginning in input.completions { await complete(beginning) }
    }
    let checking = Task { await showUnreachableRelays() }
    for await line in input.lines {
      guard await perform(line) else { break }
      countUnread()
    }
    state.withLock { $0.isOver = true }
    await endLive(nil)
    await endProgramLives()
    await finishDeliveries()
    for task in [events, completions, checking] {
      task.cancel()
      await task.value
    }
  }

  // MARK: Typed lines

  /// Performs what was typed; false when the session is over.
  private func perform(_ typed: TypedLine) async -> Bool {
    switch typed.ending {
    case .endOfLive:
      await endLive(typed.text)
      return true
    case .abandonedLive:
      await endLive(nil)
      return true
    case .enter, .live: await endLive(nil)
    }
    if await performRemotely(typed) { return true }
    let line = typed.text.trimmed
    if let command = state.withLock({ $0.takeUnconfirmed() }) {
      if ["y", "yes"].contains(line.lowercased()) { return await perform(command, isConfirmed: true) }
      input.show(["Nothing was done."])
      if ["n", "no", ""].contains(line.lowercased()) { return true }
    }
    guard let first = line.first else { return true }
    if let target = ChatTarget(of: line), target.choosesChat {
      moveChoice(target, typed)
      if target.isAlone {
        await choose(target)
        return true
      }
    }
    guard Self.marks.contains(first) || Self.isToNotes(line) else { return await performText(line, typed) }
    let isLive = typed.ending == .live && (first == "@" || first == "#")
    return await perform(isLive ? "/live " + line : line, isConfirmed: !input.isInteractive)
  }

  /// What lines begin with that are not a text for the chosen chat.
  private static let marks: Set<Character> = ["@", "#", "/", ">", "\\", "!", "+", "-"]

  /// Whether a line is a command for the notes, as `* <- @bob hello`. What it copies there is private, so a misspelled
  /// one is not sent to the chosen chat either. Other lines with this mark are texts: bold words, or a list.
  private static func isToNotes(_ line: String) -> Bool {
    guard line.first == "*" else { return false }
    return line.dropFirst().drop { $0 == " " }.hasPrefix("<-") || (try? ChatCommand(parsing: line)) != nil
  }

  /// Sends a line without a mark to the chat that was chosen when it was begun.
  private func performText(_ text: String, _ typed: TypedLine) async -> Bool {
    guard !typed.chat.isEmpty else {
      if ["help", "?"].contains(text.lowercased()) {
        input.show(HelpTexts.lines(.main))
      } else if ["quit", "exit"].contains(text.lowercased()) {
        input.show(["\(.highlight("/quit")) ends the program."])
      } else {
        input.show([
          "No chat is chosen: nothing was sent. Type \(.highlight("@<name>")) to choose one, \(.highlight("/help")) for help."
        ])
      }
      return true
    }
    guard typed.profile == nil || typed.profile == view.user?.userId else {
      input.show(["The line was begun under another profile: nothing was sent. Up brings it back."])
      return true
    }
    if input.isInteractive, ["help", "quit", "exit"].contains(text.lowercased()) {
      let command = text.lowercased() == "help" ? "/help" : "/quit"
      input.show([
        "Nothing was sent. \(.highlight(command)) is the command; \(.highlight(typed.chat + text)) sends the word."
      ])
      return true
    }
    if typed.ending == .live { return await perform("/live " + typed.chat + text, isConfirmed: true) }
    let chat = reference(typed.chat)
    let command = await message(text, to: chat)
    await send(command ?? .string(typed.chat + text), typed.chat + text, isMessage: true)
    return true
  }

  /// Performs a line with a mark; false when the session is over.
  private func perform(_ line: String, isConfirmed: Bool) async -> Bool {
    if await performRepair(line, isConfirmed: isConfirmed) { return true }
    if performLinks(line, isConfirmed: isConfirmed) { return true }
    if await performAsking(line) { return true }
    if await performRead(line) { return true }
    let command: ChatCommand
    do throws(ChatError) { command = placed(try ChatCommand(parsing: line).withHome) } catch {
      if await performDatabaseCommand(line) { return true }
      echo(line)
      let help = input.isInteractive ? CommandHelp.lines(line) : CommandHelp.topic(line)
      input.show(help ?? view.lines(error, isOfCommand: true))
      return true
    }
    if await performDatabaseCommand(line) { return true }
    if input.isInteractive, case .terminal(.hideUser) = command { input.show([Self.passwordWarning]) }
    let isMessage = command.isMessage
    if !isMessage { echo(line) }
    if !isConfirmed, await asks(before: command, line) { return true }
    if refusesFile(of: command) { return true }
    if case .terminal(.quitChat) = command { return false }
    if input.isInteractive, command.waitsForRelay {
      await performWaiting(command, line)
    } else {
      await performNow(command, line, isMessage: isMessage)
    }
    return true
  }

  /// Performs a command that is not to be asked about.
  func performNow(_ command: ChatCommand, _ line: String, isMessage: Bool) async {
    if await refusesLink(of: command) { return }
    switch command {
    case .terminal(.chatHelp(let section)): input.show(HelpTexts.lines(section))
    case .terminal(.showLiveItems(let shows)):
      state.withLock { $0.view.showsLiveMessages = shows }
      input.show(["ok"])
    case .terminal(.sendLiveMessage(_, let text)) where input.isInteractive && text.trimmed.isEmpty:
      input.show(["Type the first words behind the name: \(.highlight("/live @<name> <text>"))"])
    default:
      let result = await send(command, line, isMessage: isMessage)
      await followRemoteHost()
      if case .terminal(.sendLiveMessage(_, let text)) = command { await beginLive(result, text: text) }
      if result.concernsProfiles { await nameProfile() }
    }
  }

  /// Sends a command, and shows its result at its place among the events.
  @discardableResult
  func send(_ command: ChatCommand, _ line: String, isMessage: Bool) async -> APIResult<ChatResponse> {
    let command = command.namingArchive()
    let result = await output.request(command) { result in
      if self.state.withLock({ $0.isOver }) { return result }
      if case .error = result, isMessage { self.echo(line) }
      self.follow(result, of: line)
      self.showInRows(result)
      self.show(result, of: line)
      if !self.view.isTestView, let path = command.archiveLine(result) { self.input.show([path]) }
      return result
    }
    if isMessage { await markAnswered(result) }
    await suggest(for: result)
    return result
  }

  private func show(_ result: APIResult<ChatResponse>, of line: String) {
    switch result {
    case .result(.response1(.newChatItems(let user, let items))) where items.count <= 20:
      for item in items { input.show(view.newItems(user, [item]), as: item.chatItem.meta.itemId) }
    case .result(.response3(.chatItems(let user, _, let items))):
      followLinks(items, of: user)
      for item in items {
        let lines =
          view.item(item, showsEvents: true) + view.reactions(item.chatItem)
          + view.testSignature(item.chatItem.content.msgContent)
        input.show(view.of(user, lines), as: item.chatItem.meta.itemId)
      }
    case .error(.error(errorType: .commandError(let message))) where input.isInteractive:
      input.show(CommandHelp.lines(line, refusedBecause: message))
    case .error(.error(errorType: .invalidConnReq)) where input.isInteractive:
      input.show(CommandHelp.linesOfInvalidLink(line))
    default: input.show(view.lines(result))
    }
    if input.isInteractive { input.show(result.copyAdvice + (result.explanation.map { [$0] } ?? [])) }
  }

  /// Shows what was typed, where the input does not leave it on the screen.
  func echo(_ line: String) {
    guard input.isInteractive || options.echoesInput else { return }
    let line = input.isInteractive ? SecretLine.shown(line) : line
    input.show(line.split(separator: "\n", omittingEmptySubsequences: false).map { StyledText(String($0)) })
  }

  // MARK: What follows from results and events

  private func follow(_ result: APIResult<ChatResponse>, of line: String) {
    let target = ChatTarget(of: line)
    followTransfers { $0.follow(result) }
    if case .result(let response) = result { state.withLock { $0.links.follow(response) } }
    switch result {
    case .result(.response0(.activeUser(let user))):
      let namesProfile = state.withLock { state in
        state.view.user = user
        return state.namesProfile
      }
      input.showProfile(user.userId, name: namesProfile ? user.localDisplayName : nil)
    case .result(.response1(.newChatItems(let user, let items))):
      for item in items { note(item.chatInfo, of: user) }
      state.withLock { $0.deliveries.add(items) }
    case .result(.response1(.chatItemUpdated(_, let item))):
      state.withLock { $0.updateProgramLive(item.chatItem) }
    case .result(.response1(.chatItemsDeleted(_, let deletions, _, _))):
      state.withLock { $0.deliveries.remove(deletions.map(\.deletedChatItem.chatItem.meta.itemId)) }
    case .result(.response0(.chatStopped)):
      state.withLock { $0.lost = LostConnections() }
      showStatusRows()
    case .result(.response1(.contactDeleted(let user, let contact))):
      forget(.direct(contact: contact), of: user)
      state.withLock { $0.lost.remove([contact.activeConn?.agentConnId].compactMap(\.self)) }
      showStatusRows()
    case .result(.response1(.groupDeletedUser(let user, let group, _))),
      .result(.response2(.leftMemberUser(let user, let group))):
      forget(.group(groupInfo: group, groupChatScope: nil), of: user)
    case .result(.response2(.groupUpdated(let user, let old, let new, _, _))):
      rename(.group(groupInfo: old, groupChatScope: nil), to: .group(groupInfo: new, groupChatScope: nil), of: user)
    // The next line must not go to the chat before: the person means this one.
    case .error(let error) where error.isOfMissingChat:
      if let prefix = target?.prefix, let user = view.user { forget(prefix, of: user) }
    default: break
    }
  }

  /// Shows an event, and does what follows from it.
  func show(_ event: APIResult<ChatEvent>) async {
    if options.findsDesktops, case .result(.remoteCtrlStopped(.searching, .discoveryFailed)) = event { return }
    if case .result(let event) = event {
      followTransfers { $0.follow(event) }
      await follow(event)
      if followCopies(event) || showInRows(event) || showInStatus(event) { return }
    }
    let lines = view.marked(view.lines(event))
    if let path = options.logFile, case .result(let event) = event, event.isForLog {
      LogFile.append(lines.map(\.text) + [event.logLine].compactMap { $0 }, to: path)
    } else {
      input.show(lines)
    }
  }

  private func follow(_ event: ChatEvent) async {
    alert(event)
    state.withLock { $0.links.follow(event) }
    switch event {
    case .newChatItems(let user, let items):
      for item in items { await markRead(item, of: user) }
      countUnread()
    case .chatItemsDeleted, .groupChatItemsDeleted: countUnread()
    case .chatItemUpdated(let user, let item): await markRead(item, of: user)
    case .chatItemsStatusesUpdated(let user, let items):
      if isCurrent(user) { followDelivery(user, items) }
    case .contactConnected(let user, let contact, _), .contactSndReady(let user, let contact):
      offer(.direct(contact: contact), to: user)
    case .userJoinedGroup(let user, let group, _): offer(.group(groupInfo: group, groupChatScope: nil), to: user)
    case .contactUpdated(let user, let old, let new):
      rename(.direct(contact: old), to: .direct(contact: new), of: user)
    case .groupUpdated(let user, let old, let new, _, _):
      rename(.group(groupInfo: old, groupChatScope: nil), to: .group(groupInfo: new, groupChatScope: nil), of: user)
    case .contactAnotherClient(let user, let contact): forget(.direct(contact: contact), of: user)
    case .remoteHostConnected, .remoteHostStopped: await followRemoteHost()
    default: break
    }
  }

  func isCurrent(_ user: User) -> Bool { state.withLock { $0.view.user?.userId == user.userId } }

  var view: ChatView {
    state.withLock { state in
      state.view.now = .now
      var view = state.view
      if state.remote.current != nil { view.origin = "local" }
      return view
    }
  }
}

extension TerminalSession.State {
  /// Records an update of a live message by a command of a program, or its completion.
  mutating func updateProgramLive(_ item: ChatItem) {
    programLives[item.meta.itemId]?.sent = item.content.msgContent?.text ?? ""
    if item.meta.itemLive != true { programLives[item.meta.itemId] = nil }
  }
}
