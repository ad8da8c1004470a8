import AgentCore
import AgentProtocol
import Foundation
import SMPProtocol
import SimplexAgent
import Testing

@Suite("Agents over a real relay and TLS", .timeLimit(.minutes(1)))
struct AgentTests {
  /// Two agents at one relay.
  private func withAgents(_ body: (TestAgent, TestAgent, LoopbackRelay) async throws -> Void) async throws {
    let relay = try await LoopbackRelay.start()
    let alice = try await TestAgent(relay)
    let bob = try await TestAgent(relay)
    try await body(alice, bob, relay)
    await alice.agent.close()
    await bob.agent.close()
    await relay.stop()
  }

  @Test(arguments: [false, true], [false, true])
  func anInvitationConnectsTwoAgents(isShort: Bool, pq: Bool) async throws {
    try await withAgents { alice, bob, _ in
      let (a, b) = try await connect(alice, bob, isShort: isShort, pq: pq)
      #expect(try await alice.agent.verificationCode(a) == bob.agent.verificationCode(b))
      for number in 0..<5 {
        let sent = try await alice.send(a, "to bob \(number)")
        let (metadata, text) = try await bob.message(b)
        #expect(text == "to bob \(number)")
        #expect(metadata.integrity == .ok)
        #expect(metadata.pqEncryption == sent.pqEncryption)
        try await bob.send(b, "to alice \(number)")
        #expect(try await alice.message(a).text == "to alice \(number)")
      }
    }
  }

  @Test(arguments: [false, true])
  func anAddressTakesRequests(isShort: Bool) async throws {
    try await withAgents { alice, bob, _ in
      let data =
        isShort
        ? UserLinkData(
          agentVersions: AgentVersion.supported, kind: .contact(ContactLinkData(isDirect: true)),
          content: Array("alice".utf8)) : nil
      let (_, link) = try await alice.agent.createConnection(alice.user, mode: .contact, linkData: data)
      var request = link.full
      if let short = link.short { request = try await bob.agent.getLinkData(bob.user, short).request }
      let (b, _) = try await bob.agent.join(bob.user, request, info: Array("bob".utf8))
      let (invitation, info) = try await alice.request()
      #expect(info == Array("bob".utf8))
      let (a, _) = try await alice.agent.acceptContact(alice.user, invitation, info: Array("alice".utf8))
      let (confirmation, answer) = try await bob.confirmation(b)
      #expect(answer == Array("alice".utf8))
      try await bob.agent.allow(b, confirmation, info: [])
      _ = try await alice.connected(a)
      _ = try await bob.connected(b)
      try await alice.send(a, "hello")
      #expect(try await bob.message(b).text == "hello")
    }
  }

  @Test func messagesSurviveRestartsAndOutages() async throws {
    try await withAgents { alice, bob, relay in
      let (a, b) = try await connect(alice, bob)
      await bob.agent.close()
      for number in 0..<3 { try await alice.send(a, "\(number)") }
      await relay.stop()
      for number in 3..<6 { try await alice.send(a, "\(number)") }
      try await alice.restart()
      for number in 6..<9 { try await alice.send(a, "\(number)") }
      try await relay.startAgain()
      try await bob.restart()
      for number in 0..<9 {
        let (metadata, text) = try await bob.message(b)
        #expect(text == "\(number)")
        #expect(metadata.integrity == .ok)
      }
      try await bob.send(b, "all here")
      #expect(try await alice.message(a).text == "all here")
    }
  }

  @Test func manyInOneTransactionArriveInOrder() async throws {
    try await withAgents { alice, bob, _ in
      let (a, b) = try await connect(alice, bob)
      let count = 300
      let results = try await alice.agent.send(
        (0..<count).map { OutgoingMessage(to: a, bodyIndex: $0 % 2) }, bodies: [Array("even".utf8), Array("odd".utf8)])
      #expect(results.count == count)
      for number in 0..<count {
        #expect(try await bob.message(b).text == (number.isMultiple(of: 2) ? "even" : "odd"))
      }
    }
  }

  @Test func receiptsComeBack() async throws {
    try await withAgents { alice, bob, _ in
      let (a, b) = try await connect(alice, bob)
      let sent = try await alice.send(a, "hello")
      _ = try await bob.message(b, receipt: [])
      let (metadata, receipts) = try await alice.next { event -> (MessageMetadata, [DeliveryReceipt])? in
        if case .received(let metadata, let receipts) = event.kind { (metadata, receipts) } else { nil }
      }
      #expect(receipts == [DeliveryReceipt(message: MessageReference(id: sent.id), isIntact: true)])
      try await alice.agent.ack(a, metadata.id)
    }
  }

  @Test(arguments: [false, true])
  func messagesGoThroughAnotherRelay(isShort: Bool) async throws {
    let relays = [try await LoopbackRelay.start(), try await LoopbackRelay.start()]
    var options = TestAgent.options
    options.configuration.proxyMode = .always
    options.configuration.proxyFallback = false
    let alice = try await TestAgent(relays[0])
    let bob = try await TestAgent(relays[1], options: options)
    let (a, b) = try await connect(alice, bob, isShort: isShort)
    let sent = try await bob.send(b, "hello")
    #expect(try await alice.message(a).text == "hello")
    let proxy = try await bob.next { event -> SMPServerAddress?? in
      if case .sent(MessageReference(id: sent.id), let proxy) = event.kind { .some(proxy) } else { nil }
    }
    #expect(proxy == relays[1].address)
    await alice.agent.close()
    await bob.agent.close()
    for relay in relays { await relay.stop() }
  }

  /// A relay cannot tell by its connections what belongs together, as far as the configuration wants it.
  @Test(arguments: [AgentConfiguration.Isolation.perUser, .perConnection])
  func connectionsToARelayAreIsolated(isolation: AgentConfiguration.Isolation) async throws {
    let relay = try await LoopbackRelay.start()
    var options = TestAgent.options
    options.configuration.isolation = isolation
    let alice = try await TestAgent(relay, options: options)
    let other = try await alice.agent.createUser(servers: [relay.userServer])
    for user in [alice.user, alice.user, other] {
      _ = try await alice.agent.createConnection(user, mode: .invitation)
    }
    #expect(await relay.openConnections() == (isolation == .perUser ? 2 : 3))
    await alice.agent.close()
    await relay.stop()
  }

  @Test func aClosedAgentRefusesAndItsEventsEnd() async throws {
    try await withAgents { alice, _, _ in
      await alice.agent.close()
      await #expect(throws: AgentError.inactive) { try await alice.agent.subscribeAll() }
      await #expect(throws: TestAgent.Ended.self) { try await alice.next { _ in nil as Int? } }
    }
  }

  @Test func anUnreachableRelayFailsTheCall() async throws {
    try await withAgents { alice, _, relay in
      await relay.stop()
      do {
        _ = try await alice.agent.createConnection(alice.user, mode: .invitation)
        Issue.record("created without a relay")
      } catch let error as AgentError {
        #expect(error.isTemporary)
      }
    }
  }
}
