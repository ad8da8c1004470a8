import ChatAPI
import SimpleXChat

/// The mobile devices whose profiles a session uses.
struct RemoteHosts {
  /// The one that typed lines go to, a database id; nil for this device.
  var current: Int64?
  /// The active users of those that are connected, by database id.
  var users: [Int64: User] = [:]
  /// The command that waits for a yes, and the mobile device that it is for.
  var unconfirmed: (line: String, host: Int64)?
}

// The profile of a mobile device, used from this terminal.
extension TerminalSession {
  /// Performs a line with the profile of the mobile device that is in use; false where it is for this device.
  ///
  /// A line that was begun while another device was in use is not performed: the person meant that one.
  func performRemotely(_ typed: TypedLine) async -> Bool {
    let host = await core.currentRemoteHost
    let begun = typed.profile.flatMap { $0 < 0 ? -$0 : nil }
    let question = state.withLock { state in
      defer { state.remote.unconfirmed = nil }
      return state.remote.unconfirmed
    }
    var line = typed.text.trimmed
    var isConfirmed = !input.isInteractive
    if let question {
      if question.host == host, ["y", "yes"].contains(line.lowercased()) {
        (line, isConfirmed) = (question.line, true)
      } else {
        input.show(["Nothing was done."])
        if ["y", "yes", "n", "no", ""].contains(line.lowercased()) { return true }
      }
    }
    guard host != nil || begun != nil, let first = line.first else { return false }
    if line.hasPrefix("/read") { return refuseRead() }
    let hasMark = "@#/>\\!+-".contains(first) || first == "*" && (try? ChatCommand(parsing: line)) != nil
    if !hasMark {
      guard !typed.chat.isEmpty else { return false }
      line = typed.chat + line
    }
    let target = ChatTarget(of: line)
    let command = (try? ChatCommand(parsing: line))?.withHome
    guard command?.isForThisDevice != true, command != nil || target?.isAlone == true else { return false }
    guard let host, typed.profile == nil || begun == host else {
      input.show(["The line was begun under another profile: nothing was sent. Up brings it back."])
      return true
    }
    guard let command else {
      if let target { input.show(["Messages go to \(.to(target.prefix.trimmed)) now."]) }
      return true
    }
    if !isConfirmed, let question = command.question {
      state.withLock { $0.remote.unconfirmed = (line, host) }
      input.show(["\(question) Type \(.highlight("y")) to confirm."])
      return true
    }
    if !command.isMessage { echo(line) }
    let result = await core.sendText(command.sentText(line), toRemoteHost: host)
    follow(result, of: line, host)
    input.show(view(ofRemoteHost: host).marked(view(ofRemoteHost: host).lines(result)))
    return true
  }

  /// Messages are marked as read by the terminal of the device that has them.
  private func refuseRead() -> Bool {
    input.show(["\(.highlight("/read")) is for the profile of this device: \(.highlight("/switch remote host local"))"])
    return true
  }

  private func follow(_ result: APIResult<ChatResponse>, of line: String, _ host: Int64) {
    switch result {
    case .result(.response0(.activeUser(let user))): state.withLock { $0.remote.users[host] = user }
    // The next line must not go to the chat before: the person means this one.
    case .error(let error) where error.isOfMissingChat:
      if let target = ChatTarget(of: line) { input.replaceChat(target.prefix, with: "", of: -host) }
    default: break
    }
  }

  /// Shows an event of a mobile device.
  func show(_ event: APIResult<ChatEvent>, ofRemoteHost host: Int64) {
    let view = view(ofRemoteHost: host)
    input.show(view.marked(view.lines(event)))
  }

  /// The view of a mobile device's chats.
  private func view(ofRemoteHost host: Int64) -> ChatView {
    var view = view
    let (user, current) = state.withLock { ($0.remote.users[host], $0.remote.current) }
    view.user = user
    view.remoteHost = host
    view.origin = current == host ? nil : "remote: \(host)"
    return view
  }

  /// Goes on with the profile of the device that is in use, where that has changed: the prompt names it.
  func followRemoteHost() async {
    let host = await core.currentRemoteHost
    let former = state.withLock { state in
      defer { state.remote.current = host }
      return state.remote.current
    }
    guard host != former else { return }
    guard let host else {
      if let user = state.withLock({ $0.view.user }) { input.showProfile(user.userId, name: nil) }
      return await nameProfile()
    }
    let answer = await core.sendText("/user", toRemoteHost: host)
    if case .result(.response0(.activeUser(let user))) = answer {
      state.withLock { $0.remote.users[host] = user }
    }
    // Profiles of this device have positive ids.
    input.showProfile(-host, name: "remote: \(host)")
  }
}

extension ChatCommand {
  /// Whether the command is for this device also while the profile of another one is used.
  fileprivate var isForThisDevice: Bool {
    switch self {
    case .terminal(.chatHelp), .terminal(.quitChat), .terminal(.showLiveItems): true
    default: remoteUse == .local
    }
  }

  /// The text that a mobile device gets: the typed line, or the command where a path in it was completed.
  fileprivate func sentText(_ line: String) -> String {
    switch self {
    case .terminal(.sendFile), .terminal(.sendImage): cmdString
    default: line
    }
  }
}
