import ChatAPI
import ChatLogic
import Testing

/// The tables of calls: what an item shows after a report, and which steps a state allows.
@Suite struct CallRulesTests {
  @Test func theStatusAfterAReport() {
    // For each status: after connecting, connected, disconnected, failed; nil where nothing changes.
    let table: [CICallStatus: [CICallStatus?]] = [
      .pending: [.negotiated, .progress, .missed, .error],
      .accepted: [.negotiated, .progress, .ended, .error],
      .negotiated: [nil, .progress, .ended, .error],
      .progress: [.negotiated, nil, .ended, .ended],
      .missed: [.negotiated, .progress, .ended, .error],
      .rejected: [.negotiated, .progress, .ended, .error],
      .ended: [nil, nil, nil, nil],
      .error: [nil, nil, nil, nil],
    ]
    for status in CICallStatus.allCases {
      #expect([.connecting, .connected, .disconnected, .failed].map { status.after($0) } == table[status], "\(status)")
    }
  }

  @Test func stepsAndStates() {
    // For each step the states that allow it, with those after it; nil where the call is over.
    let table: [CallStep: [CallStateTag: CallStateTag?]] = [
      .reject: [.invitationReceived: nil],
      .offer: [.invitationReceived: .offerSent],
      .answer: [.offerReceived: .negotiated],
      .extra: [.offerSent: .offerSent, .negotiated: .negotiated],
      .offered: [.invitationSent: .offerReceived],
      .answered: [.offerSent: .negotiated],
      .extraReceived: [.offerReceived: .offerReceived, .negotiated: .negotiated],
    ]
    for step in CallStep.allCases {
      for state in CallStateTag.allCases {
        let expected = table[step]?[state]
        #expect(step.isAllowed(in: state) == (expected != nil), "\(step) in \(state)")
        if let expected { #expect(step.state(after: state) == expected, "\(step) in \(state)") }
      }
    }
  }

  @Test func namesInErrors() {
    #expect(CallStateTag.allCases.map(\.errorName).first == "CSTCallInvitationSent")
  }
}
