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
/// A line without a mark at its beginning goes to the chat that was used last.
public final class TerminalSession: Sendable {
  /// How much is shown.
  public struct Options: Sendable {
    /// Whether reactions of others are shown.
    public var showsReactions = false
    /// Whether messages are marked as read when they are shown.
    public var marksRead = false
    /// How much is told of what goes wrong by itself.
    public var logLevel = ChatView.LogLevel.important
    /// The file that is told of servers and connections in the place of the person; nil to tell the person.
    public var logFile: String?

    /// The usual options.
    public init() {}
  }

  struct State {
    var view: ChatView
    var activeChat = ""
    /// The message that is sent while it is typed, and what does that.
    var live: (message: LiveMessage, ticking: Task<Void, Never>)?
  }

  let core: ChatController
  let input: any LineInput
  private let options: Options
  let state: Mutex<State>

  /// A session of this user.
  public init(core: ChatController, input: any LineInput, user: User?, options: Options = Options()) {
    self.core = core
    self.input = input
    self.options = options
    var view = ChatView(user: user, showsReactions: options.showsReactions)
    view.logLevel = options.logLevel
    state = Mutex(State(view: view))
  }

  /// Runs until the input ends or somebody types `/quit`.
  public func run() async {
    let events = Task {
      for await event in core.events { await show(event) }
    }
    let completions = Task {
      for await beginning in input.completions { await complete(beginning) }
    }
    for await line in input.lines { guard await perform(line) else { break } }
    _ = await endLive("")
    for task in [events, completions] {
      task.cancel()
      await task.value
    }
  }

  // MARK: Commands

  /// False when the session is over.
  private func perform(_ typed: TypedLine) async -> Bool {
    if await endLive(typed.text) { return true }
    let line = completed(typed.text.trimmed)
    guard !line.isEmpty else { return true }
    guard typed.isLive else { return await perform(line) }
    return line.first == "@" || line.first == "#" ? await perform("/live " + line) : true
  }

  /// A line with the chat that it goes to.
  private func completed(_ line: String) -> String {
    let marks: Set<Character> = ["@", "#", "/", ">", "\\", "!", "+", "-"]
    guard let first = line.first, !marks.contains(first) else { return line }
    return state.withLock { $0.activeChat } + line
  }

  /// False when the session is over.
  private func perform(_ line: String) async -> Bool {
    let command = try? ChatCommand(parsing: line)
    let isMessage = command?.isMessage ?? false
    if !isMessage { echo(line) }
    switch command {
    case .terminal(.quitChat): return false
    case .terminal(.chatHelp(let section)): input.show(HelpTexts.lines(section))
    case .terminal(.showLiveItems(let shows)):
      state.withLock { $0.view.showsLiveMessages = shows }
      input.show(["ok"])
    default:
      let result = await core.sendText(line)
      if case .error = result, isMessage { echo(line) }
      follow(result)
      input.show(view.lines(result))
      if case .terminal(.sendLiveMessage(_, let text)) = command { await beginLive(result, text: text) }
    }
    return true
  }

  /// Shows what was typed, where the input does not leave it on the screen.
  private func echo(_ line: String) {
    guard input.isInteractive else { return }
    input.show(line.split(separator: "\n", omittingEmptySubsequences: false).map { StyledText(String($0)) })
  }

  private func follow(_ result: APIResult<ChatResponse>) {
    guard case .result(let response) = result else { return }
    switch response {
    case .response0(.activeUser(let user)):
      state.withLock { $0.view.user = user }
      activate("")
    case .response1(.newChatItems(_, let items)): items.first.map { activate($0.chatInfo) }
    case .response1(.chatItemUpdated(_, let item)): activate(item.chatInfo)
    case .response1(.chatItemsDeleted(_, let deletions, _, _)):
      deletions.first.map { activate($0.deletedChatItem.chatInfo) }
    case .response1(.contactDeleted(_, let contact)): deactivate(.direct(contact: contact))
    case .response3(.chatItems(_, _, let items)): items.last.map { activate($0.chatInfo) }
    default: break
    }
  }

  // MARK: Events

  func show(_ event: APIResult<ChatEvent>) async {
    if case .result(let event) = event { await follow(event) }
    let lines = view.lines(event)
    if let path = options.logFile, case .result(let event) = event, event.isForLog {
      LogFile.append(lines.map(\.text), to: path)
    } else {
      input.show(lines)
    }
  }

  private func follow(_ event: ChatEvent) async {
    switch event {
    case .newChatItems(let user, let items):
      guard let item = items.first, isCurrent(user), !item.chatItem.chatDir.sent else { return }
      activate(item.chatInfo)
      guard options.marksRead else { return }
      for item in items where item.chatItem.meta.itemStatus == .rcvNew {
        let id = item.chatInfo.id
        _ = await core.sendText("/_read chat items \(id) \(item.chatItem.meta.itemId)")
      }
    case .contactConnected(let user, let contact, _), .contactSndReady(let user, let contact):
      if isCurrent(user) { activate(.direct(contact: contact)) }
    case .contactAnotherClient(_, let contact): deactivate(.direct(contact: contact))
    default: break
    }
  }

  private func isCurrent(_ user: User) -> Bool { state.withLock { $0.view.user?.userId == user.userId } }

  var view: ChatView {
    state.withLock { state in
      state.view.now = .now
      return state.view
    }
  }

  // MARK: The active chat

  private func activate(_ chat: ChatInfo) { chat.typedName.map(activate) }

  private func deactivate(_ chat: ChatInfo) {
    if state.withLock({ $0.activeChat == chat.typedName }) { activate("") }
  }

  private func activate(_ chat: String) {
    let isNew = state.withLock { state in
      defer { state.activeChat = chat }
      return state.activeChat != chat
    }
    if isNew { showPrompt() }
  }

  /// Shows where a line without a mark goes, and whether it is sent while it is typed.
  func showPrompt() {
    let (chat, isLive) = state.withLock { ($0.activeChat, $0.live != nil) }
    input.prompt(isLive ? "> \(chat)[LIVE] " : chat + "> ")
  }
}

extension ChatInfo {
  /// What stands before messages to the chat; nil for chats that take none.
  fileprivate var typedName: String? {
    switch self {
    case .direct(let contact): "@\(DisplayName.quoted(contact.localDisplayName)) "
    case .group(let group, _): "#\(DisplayName.quoted(group.localDisplayName)) "
    default: nil
    }
  }
}

extension ChatCommand {
  /// Whether the command sends a message, which is shown as it was sent.
  fileprivate var isMessage: Bool {
    guard case .terminal(let command) = self else { return false }
    switch command {
    case .sendMessage, .sendLiveMessage, .sendFile, .sendMessageQuote, .sendOwnMessageQuote, .sendGroupMessageQuote,
      .sendMessageBroadcast, .forwardMessage, .forwardGroupMessage, .forwardLocalMessage:
      return true
    default: return false
    }
  }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
