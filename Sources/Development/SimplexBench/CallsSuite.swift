import ChatAPI
import Foundation
import SimpleXChat

/// Signalling of calls between two chat controllers in this process, over a relay in a separate process.
@Sendable func callsSuite(_ bench: Bench) async throws {
  try await BenchChat.pair { alice, bob, contact, _ in
    try await measureCalls(bench, alice: alice, bob: bob, contact: contact)
    await alice.controller.finish()
    await bob.controller.finish()
  }
}

private func measureCalls(_ bench: Bench, alice: BenchChat, bob: BenchChat, contact: Int64) async throws {
  let clock = ContinuousClock()
  var (ringing, changes): ([Double], [Double]) = ([], [])
  let type = "{\"media\":\"video\",\"capabilities\":{\"encryption\":true}}"
  let session = "{\"rtcSession\":\"offer\",\"rtcIceCandidates\":\"candidates\"}"
  for _ in 0..<200 {
    let start = clock.now
    _ = try await alice.run("/_call invite @\(contact) \(type)")
    let caller = try await bob.event { event in
      if case .callInvitation(let invitation) = event { invitation.contact.contactId } else { nil }
    }
    ringing.append((clock.now - start).inSeconds * 1_000)
    _ = try await bob.run("/_call offer @\(caller) {\"callType\":\(type),\"rtcSession\":\(session)}")
    try await alice.event { event in if case .callOffer = event { true } else { nil } }
    let change = clock.now
    _ = try await alice.run("/_call status @\(contact) connected")
    try await alice.event { event -> Bool? in
      guard case .chatItemUpdated(_, let item) = event, case .sndCall(.progress, _) = item.chatItem.content else {
        return nil
      }
      return true
    }
    changes.append((clock.now - change).inSeconds * 1_000)
    _ = try await alice.run("/_call end @\(contact)")
    try await bob.event { event in if case .callEnded = event { true } else { nil } }
  }
  bench.record(
    "from an invitation to its event, median", ringing.percentile(0.5), unit: "ms", goal: 10, lessIsBetter: true,
    note: "99 of 100 within \(ringing.percentile(0.99).rounded(to: 2)) ms")
  bench.record(
    "a change of a call's item, median", changes.percentile(0.5), unit: "ms", goal: 5, lessIsBetter: true,
    note: "99 of 100 within \(changes.percentile(0.99).rounded(to: 2)) ms")
}

extension BenchChat {
  /// Reads events until one has a value.
  @discardableResult
  fileprivate func event<Value>(_ value: (ChatEvent) -> Value?) async throws -> Value {
    while let event = await controller.eventQueue.next(within: .seconds(30)) {
      if case .result(let event) = event, let found = value(event) { return found }
    }
    throw BenchError.unexpected
  }
}
