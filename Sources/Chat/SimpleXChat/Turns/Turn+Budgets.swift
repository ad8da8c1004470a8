import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexJSON

// State that a peer causes and the user does not see has a limit for each connection (docs/limits.md). Beyond it the
// state is dropped, the message is acknowledged, and one event reports it.

extension Turn {
  /// Whether one more row of hidden state may be stored for the peer of the message at hand. Reports the first row that
  /// is refused.
  /// - Parameter bytes: the size of the columns whose content the peer chose.
  func isWithinBudget(_ state: HiddenState, bytes: Int = 0, of user: User) throws -> Bool {
    switch try rows.budget(for: state, bytes: bytes) {
    case .granted: return true
    case .refusedFirst:
      emit(.messageError(user: user, severity: "error", errorMessage: state.report))
      return false
    case .refused: return false
    }
  }

  /// Whether a reaction to a message that has not come may be stored.
  func isWithinBudget(of reaction: MsgReaction, to id: SharedMsgId, of user: User) throws -> Bool {
    try isWithinBudget(of: reaction, to: id.text, of: user)
  }

  /// Whether a reaction to a message that has not come may be stored.
  func isWithinBudget(of reaction: MsgReaction, to id: String, of user: User) throws -> Bool {
    try isWithinBudget(.earlyReactions, bytes: id.utf8.count + reaction.jsonText().utf8.count, of: user)
  }
}
