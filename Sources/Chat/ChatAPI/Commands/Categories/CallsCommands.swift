/// Signalling of audio and video calls (specification section 2.8).
enum CallsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiSendCallInvitation", "/_call invite @",
      contact, json(CallType.self).after(" "),
      make: ChatCommand.apiSendCallInvitation,
      match: { if case .apiSendCallInvitation(let contact, let callType) = $0 { (contact, callType) } else { nil } })
    commands.command(
      "apiRejectCall", "/_call reject @",
      contact,
      make: ChatCommand.apiRejectCall,
      match: { if case .apiRejectCall(let contact) = $0 { contact } else { nil } })
    commands.command(
      "apiSendCallOffer", "/_call offer @",
      contact, json(WebRTCCallOffer.self).after(" "),
      make: ChatCommand.apiSendCallOffer,
      match: { if case .apiSendCallOffer(let contact, let callOffer) = $0 { (contact, callOffer) } else { nil } })
    commands.command(
      "apiSendCallAnswer", "/_call answer @",
      contact, json(WebRTCSession.self).after(" "),
      make: ChatCommand.apiSendCallAnswer,
      match: { if case .apiSendCallAnswer(let contact, let answer) = $0 { (contact, answer) } else { nil } })
    commands.command(
      "apiSendCallExtraInfo", "/_call extra @",
      contact, json(WebRTCExtraInfo.self).after(" "),
      make: ChatCommand.apiSendCallExtraInfo,
      match: { if case .apiSendCallExtraInfo(let contact, let extraInfo) = $0 { (contact, extraInfo) } else { nil } })
    commands.command(
      "apiEndCall", "/_call end @",
      contact,
      make: ChatCommand.apiEndCall,
      match: { if case .apiEndCall(let contact) = $0 { contact } else { nil } })
    commands.command(
      "apiGetCallInvitations", "/_call get",
      make: { .apiGetCallInvitations }, match: { if case .apiGetCallInvitations = $0 { () } else { nil } })
    commands.command(
      "apiCallStatus", "/_call status @",
      contact, oneOf("callStatus", WebRTCCallStatus.allCases).after(" "),
      make: ChatCommand.apiCallStatus,
      match: { if case .apiCallStatus(let contact, let callStatus) = $0 { (contact, callStatus) } else { nil } })
  }
}
