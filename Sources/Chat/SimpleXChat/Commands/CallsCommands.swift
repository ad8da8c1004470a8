import ChatAPI
import ChatStore
import FoundationTypes

// Calls. All but the first command find the user by the contact, who may be of another user than the active one: an app
// shows calls for all of them.

extension ChatController {
  func performCalls(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiSendCallInvitation(let contact, let type):
      let user = try runningUser()
      try turn { turn in
        let contact = try turn.rows.contact(contact.contactId, of: user)
        try CallWithContact(turn: turn, user: user, contact: contact).invite(type)
      }
      return .done(user)
    case .apiRejectCall(let contact): return try inCall(with: contact) { try $0.reject() }
    case .apiSendCallOffer(let contact, let offer): return try inCall(with: contact) { try $0.offer(offer) }
    case .apiSendCallAnswer(let contact, let answer): return try inCall(with: contact) { try $0.answer(answer) }
    case .apiSendCallExtraInfo(let contact, let info): return try inCall(with: contact) { try $0.sendExtra(info) }
    case .apiEndCall(let contact): return try inCall(with: contact) { try $0.hangUp() }
    case .apiCallStatus(let contact, let status): return try inCall(with: contact) { try $0.report(status) }
    case .apiGetCallInvitations:
      _ = try runningUser()
      return .response2(.callInvitations(callInvitations: try store.read { try $0.callInvitations() }))
    default: return nil
    }
  }

  private func inCall(
    with contact: ChatCommand.ContactID, _ body: (CallWithContact) throws -> Void
  ) throws(ChatError) -> ChatResponse {
    _ = try runningUser()
    let user = try turn { turn in
      let call = try turn.call(withContact: contact.contactId)
      try body(call)
      return call.user
    }
    return .done(user)
  }

  /// Ends the calls whose media were lost with the process that had them, and tells the contacts.
  func endLostCalls() throws(ChatError) {
    try turn { turn in
      for call in try turn.rows.calls(in: CallStateTag.allCases.filter(\.hasMedia)) {
        try turn.reportingErrors { try turn.call(withContact: call.contactId).abandon(call) }
      }
    }
  }
}

extension Turn {
  /// The place of the call with a contact, a database id, of any user.
  func call(withContact id: Int64) throws -> CallWithContact {
    let user = try rows.user(ofContact: id)
    return CallWithContact(turn: self, user: user, contact: try rows.contact(id, of: user))
  }

  /// Ends calls on which both sides did not agree within a time, in seconds; those that were not answered as missed.
  func endUnansweredCalls(olderThan age: Double) throws {
    let unanswered = CallStateTag.allCases.filter { $0 != .negotiated }
    for call in try rows.calls(in: unanswered, before: rows.now.addingTimeInterval(-age)) {
      try reportingErrors { try self.call(withContact: call.contactId).end(call) }
    }
  }
}

extension ChatTransaction {
  /// The received calls of all users that were not answered, oldest first.
  fileprivate func callInvitations() throws -> [RcvCallInvitation] {
    try calls(in: [.invitationReceived]).map { call in
      let user = try user(ofContact: call.contactId)
      return RcvCallInvitation(call, user: user, contact: try contact(call.contactId, of: user))
    }
  }
}
