import ChatAPI
import Testing

@testable import ProfileImport

@Suite struct StatusTextTests {
  @Test(arguments: [
    ("snd_new", CIStatus.sndNew), ("snd_sent", .sndSent(sndProgress: .complete)),
    ("snd_sent partial", .sndSent(sndProgress: .partial)),
    ("snd_rcvd ok complete", .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete)),
    ("snd_rcvd badMsgHash", .sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete)),
    ("snd_error_auth", .sndErrorAuth), ("snd_error quota", .sndError(agentError: .quota)),
    ("snd_warning relay host", .sndWarning(agentError: .relay(srvError: .host))),
    (
      "snd_error proxy smp.example.org other no route",
      .sndError(agentError: .proxy(proxyServer: "smp.example.org", srvError: .other(srvError: "no route")))
    ),
    ("snd_error what it said", .sndError(agentError: .other(sndError: "what it said"))),
    ("rcv_new", .rcvNew), ("rcv_read", .rcvRead), ("snd_lost", .invalid(text: "snd_lost")), ("", .invalid(text: "")),
  ])
  func reads(_ text: String, _ status: CIStatus) { #expect(StatusText.status(text) == status) }

  @Test(arguments: [
    ("snd_new", GroupSndStatus.new), ("snd_forwarded", .forwarded), ("snd_inactive", .inactive),
    ("snd_sent complete", .sent), ("snd_rcvd ok complete", .rcvd(msgRcptStatus: .ok)),
    ("snd_error_auth", .error(agentError: .auth)), ("snd_warning expired", .warning(agentError: .expired)),
    ("rcv_new", .invalid(text: "rcv_new")),
  ])
  func readsStatusesForMembers(_ text: String, _ status: GroupSndStatus) {
    #expect(StatusText.recipientStatus(text) == status)
  }
}
