import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatState

/// Calls that wait for an answer.
@Suite struct CallTests {
  private let now = Samples.time(1000)
  private let bob = Samples.contact(1, "bob", at: Samples.time(0))

  private func state() -> AppState {
    var state = AppState()
    state.session.currentUser = Samples.user()
    return state
  }

  private func invitation(_ uuid: String, at time: Date) -> RcvCallInvitation {
    RcvCallInvitation(
      user: Samples.user(), contact: bob,
      callType: CallType(media: .audio, capabilities: CallCapabilities(encryption: true)), callUUID: uuid, callTs: time)
  }

  @Test func `A contact that calls again and again rings once in three seconds`() {
    var state = state()
    var rings = 0
    for tenth in 0..<100 {
      let time = now.addingTimeInterval(Double(tenth) / 10)
      let call = invitation("\(tenth)", at: time)
      rings += state.reduce(.callInvitation(callInvitation: call), at: time).count
      // Shown is the last one.
      #expect(state.calls.callInvitations == [bob.id: call])
    }
    #expect(rings == 4)
  }

  @Test func `A call that nobody answers was missed after three minutes`() {
    var state = state()
    let call = invitation("1", at: now)
    #expect(state.reduce(.callInvitation(callInvitation: call), at: now) == [.callInvited(call)])
    let end = now.addingTimeInterval(180)
    #expect(state.calls.firstEnd == end)
    let early = state.expireCalls(at: end.addingTimeInterval(-0.001))
    #expect(early.isEmpty)
    let late = state.expireCalls(at: end)
    #expect(late == [.callMissed(call)])
    #expect(state.calls.callInvitations.isEmpty && state.calls.firstEnd == nil)
  }

  @Test func `A call that ends before it is answered was missed`() {
    var state = state()
    let call = invitation("1", at: now)
    _ = state.reduce(.callInvitation(callInvitation: call), at: now)
    let effects = state.reduce(.callEnded(user: Samples.user(), contact: bob), at: now)
    #expect(effects == [.callRemoteEnded(bob.id), .callMissed(call)])
  }

  @Test func `After a start the calls that came meanwhile ring, or were missed`() {
    var state = state()
    let (known, new, old) = (
      invitation("1", at: now), invitation("2", at: now), invitation("3", at: now.addingTimeInterval(-181))
    )
    _ = state.reduce(.callInvitation(callInvitation: known), at: now)
    let same = state.refreshCalls([known], at: now)
    #expect(same.isEmpty)
    let later = now.addingTimeInterval(5)
    let rings = state.refreshCalls([new], at: later)
    #expect(rings == [.callInvited(new)])
    let missed = state.refreshCalls([old], at: later)
    #expect(missed == [.callMissed(old)])
    #expect(state.calls.callInvitations.isEmpty)
  }
}
