import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of calls. All but invitations concern the call under way. A contact who goes on with another one, which an
  /// app that was ended had, is told that it is over.
  mutating func reduceCall(_ event: ChatEvent, at now: Date) -> [StateEffect]? {
    switch event {
    case .callInvitation(let invitation):
      let invitation = invitation.noLater(than: now)
      let id = invitation.contact.id
      calls.callInvitations[id] = invitation
      changes.insert(.calls)
      guard mayNotify(invitation.user), now < CallsState.end(of: invitation) else { return [] }
      if let last = calls.rung[id], abs(now.timeIntervalSince(last)) < CallsState.ringInterval { return [] }
      calls.rung[id] = now
      return [.callInvited(invitation)]
    case .callOffer(_, let contact, let type, let offer, let sharedKey, _):
      return withCall(with: contact, otherwise: .endCall(contact)) { calls in
        calls.activeCall?.callState = .offerReceived
        calls.activeCall?.sharedKey = sharedKey
        calls.callCommands.append(.offer(session: offer, media: type.media, sharedKey: sharedKey))
      }
    case .callAnswer(_, let contact, let answer):
      return withCall(with: contact, otherwise: .endCall(contact)) { calls in
        calls.activeCall?.callState = .answerReceived
        calls.callCommands.append(.answer(session: answer))
      }
    case .callExtraInfo(_, let contact, let info):
      return withCall(with: contact, otherwise: .ignored(event)) {
        $0.callCommands.append(.ice(iceCandidates: info.rtcIceCandidates))
      }
    case .callEnded(let user, let contact):
      let invitation = calls.callInvitations.removeValue(forKey: contact.id)
      if invitation != nil { changes.insert(.calls) }
      let effects = withCall(with: contact, otherwise: .ignored(event)) { calls in
        calls.activeCall?.callState = .ended
        calls.callCommands.append(.end)
      }
      guard let invitation else { return effects.isEmpty ? [.callRemoteEnded(contact.id)] : effects }
      return [.callRemoteEnded(contact.id)] + (mayNotify(user) ? [.callMissed(invitation)] : [])
    default: return nil
    }
  }

  private mutating func withCall(
    with contact: Contact, otherwise effect: StateEffect, change: (inout CallsState) -> Void
  ) -> [StateEffect] {
    guard calls.activeCall?.contact.contactId == contact.contactId else {
      return [effect]
    }
    change(&calls)
    changes.insert(.calls)
    return []
  }

  /// Replaces the invitations that wait by those that the core has: after a start and an activation. The ones that are
  /// new here ring.
  mutating func refreshCalls(_ invitations: [RcvCallInvitation], at now: Date) -> [StateEffect] {
    let known = calls.callInvitations
    calls.callInvitations = [:]
    calls.missed.formIntersection(invitations.map(\.callUUID))
    changes.insert(.calls)
    return invitations.filter { !calls.missed.contains($0.callUUID) }.flatMap { invitation -> [StateEffect] in
      if let known = known[invitation.contact.id], known.callUUID == invitation.callUUID {
        calls.callInvitations[invitation.contact.id] = invitation.noLater(than: known.callTs)
        return []
      }
      return reduceCall(.callInvitation(callInvitation: invitation), at: now) ?? []
    } + expireCalls(at: now)
  }

  /// Removes the invitations that nobody answered in time. The core keeps them for a day.
  mutating func expireCalls(at now: Date) -> [StateEffect] {
    calls.rung = calls.rung.filter { abs(now.timeIntervalSince($0.value)) < CallsState.ringInterval }
    let expired = calls.callInvitations.values.filter { now >= CallsState.end(of: $0) }
    for invitation in expired {
      calls.callInvitations[invitation.contact.id] = nil
      calls.missed.insert(invitation.callUUID)
    }
    if !expired.isEmpty { changes.insert(.calls) }
    // After the clock was set back, calls in the future ring for 180 seconds from now, not until it reaches them.
    for (id, invitation) in calls.callInvitations where invitation.callTs > now {
      calls.callInvitations[id] = invitation.noLater(than: now)
      changes.insert(.calls)
    }
    return expired.sorted { $0.callTs < $1.callTs }.filter { mayNotify($0.user) }.map { .callMissed($0) }
  }
}

extension RcvCallInvitation {
  /// The invitation with another time where its own is after it, since the clock of the device may be behind that of
  /// the relay, or have been set back.
  fileprivate func noLater(than time: Date) -> RcvCallInvitation {
    var invitation = self
    invitation.callTs = min(callTs, time)
    return invitation
  }
}
