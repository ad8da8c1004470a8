import ChatAPI
import ChatTerminal
import Foundation
import SimpleXChat

/// Two profiles who meet, write, edit and react, over TLS, relay and ratchet; with a transcript and the time of each
/// step.
struct Conversation {
  private let alice: DemoPeer
  private let bob: DemoPeer

  /// Plays it.
  static func play(folder: URL, relay: DemoRelay) async throws(DemoFailure) {
    let start = ContinuousClock.now
    let alice = try await DemoPeer.start("alice", folder: folder, relay: relay)
    let bob = try await DemoPeer.start("bob", folder: folder, relay: relay)
    note("two profiles with databases of their own", since: start)
    let result: Result<Void, DemoFailure>
    do throws(DemoFailure) {
      result = .success(try await Conversation(alice: alice, bob: bob).run())
    } catch {
      result = .failure(error)
    }
    await alice.stop()
    await bob.stop()
    try result.get()
  }

  private func run() async throws(DemoFailure) {
    let link = try await step(of: alice, command: "/address") { () throws(DemoFailure) in
      try await alice.createAddress()
    }
    Self.line("       \(link)")
    try await step(of: bob, command: "/connect <link>") { () throws(DemoFailure) in
      _ = try await bob.send("/connect \(link)")
      try await shown(by: bob, what: "the connection") { if case .contactConnected = $0 { $0 } else { nil } }
      try await shown(by: alice, what: "the connection") { if case .contactConnected = $0 { $0 } else { nil } }
    }
    try await step(of: bob, command: "@alice Hello, this is Bob.") { () throws(DemoFailure) in
      _ = try await bob.send("@alice Hello, this is Bob.")
      try await message(alice)
      try await receipt(bob)
    }
    try await step(of: alice, command: "@bob *Hi* Bob!") { () throws(DemoFailure) in
      _ = try await alice.send("@bob *Hi* Bob!")
      try await message(bob)
    }
    try await step(of: bob, command: "! @alice (Hello, this) Hello, this is Bob B.") { () throws(DemoFailure) in
      _ = try await bob.send("! @alice (Hello, this) Hello, this is Bob B.")
      try await shown(by: alice, what: "the edited message") { if case .chatItemUpdated = $0 { $0 } else { nil } }
    }
    try await step(of: alice, command: "+1 @bob Hello, this is Bob B.") { () throws(DemoFailure) in
      _ = try await alice.send("+1 @bob Hello, this is Bob B.")
      try await shown(by: bob, what: "the reaction") { if case .chatItemReaction = $0 { $0 } else { nil } }
    }
  }

  // MARK: Steps

  private func step<Value>(
    of peer: DemoPeer, command: String, body: () async throws(DemoFailure) -> Value
  ) async throws(DemoFailure) -> Value {
    let start = ContinuousClock.now
    Self.line("\(peer.name) ##> \(command)")
    let value = try await body()
    Self.note("done", since: start)
    return value
  }

  private func message(_ peer: DemoPeer) async throws(DemoFailure) {
    try await shown(by: peer, what: "the message") { event in
      guard case .newChatItems(_, let items) = event, items.contains(where: { $0.chatItem.content.hasMsgContent })
      else { return nil }
      return event
    }
  }

  private func receipt(_ peer: DemoPeer) async throws(DemoFailure) {
    try await peer.event("the receipt") { event -> Void? in
      guard case .chatItemsStatusesUpdated(_, let items) = event else { return nil }
      let isReceived = items.contains { if case .sndRcvd = $0.chatItem.meta.itemStatus { true } else { false } }
      return isReceived ? () : nil
    }
    Self.line("\(peer.name) <## ✓ received")
  }

  private func shown(
    by peer: DemoPeer, what: String, select: (ChatEvent) -> ChatEvent?
  ) async throws(DemoFailure) {
    let event = try await peer.event(what, select)
    for line in ChatView(user: peer.user, showsReactions: true).lines(event) {
      Self.line("\(peer.name) <## \(line.text)")
    }
  }

  // MARK: Transcript

  static func note(_ text: String, since start: ContinuousClock.Instant) {
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    line("       \(text) (\(String(format: "%.1f", milliseconds)) ms)")
  }

  static func line(_ text: String) {
    print(text)
    fflush(nil)
  }
}
