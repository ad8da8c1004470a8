import Foundation
import SimplexJSON
import SimplexTesting
import Synchronization
import Testing

@testable import SimpleXChat

/// Calls that do not go as they should.
@Suite(.timeLimit(.minutes(2))) struct CallTests {
  private static let invitation = #"{"media":"audio","capabilities":{"encryption":true}}"#
  private static let offer =
    #"{"callType":{"media":"audio","capabilities":{"encryption":true}},"rtcSession":{"rtcSession":"o","rtcIceCandidates":"c"}}"#
  private static let session = #"{"rtcSession":"a","rtcIceCandidates":"c"}"#

  /// The status and the duration of the newest call in a chat.
  private static func status(_ core: TestCore) async throws -> String {
    let items = try await core.run("/_get chat @2 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
    let call = items.last { $0["content"]?["type"]?.stringValue?.hasSuffix("Call") == true }
    return call?["content"]?["status"]?.stringValue ?? "none"
  }

  /// A call between alice, who called, and bob, in a state.
  private static func call(_ alice: TestCore, _ bob: TestCore, until state: String) async throws {
    _ = try await alice.run("/_call invite @2 \(invitation)")
    _ = try await bob.event("callInvitation")
    if state == "invited" { return }
    _ = try await bob.run("/_call offer @2 \(offer)")
    _ = try await alice.event("callOffer")
    if state == "offered" { return }
    _ = try await alice.run("/_call answer @2 \(session)")
    _ = try await bob.event("callAnswer")
  }

  /// The process that had the media is gone: the next one ends the call, also for the contact.
  @Test(arguments: ["offered", "negotiated", "connected"]) func aKilledProgramEndsItsCalls(_ state: String) async throws
  {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await Self.call(alice, bob, until: state)
      if state == "connected" { _ = try await alice.run("/_call status @2 connected") }
      let again = try await world.kill("alice")
      _ = try await bob.event("callEnded")
      #expect(try await Self.status(again) == "ended")
      #expect(try await Self.status(bob) == "ended")
      #expect(try await again.answer("/_call end @2")["errorType"]?["type"]?.stringValue == "noCurrentCall")
      #expect(try await bob.answer("/_call end @2")["errorType"]?["type"]?.stringValue == "noCurrentCall")
    }
  }

  /// A call that rings when either program is killed goes on with the next one.
  @Test func anInvitationSurvives() async throws {
    try await TestWorld.with { world in
      var (alice, bob) = try await world.connected("alice", "bob")
      try await Self.call(alice, bob, until: "invited")
      alice = try await world.kill("alice")
      bob = try await world.kill("bob")
      let invitations = try await bob.run("/_call get")["callInvitations"]?.arrayValue ?? []
      #expect(invitations.count == 1 && invitations[0]["sharedKey"]?.stringValue != nil)
      _ = try await bob.run("/_call offer @2 \(Self.offer)")
      let offered = try await alice.event("callOffer")
      #expect(offered["sharedKey"]?.stringValue == invitations[0]["sharedKey"]?.stringValue)
    }
  }

  /// An extension that uses the databases while the app is suspended leaves calls as they are, in every state.
  @Test(arguments: ["invited", "offered", "negotiated"]) func anExtensionEndsNoCall(_ state: String) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await Self.call(alice, bob, until: state)
      _ = try await bob.run("/_app suspend 0")
      let share = TestCore("share", try await ChatController.open(world.options("bob")))
      _ = try await share.run("/_start main=off")
      let waiting = try await share.run("/_call get")["callInvitations"]?.arrayValue ?? []
      #expect(waiting.count == (state == "invited" ? 1 : 0))
      _ = try await share.run("@alice from the extension")
      #expect(try await alice.message() == "from the extension")
      await share.controller.finish()
      _ = try await bob.run("/_app activate")
      // The call goes on where it was.
      switch state {
      case "invited":
        _ = try await bob.run("/_call offer @2 \(Self.offer)")
        _ = try await alice.event("callOffer")
      case "offered":
        _ = try await alice.run("/_call answer @2 \(Self.session)")
        _ = try await bob.event("callAnswer")
      default:
        _ = try await alice.run(#"/_call extra @2 {"rtcIceCandidates":"c"}"#)
        _ = try await bob.event("callExtraInfo")
      }
      for core in [alice, bob] { #expect(try await Self.status(core) != "ended") }
    }
  }

  /// A clock that is set back during a call gives it no duration below zero.
  @Test func aClockIsSetBack() async throws {
    let clock = Mutex(0.0)
    try await TestWorld.with(options: { $0.clock = { Date().addingTimeInterval(clock.withLock { $0 }) } }) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await Self.call(alice, bob, until: "negotiated")
      _ = try await alice.run("/_call status @2 connected")
      clock.withLock { $0 = -86_400 }
      _ = try await alice.run("/_call end @2")
      _ = try await bob.event("callEnded")
      for core in [alice, bob] { #expect(try await Self.status(core) == "ended") }
      let items = try await alice.run("/_get chat @2 count=10")["chat"]?["chatItems"]?.arrayValue ?? []
      #expect(items.compactMap { $0["content"]?["duration"]?.integerValue } == [0])
      // The next call rings, although the last one is in the future now.
      try await Self.call(alice, bob, until: "invited")
      #expect(try await bob.run("/_call get")["callInvitations"]?.arrayValue?.count == 1)
    }
  }

  /// Keys are in the database while a call rings, and not afterwards.
  @Test func keysLeaveTheDatabase() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let query = "SELECT count(*) FROM calls WHERE secret_key IS NOT NULL"
      try await Self.call(alice, bob, until: "invited")
      for core in [alice, bob] { #expect(try await core.rows(query) == ["1"]) }
      try await Self.call(alice, bob, until: "offered")
      for core in [alice, bob] { #expect(try await core.rows(query) == ["0"]) }
    }
  }

  /// Where both call each other at the same time, one of the two calls rings, and the other one was missed.
  @Test func bothCallAtOnce() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      await world.stopRelay()
      var ids: [String] = []
      for core in [alice, bob] {
        _ = try await core.run("/_call invite @2 \(Self.invitation)")
        ids += try await core.rows("SELECT hex(call_id) FROM calls") ?? []
      }
      try await world.startRelay()
      let (caller, callee) = ids[0] < ids[1] ? (alice, bob) : (bob, alice)
      _ = try await callee.event("callInvitation")
      #expect(try await Self.status(callee) == "pending")
      _ = try await caller.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["content"]?["status"]?.stringValue == "missed"
      }
      _ = try await callee.run("/_call offer @2 \(Self.offer)")
      _ = try await caller.event("callOffer")
      _ = try await caller.run("/_call answer @2 \(Self.session)")
      _ = try await callee.event("callAnswer")
      #expect(try await Self.status(callee) == "negotiated")
    }
  }

  /// Messages about calls that are none change nothing; a contact that waits for an answer is told that there is no
  /// call.
  @Test func messagesAboutNoCall() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      let id = "AAAAAAAAAAAAAAAAAAAAAA=="
      let offer =
        #"{"callType":{"media":"audio","capabilities":{"encryption":false}},"rtcSession":{"rtcSession":"o","rtcIceCandidates":"c"}}"#
      func message(_ event: String, _ params: String) -> String {
        #"{"v":"1-16","event":"\#(event)","params":{"callId":"\#(id)"\#(params)}}"#
      }
      for (event, params) in [
        ("x.call.offer", #","offer":\#(offer)"#), ("x.call.answer", #","answer":{"rtcSession":\#(Self.session)}"#),
        ("x.call.extra", #","extra":{"rtcExtraInfo":{"rtcIceCandidates":"c"}}"#), ("x.call.end", ""),
      ] {
        try await mallory.send(message(event, params))
        let error = try await alice.event("messageError")
        #expect(error["errorMessage"]?.stringValue == "\(event): no current call")
      }
      // An identifier without bytes is none.
      try await mallory.send(
        #"{"v":"1-16","event":"x.call.inv","params":{"callId":"","invitation":{"callType":{"media":"audio","capabilities":{"encryption":false}}}}}"#
      )
      _ = try await alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["content"]?["type"]?.stringValue == "rcvMsgError"
      }
      #expect(try await alice.rows("SELECT count(*) FROM calls") == ["0"])
    }
  }

  /// A message with many offers of calls that are none is answered with one message.
  @Test func manyOffersOfNoCall() async throws {
    try await HostileContact.play(pq: false) { contact in
      let offers = (10..<60).map { number in
        #"{"v":"1-16","event":"x.call.offer","params":{"callId":"\#(number)aa","offer":{"callType":{"media":"audio","capabilities":{"encryption":false}},"rtcSession":{"rtcSession":"","rtcIceCandidates":""}}}}"#
      }
      try await contact.mallory.send("[\(offers.joined(separator: ","))]")
      for _ in offers { _ = try await contact.alice.event("messageError") }
      _ = try await contact.alice.run("@mallory that was it")
      let answers = try await contact.mallory.messages(through: "that was it")
      #expect(answers.count { $0.contains("x.call.end") } == 1)
    }
  }

  /// A contact that calls again and again has one call; each one before is an item that was missed.
  @Test func manyInvitations() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      for number in 10..<30 {
        try await mallory.send(
          #"{"v":"1-16","event":"x.call.inv","params":{"callId":"\#(number)aa","invitation":{"callType":{"media":"audio","capabilities":{"encryption":false}}}}}"#
        )
      }
      for _ in 10..<30 { _ = try await alice.event("callInvitation") }
      #expect(try await alice.rows("SELECT count(*) FROM calls") == ["1"])
      #expect(try await alice.run("/_call get")["callInvitations"]?.arrayValue?.count == 1)
      #expect(
        try await alice.rows("SELECT count(*) FROM items WHERE content LIKE '%rcvCall%missed%'") == ["19"])
      // Candidates of 1 MB do not fit into a message.
      _ = try await alice.run("/_call offer @2 \(Self.offer)")
      let refused = try await alice.answer(
        #"/_call extra @2 {"rtcIceCandidates":"\#(String(repeating: "c", count: 1 << 20))"}"#)
      #expect(refused["storeError"]?["type"]?.stringValue == "largeMsg")
    }
  }

  /// A call that nobody answers ends after a day.
  @Test func anInvitationExpires() async throws {
    let clock = Mutex(0.0)
    try await TestWorld.with(options: {
      $0.clock = { Date().addingTimeInterval(clock.withLock { $0 }) }
      $0.cleanupInterval = 50
    }) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await Self.call(alice, bob, until: "invited")
      clock.withLock { $0 = 86_400 - 600 }
      #expect(try await bob.run("/_call get")["callInvitations"]?.arrayValue?.count == 1)
      clock.withLock { $0 = 86_400 + 600 }
      _ = try await bob.event("chatItemUpdated") {
        $0["chatItem"]?["chatItem"]?["content"]?["status"]?.stringValue == "missed"
      }
      #expect(try await bob.run("/_call get")["callInvitations"]?.arrayValue?.isEmpty == true)
    }
  }
}
