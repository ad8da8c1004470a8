import ChatAPI

extension AppState {
  /// Events of calls. All but invitations concern the call under way; those of other contacts are ignored.
  mutating func reduceCall(_ event: ChatEvent) -> [StateEffect]? {
    switch event {
    case .callInvitation(let invitation):
      calls.callInvitations[invitation.contact.id] = invitation
      changes.insert(.calls)
      return mayNotify(invitation.user) ? [.callInvited(invitation)] : []
    case .callOffer(_, let contact, let type, let offer, let sharedKey, _):
      return withCall(with: contact, event: event) { calls in
        calls.activeCall?.callState = .offerReceived
        calls.activeCall?.sharedKey = sharedKey
        calls.callCommands.append(.offer(session: offer, media: type.media, sharedKey: sharedKey))
      }
    case .callAnswer(_, let contact, let answer):
      return withCall(with: contact, event: event) { calls in
        calls.activeCall?.callState = .answerReceived
        calls.callCommands.append(.answer(session: answer))
      }
    case .callExtraInfo(_, let contact, let info):
      return withCall(with: contact, event: event) {
        $0.callCommands.append(.ice(iceCandidates: info.rtcIceCandidates))
      }
    case .callEnded(_, let contact):
      let wasInvited = calls.callInvitations.removeValue(forKey: contact.id) != nil
      if wasInvited { changes.insert(.calls) }
      let effects = withCall(with: contact, event: event) { calls in
        calls.activeCall?.callState = .ended
        calls.callCommands.append(.end)
      }
      return wasInvited || effects.isEmpty ? [.callRemoteEnded(contact.id)] : effects
    default: return nil
    }
  }

  private mutating func withCall(
    with contact: Contact, event: ChatEvent, change: (inout CallsState) -> Void
  ) -> [StateEffect] {
    guard calls.activeCall?.contact.contactId == contact.contactId else {
      return [.ignored(event)]
    }
    change(&calls)
    changes.insert(.calls)
    return []
  }
}
