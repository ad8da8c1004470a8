import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Whether a command of a person is not performed because its link is the user's own, which would connect the user
  /// with themselves, or because its server cannot be reached. Says which.
  func refusesLink(of command: ChatCommand) async -> Bool {
    guard input.isInteractive, case .terminal(.connect(_, let link)) = command,
      let user = state.withLock({ $0.view.user })
    else { return false }
    let plan = await core.send(.apiConnectPlan(userId: user.userId, connLink: link))
    switch plan {
    case .result(.response1(.connectionPlan(_, _, _, _, let plan))) where plan.isOwnLink:
      input.show(["This is your own link: send it to the people who are to connect with you. Nothing was sent."])
      return true
    case .error(.errorAgent(.BROKER, _, _)):
      input.show(view.lines(plan))
      return true
    default: return false
    }
  }
}

extension ConnectionPlan {
  /// Whether the link is the user's.
  fileprivate var isOwnLink: Bool {
    switch self {
    case .invitationLink(.ownLink), .contactAddress(.ownLink), .groupLink(.ownLink): true
    default: false
    }
  }
}
