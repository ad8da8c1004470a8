import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// How long the end of the session waits for messages that were just typed.
  private static let lastWait = Duration.seconds(2)
  /// The time after the start at which unreachable relays are reported.
  private static let relayWait = Duration.seconds(5)

  /// Shows the new status of messages, in their lines or below.
  func followDelivery(_ user: User, _ items: [AChatItem]) {
    state.withLock { $0.deliveries.update(items) }
    for item in items where item.chatItem.chatDir.sent {
      let isReplaced = input.replace(item.chatItem.meta.itemId, with: view.newItems(user, [item]))
      guard let failure = Deliveries.failure(item) else { continue }
      if isReplaced && input.isInteractive { continue }
      // A program gets the error event of the connection instead.
      switch item.chatItem.meta.itemStatus {
      case .sndErrorAuth, .sndError(.auth): if !input.isInteractive { continue }
      default: break
      }
      input.show([.error(failure)])
    }
  }

  /// Whether an item becomes read because it is shown. That can be one of another user, but not one of a muted chat, or
  /// of a user who is muted or hidden.
  func isReadByShowing(_ item: AChatItem, to user: User) -> Bool {
    let chatItem = item.chatItem
    return options.marksRead && chatItem.meta.itemStatus == .rcvNew
      && view.isShown(to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
  }

  /// Marks an item as read that is shown, where the options say so.
  func markRead(_ item: AChatItem, of user: User) async {
    guard isReadByShowing(item, to: user) else { return }
    let command = ChatCommand.apiChatItemsRead(
      type: item.chatInfo.chatType, id: item.chatInfo.apiId, scope: item.chatInfo.groupChatScope(),
      itemIds: [item.chatItem.meta.itemId])
    _ = await core.send(command)
  }

  /// Takes what a result or event says of files, and shows how much was transferred.
  func followTransfers(_ follow: (inout Transfers) -> Void) {
    let rows = state.withLock { state in
      let before = state.transfers.rows(of: state.view.user)
      follow(&state.transfers)
      let rows = state.transfers.rows(of: state.view.user)
      return rows == before ? nil : rows
    }
    if let rows { input.showStatus(rows) }
  }

  /// Waits for messages that were just typed, and reports those that are not sent.
  func finishDeliveries() async {
    let deadline = ContinuousClock.now + Self.lastWait
    while ContinuousClock.now < deadline, !Task.isCancelled, !state.withLock({ $0.deliveries.isEmpty }) {
      try? await Task.sleep(for: .milliseconds(20))
    }
    let texts = state.withLock { [$0.deliveries.text, $0.transfers.text] }.compactMap(\.self)
    input.show(texts.map { StyledText($0) })
  }

  /// Reports once if relays cannot be reached after the start; not in the view for the reference's suite.
  func showUnreachableRelays() async {
    try? await Task.sleep(for: Self.relayWait)
    guard !Task.isCancelled, !view.isTestView, let user = view.user else { return }
    guard
      case .result(.response2(.agentSubsTotal(_, let total, _))) = await core.send(
        .getAgentSubsTotal(userId: user.userId)), total.ssPending > 0, !Task.isCancelled
    else { return }
    let what = total.ssPending == 1 ? "1 connection waits" : "\(total.ssPending) connections wait"
    input.show([
      "The relays cannot be reached: \(what) for them. What you send is kept and sent when they answer."
    ])
  }

  // MARK: The database

  /// `/db encrypt`, `/db key` and `/db decrypt`, with passphrases that may have spaces. For a person the chat is
  /// stopped meanwhile; a program has to stop it before. False for other commands.
  func performDatabaseCommand(_ line: String) async -> Bool {
    guard let config = DatabaseCommand.config(line) else { return false }
    // A screen does not show the passphrase.
    let command = String(line.prefix { $0 != " " }) + " " + (line.split(separator: " ").dropFirst().first ?? "")
    echo(input.isInteractive ? command + " …" : line)
    if input.isInteractive, case .result(.response0(.chatRunning)) = await core.send(.checkChatRunning) {
      _ = await core.send(.apiStopChat)
    }
    let result = await core.send(.apiStorageEncryption(config: config))
    input.show(view.lines(result))
    if case .result = result, config.currentKey != config.newKey {
      state.withLock { $0.view.isStoreChanged = true }
      // What was typed would stay readable.
      if !config.newKey.isEmpty { input.forgetHistory() }
    }
    guard input.isInteractive else { return true }
    // After a change this says that the program has to be started again.
    let started = await core.sendText("/_start main=on snd_files=on")
    if case .error = started { input.show(view.lines(started)) }
    return true
  }
}

/// Commands about the passphrase of the databases.
enum DatabaseCommand {
  /// What a line asks for; nil for other lines. A passphrase goes to the end of the line; where there are two, one with
  /// spaces is in apostrophes.
  static func config(_ line: String) -> DBEncryptionConfig? {
    if let key = rest(of: line, "/db encrypt ") { return DBEncryptionConfig(currentKey: "", newKey: unquoted(key)) }
    if let key = rest(of: line, "/db decrypt ") { return DBEncryptionConfig(currentKey: unquoted(key), newKey: "") }
    guard let keys = rest(of: line, "/db key ") else { return nil }
    guard let (old, new) = split(keys) else { return nil }
    return DBEncryptionConfig(currentKey: old, newKey: new)
  }

  private static func rest(of line: String, _ command: String) -> String? {
    guard line.hasPrefix(command) else { return nil }
    let rest = String(line.dropFirst(command.count)).trimmed
    return rest.isEmpty ? nil : rest
  }

  private static func unquoted(_ key: String) -> String {
    key.count > 2 && key.first == "'" && key.last == "'" ? String(key.dropFirst().dropLast()) : key
  }

  private static func split(_ keys: String) -> (String, String)? {
    guard keys.first == "'" else {
      let parts = keys.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let old = parts.first, let new = parts.last else { return nil }
      return (String(old), unquoted(String(new).trimmed))
    }
    let inside = keys.dropFirst()
    guard let end = inside.firstIndex(of: "'"), end > inside.startIndex else { return nil }
    let new = String(inside[inside.index(after: end)...]).trimmed
    return new.isEmpty ? nil : (String(inside[..<end]), unquoted(new))
  }
}
