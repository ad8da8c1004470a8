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

  @Test func `A call stops ringing in time where the clock is behind or is set back`() {
    var state = state()
    // The relay's clock is a day ahead of the device's.
    let call = invitation("1", at: now.addingTimeInterval(86_400))
    #expect(state.reduce(.callInvitation(callInvitation: call), at: now).count == 1)
    #expect(state.calls.firstEnd == now.addingTimeInterval(180))
    _ = state.refreshCalls([call], at: now.addingTimeInterval(100))
    #expect(state.calls.firstEnd == now.addingTimeInterval(180))
    // The device's clock is set back by a day: the wait for the end is over, and another one begins.
    let back = now.addingTimeInterval(180 - 86_400)
    let none = state.expireCalls(at: back)
    #expect(none.isEmpty && state.calls.firstEnd == back.addingTimeInterval(180))
    let missed = state.expireCalls(at: back.addingTimeInterval(180))
    #expect(missed.count == 1 && state.calls.callInvitations.isEmpty)
    // The core has it for a day, and it does not ring again.
    let again = state.refreshCalls([call], at: back.addingTimeInterval(240))
    #expect(again.isEmpty && state.calls.callInvitations.isEmpty)
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
