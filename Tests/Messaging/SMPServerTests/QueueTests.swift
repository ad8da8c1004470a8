import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Testing

/// Queues from creation to deletion, over TLS and with a database.
@Suite(.timeLimit(.minutes(2))) struct QueueTests {
  @Test(arguments: 6...20 as ClosedRange<UInt16>)
  func aMessageGoesFromSenderToRecipient(_ version: UInt16) async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client(version)
      let sender = try await relay.client(version)
      let kind: KeyKind = version >= 7 ? .x25519 : .ed448
      let queue = try await recipient.newQueue(version >= 9 ? .messaging(nil) : nil)
      let confirmation = [UInt8](repeating: 1, count: 15_000)
      #expect(try await sender.sendMessage(confirmation, to: queue) == .ok)
      let first = try await recipient.event()
      #expect(first.entity == queue.recipient)
      let (firstID, firstBody) = try queue.body(first.message)
      #expect(firstBody == confirmation)

      var secured = queue
      let senderKey = kind.random
      secured.sender = senderKey
      #expect(try await recipient.ask(.key(senderKey.publicKey), queue.recipient, key: queue.key) == .ok)
      #expect(try await sender.sendMessage([2], to: secured) == .ok)
      #expect(try await sender.sendMessage([9], to: queue) == .err(.AUTH))
      // One message at a time: the second one comes with the acknowledgement of the first.
      #expect(try await recipient.hasEvent() == false)
      let (secondID, secondBody) = try queue.body(try await recipient.acknowledge(firstID, queue))
      #expect(secondBody == [2])
      #expect(try await recipient.acknowledge(secondID, queue) == .ok)
      #expect(try await recipient.acknowledge(secondID, queue) == .err(.NO_MSG))
    }
  }

  @Test(arguments: KeyKind.allCases) func theSenderSecuresTheQueue(_ kind: KeyKind) async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let sender = try await relay.client()
      var queue = try await recipient.newQueue(kind: kind)
      try await sender.secure(&queue, kind: kind)
      let other = kind.random
      #expect(try await sender.ask(.skey(other.publicKey), queue.ids.senderID, key: other) == .err(.AUTH))
      #expect(try await sender.sendMessage([1], to: queue) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [1])
      let contact = try await recipient.newQueue(.contact(nil))
      #expect(try await sender.ask(.skey(other.publicKey), contact.ids.senderID, key: other) == .err(.AUTH))
    }
  }

  @Test func aSecondSubscriberEndsTheFirst() async throws {
    try await TestRelay.with { relay in
      let first = try await relay.client()
      let second = try await relay.client()
      let queue = try await first.newQueue()
      #expect(try await first.sendMessage([1], to: queue) == .ok)
      let (id, _) = try queue.body(try await first.event().message)
      #expect(try await second.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      // Not acknowledged, so it is delivered again.
      let again = try queue.body(try await second.event().message)
      #expect(again.id == id)
      let end = try await first.event()
      #expect(end.message == .end && end.entity == queue.recipient)
      #expect(try await first.acknowledge(id, queue) == .err(.NO_MSG))
      #expect(try await second.acknowledge(id, queue) == .ok)
      second.close()
      #expect(try await first.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      #expect(try await first.hasEvent() == false)
    }
  }

  @Test func aFullQueueRefusesUntilItIsEmpty() async throws {
    try await TestRelay.with({ $0.queueQuota = 2 }) { relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue(subscription: .onlyCreate)
      for number in 1...2 { #expect(try await recipient.sendMessage([UInt8(number)], to: queue) == .ok) }
      #expect(try await recipient.sendMessage([3], to: queue) == .err(.QUOTA))
      #expect(try await recipient.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
      var (id, body) = try queue.body(try await recipient.event().message)
      #expect(body == [1])
      (id, body) = try queue.body(try await recipient.acknowledge(id, queue))
      #expect(try await recipient.sendMessage([4], to: queue) == .err(.QUOTA))
      let (markID, mark) = try queue.open(try await recipient.acknowledge(id, queue))
      guard case .quota = mark else {
        Issue.record("no quota message: \(mark)")
        return
      }
      #expect(try await recipient.acknowledge(markID, queue) == .ok)
      #expect(try await recipient.sendMessage([5], to: queue) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [5])
    }
  }

  @Test func getReadsWithoutSubscribing() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let reader = try await relay.client()
      let queue = try await recipient.newQueue()
      #expect(try await reader.ask(.get, queue.recipient, key: queue.key) == .ok)
      #expect(try await recipient.sendMessage([1], to: queue) == .ok)
      #expect(try await recipient.sendMessage([2], to: queue) == .ok)
      let (id, body) = try queue.body(try await reader.ask(.get, queue.recipient, key: queue.key))
      #expect(body == [1])
      #expect(try await reader.ask(.sub, queue.recipient, key: queue.key) == .err(.CMD(cmdErr: .PROHIBITED)))
      #expect(try await reader.acknowledge(id, queue) == .ok)
      #expect(try queue.body(try await reader.ask(.get, queue.recipient, key: queue.key)).body == [2])
      #expect(try await recipient.ask(.get, queue.recipient, key: queue.key) == .err(.CMD(cmdErr: .PROHIBITED)))
    }
  }

  @Test func suspendingAndDeleting() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let other = try await relay.client()
      let queue = try await recipient.newQueue()
      #expect(try await other.sendMessage([1], to: queue) == .ok)
      #expect(try await recipient.ask(.off, queue.recipient, key: queue.key) == .ok)
      #expect(try await other.sendMessage([2], to: queue) == .err(.AUTH))
      #expect(try await other.ask(.del, queue.recipient, key: queue.key) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [1])
      #expect(try await recipient.event().message == .deld)
      #expect(try await recipient.ask(.sub, queue.recipient, key: queue.key) == .err(.AUTH))
      #expect(try await other.sendMessage([3], to: queue) == .err(.AUTH))
      #expect(try await relay.store.counts() == StoreCounts())
    }
  }

  @Test func theStateOfAQueueIsTold() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      var queue = try await recipient.newQueue()
      try await recipient.secure(&queue)
      #expect(try await recipient.sendMessage([1], to: queue) == .ok)
      let (id, _) = try queue.body(try await recipient.event().message)
      guard case .info(let info) = try await recipient.ask(.que, queue.recipient, key: queue.key) else {
        Issue.record("no INFO")
        return
      }
      #expect(info.qiSnd && !info.qiNtf && info.qiSize == 1)
      #expect(info.qiSub == QSub(qSubThread: .noSub, qDelivered: id.description))
      #expect(info.qiMsg?.msgType == .message && info.qiMsg?.msgId == id.description)
    }
  }

  @Test func longMessagesAreRefused() async throws {
    try await TestRelay.with { relay in
      let client = try await relay.client()
      let queue = try await client.newQueue()
      let limit = SMPVersion.messageLimit(18)
      #expect(try await client.sendMessage([UInt8](repeating: 7, count: limit), to: queue) == .ok)
      #expect(try queue.body(try await client.event().message).body.count == limit)
      #expect(try await client.sendMessage([UInt8](repeating: 7, count: limit + 1), to: queue) == .err(.LARGE_MSG))
    }
  }

  @Test func creatingNeedsThePassword() async throws {
    let password = try #require(BasicAuth(Array("secret".utf8)))
    try await TestRelay.with({ $0.basicAuth = password }) { relay in
      let client = try await relay.client()
      await #expect(throws: Unexpected.self) { try await client.newQueue() }
      await #expect(throws: Unexpected.self) { try await client.newQueue(auth: BasicAuth(Array("wrong".utf8))) }
      _ = try await client.newQueue(auth: password)
      #expect(try await relay.store.counts().queues == 1)
    }
  }

  @Test func manySubscriptionsInOneBlock() async throws {
    try await TestRelay.with { relay in
      let creator = try await relay.client()
      var queues: [TestQueue] = []
      for _ in 0..<60 { queues.append(try await creator.newQueue(subscription: .onlyCreate)) }
      for (index, queue) in queues.enumerated() where index % 2 == 0 {
        #expect(try await creator.sendMessage([UInt8](repeating: UInt8(index), count: 16_000), to: queue) == .ok)
      }
      let client = try await relay.client()
      let sent = try await client.send(queues.map { .init(command: .sub, entity: $0.recipient, key: $0.key) })
      for correlation in sent { #expect(try await client.response(to: correlation) == .sok(nil)) }
      var bodies: Set<UInt8> = []
      for _ in 0..<30 {
        let event = try await client.event()
        let queue = try #require(queues.first { $0.recipient == event.entity })
        bodies.insert(try queue.body(event.message).body[0])
      }
      #expect(bodies == Set((0..<60).filter { $0 % 2 == 0 }.map(UInt8.init)))
    }
  }
}
