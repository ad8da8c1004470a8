import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Asks a person before a command that cannot be undone; true if it is not to be performed yet.
  func asks(before command: ChatCommand, _ line: String) async -> Bool {
    guard let question = command.question else { return false }
    if let chat = command.askedChat, case .error(let error) = await core.send(.terminal(chat.query)),
      error.isOfMissingChat
    {
      input.show([chat.isMissing])
      return true
    }
    let warning = await warning(before: command)
    state.withLock { $0.unconfirmed = line }
    input.show(warning + ["\(question) Type \(.highlight("y")) to confirm."])
    return true
  }

  /// A warning of an effect of a command that people may not expect.
  private func warning(before command: ChatCommand) async -> [StyledText] {
    guard let left = command.leftGroup,
      let group = await groups().first(where: { $0.groupId == left.id || $0.localDisplayName == left.name }),
      group.membership.memberRole == .owner
    else { return [] }
    let others = await members(of: group.groupId)
    guard !others.isEmpty, !others.contains(where: { $0.memberRole == .owner }) else { return [] }
    return [
      .error(
        "You are the last owner: without you nobody can change the group, delete it or make another member an owner.")
    ]
  }
}

extension TerminalSession.State {
  /// Takes the command that waits for a yes.
  mutating func takeUnconfirmed() -> String? {
    defer { unconfirmed = nil }
    return unconfirmed
  }
}
