import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import Testing

private func send(_ body: UInt8, notify: Bool = false) -> Command {
  .send(SendRequest(flags: MessageFlags(notification: notify), body: [body]))
}

/// Messages in a queue.
@Suite struct DeliveryStories {
  let world = World()

  init() {
    for session in ["bob", "alice", "phone"] { world.connect(session) }
  }

  @Test func nothingIsAnsweredOrDeliveredBeforeItIsDurable() throws {
    let queue = try world.makeQueue(by: "bob").number
    world.command("alice", send(1), queue)
    #expect(world.take("alice") == nil && world.take("bob") == nil)
    world.commit()
    #expect(world.take("alice")?.plain == .ok)
    #expect(world.take("bob")?.delivery?.body == [1])
  }

  @Test func theNextMessageComesWithTheAcknowledgement() throws {
    let queue = try world.makeQueue(by: "bob").number
    for body in 1...3 { world.command("alice", send(UInt8(body)), queue) }
    world.commitAll()
    let first = try #require(world.take("bob"))
    #expect(first.delivery?.body == [1] && first.correlation.isNone)
    #expect(world.take("bob") == nil)
    world.command("bob", .ack(try #require(first.delivery).id), queue)
    world.commitAll()
    let second = try #require(world.take("bob"))
    #expect(second.delivery?.body == [2] && !second.correlation.isNone)
    // The identifier may be left out.
    world.command("bob", .ack(MessageID([])), queue)
    world.commitAll()
    let third = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(third.id), queue)
    world.commitAll()
    #expect(world.take("bob")?.plain == .ok)
    world.command("bob", .ack(third.id), queue)
    #expect(world.take("bob")?.plain == .err(.NO_MSG))
    #expect(world.counts[.messageReceived] == 3)
  }

  @Test func aMessageThatBecomesDurableWhileTheQueueIsReadIsNotMissed() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    world.command("bob", .sub, queue)
    // The disk says that there is none, and before the shard hears of that, one becomes durable.
    world.look()
    world.command("alice", send(1), queue)
    world.commit()
    #expect(world.take("bob") == nil)
    world.commitAll()
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.body == [1])
    #expect(world.take("bob") == nil)
  }

  @Test func aMessageThatComesBeforeTheReadingIsDeliveredOnce() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    world.command("bob", .sub, queue)
    world.command("alice", send(1), queue)
    world.commit()
    world.commitAll()
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.body == [1])
    #expect(world.take("bob") == nil)
  }

  @Test func anotherConnectionTakesOver() throws {
    let queue = try world.makeQueue(by: "bob").number
    world.command("alice", send(1), queue)
    world.commitAll()
    let first = try #require(world.take("bob")?.delivery)
    world.command("phone", .sub, queue)
    #expect(world.take("bob")?.plain == .end)
    // The acknowledgement of the previous subscriber is refused.
    world.command("bob", .ack(first.id), queue)
    #expect(world.take("bob")?.plain == .err(.NO_MSG))
    world.commitAll()
    #expect(world.take("phone")?.plain == .sok(nil))
    #expect(world.take("phone")?.delivery?.id == first.id)
    world.command("phone", .ack(first.id), queue)
    world.commitAll()
    #expect(world.take("phone")?.plain == .ok)
  }

  @Test func anotherConnectionTakesOverWhileTheQueueIsRead() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    world.command("alice", send(1), queue)
    world.commitAll()
    world.command("bob", .sub, queue)
    world.command("phone", .sub, queue)
    world.commitAll()
    var answers: [BrokerMessage?] = []
    while let response = world.take("bob") { answers.append(response.plain) }
    #expect(answers.contains(.end) && answers.contains(.sok(nil)) && answers.count == 2)
    #expect(world.take("phone")?.plain == .sok(nil))
    #expect(world.take("phone")?.delivery?.body == [1])
  }

  @Test func anAcknowledgementThatFailsMayBeRepeated() throws {
    let queue = try world.makeQueue(by: "bob").number
    world.command("alice", send(1), queue)
    world.commitAll()
    let message = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(message.id), queue)
    world.commit(failing: .full)
    #expect(world.take("bob")?.plain == .err(.STORE(storeErr: "full")))
    world.command("bob", .ack(message.id), queue)
    world.commit()
    #expect(world.take("bob")?.plain == .ok)
    #expect(world.disk.queues[queue]?.messages.isEmpty == true)
  }

  @Test func whatFailsIsNeverConfirmed() throws {
    let queue = try world.makeQueue(by: "bob").number
    for command in [send(1), .off, .del, .ldel] {
      world.command(command.party == .sender ? "alice" : "bob", command, queue)
      let failed = world.hasChanges
      world.commit(failing: .unavailable)
      let answer = world.take(command.party == .sender ? "alice" : "bob")?.plain
      #expect(answer == (failed ? .err(.STORE(storeErr: "unavailable")) : .ok))
    }
    #expect(world.disk.queues[queue]?.messages.isEmpty == true)
    #expect(world.disk.queues[queue]?.record.status == .active)
    // A reading that fails is an error, and the subscription goes on.
    world.command("bob", .sub, queue)
    world.read(failing: .damaged)
    #expect(world.take("bob")?.plain == .err(.INTERNAL))
    world.command("alice", send(2), queue)
    world.commitAll()
    #expect(world.take("bob")?.delivery?.body == [2])
  }

  @Test func readingWithoutSubscribing() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    world.command("phone", .get, queue)
    world.commitAll()
    #expect(world.take("phone")?.plain == .ok)
    for body in 1...2 { world.command("alice", send(UInt8(body)), queue) }
    world.commitAll()
    #expect(world.take("phone") == nil)
    world.command("phone", .get, queue)
    world.commitAll()
    let first = try #require(world.take("phone")?.delivery)
    world.command("phone", .sub, queue)
    #expect(world.take("phone")?.plain == .err(.CMD(cmdErr: .PROHIBITED)))
    world.command("phone", .ack(first.id), queue)
    world.commitAll()
    // GET is asked again for the next one.
    #expect(world.take("phone")?.plain == .ok)
    #expect(world.counts[.messageReceivedByReading] == 1)
    world.command("bob", .sub, queue)
    world.commitAll()
    world.command("bob", .get, queue)
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.body == [2])
    #expect(world.take("bob")?.plain == .err(.CMD(cmdErr: .PROHIBITED)))
  }

  @Test func aDeletedQueueEndsItsSubscriptions() throws {
    let queue = try world.makeQueue(by: "bob", notifier: true).number
    world.command("alice", .nsub, queue)
    world.commitAll()
    #expect(world.take("alice")?.plain == .sok(nil))
    world.command("phone", .del, queue)
    world.commitAll()
    #expect(world.take("bob")?.plain == .deld)
    #expect(world.take("alice")?.plain == .deld)
    #expect(world.take("phone")?.plain == .ok)
    #expect(world.withShard { $0.subscriptionCount + $0.notifierCount } == 0)
    for session in ["bob", "alice", "phone"] { #expect(!world.withShard { $0.hasSubscriptions(session) }) }
  }

  @Test func theFirstMessageUsesTheLinkUp() throws {
    let data = QueueLinkData(fixedData: [1], userData: [2])
    let queue = try world.makeQueue(by: "bob", mode: .messaging(nil)).number
    let link = LinkUpdate(linkID: EntityID([7]), data: data)
    world.command("bob", .lset(link), queue)
    world.commitAll()
    #expect(world.take("bob")?.plain == .ok)
    var random = SystemRandom()
    world.command("alice", .lkey(.ed25519(Ed25519.PrivateKey(using: &random).publicKey)), queue)
    world.commitAll()
    guard case .lnk? = world.take("alice")?.plain else { throw Unexpected() }
    #expect(world.disk.links[[7]] == queue)
    world.command("alice", send(1), queue)
    world.commitAll()
    #expect(world.take("alice")?.plain == .ok)
    #expect(world.disk.links.isEmpty)
  }

  @Test func activeQueuesAreCountedByDay() throws {
    let first = try world.makeQueue(by: "bob").number
    let second = try world.makeQueue(by: "bob", notifier: true).number
    let start = world.now / 86_400
    world.command("alice", send(1), first)
    world.commitAll()
    world.now += 86_400
    world.command("alice", send(2, notify: true), second)
    world.command("alice", send(3), second)
    world.commitAll()
    let counts = { (world: World, day: Int64) in world.shard.activity.counts(since: day) }
    #expect(counts(world, start) == (2, 1))
    #expect(counts(world, start + 1) == (1, 1))
    #expect(counts(world, start + 2) == (0, 0))
    // Receiving is activity too.
    world.now += 86_400
    let message = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(message.id), first)
    world.commitAll()
    #expect(counts(world, start + 2) == (1, 0))
    world.withShard { $0.forgetActivity(before: start + 2) }
    #expect(counts(world, start) == (1, 0))
  }

  /// Nobody has to ask for it.
  @Test func idleQueuesAreForgotten() {
    for number in 1...1_000 {
      world.withShard { $0.noteActivity(of: QueueNumber(Int64(number)), day: 20_000, notifies: true) }
    }
    // The month that ended yesterday can be counted.
    world.withShard { $0.noteActivity(of: QueueNumber(1), day: 20_031, notifies: false) }
    #expect(world.shard.activity.counts(since: 20_000) == (1_000, 1_000))
    #expect(world.shard.activity.counts(since: 20_001) == (1, 0))
    world.withShard { $0.noteActivity(of: QueueNumber(2), day: 20_032, notifies: true) }
    #expect(world.shard.activity.counts(since: 0) == (2, 1))
  }
}

/// Random stories: commands, commits, failures and lost connections in any order.
@Suite struct RandomStories {
  @Test(arguments: propertySeeds(200)) func everyMessageArrivesInOrder(_ seed: UInt64) throws {
    let world = World(seed: seed)
    world.quota = 5
    let recipients = ["bob", "phone"]
    for session in recipients + ["alice"] { world.connect(session) }
    let queues = try (0..<3).map { _ in try world.makeQueue(by: "bob", subscription: .onlyCreate).number }
    var received: [QueueNumber: [[UInt8]]] = [:]
    var lastID: [QueueNumber: MessageID] = [:]
    var waiting: [String: [QueueNumber: MessageID]] = [:]
    var next: UInt8 = 0

    func look(_ world: World) {
      for session in recipients {
        while let response = world.take(session) {
          guard let delivery = response.delivery, case .delivery(_, let queue, _) = response.body else { continue }
          waiting[session, default: [:]][queue] = delivery.id
          // After a lost acknowledgement the same message comes again.
          guard lastID[queue] != delivery.id, !delivery.body.isEmpty else { continue }
          lastID[queue] = delivery.id
          received[queue, default: []].append(delivery.body)
        }
      }
    }

    for _ in 0..<600 {
      let queue = queues[world.chance(queues.count)]
      let session = recipients[world.chance(2)]
      switch world.chance(26) {
      case 0, 1:
        next &+= 1
        world.command("alice", send(next), queue)
      case 2, 3: world.command(session, .sub, queue)
      case 4...8:
        if let id = waiting[session]?.removeValue(forKey: queue) { world.command(session, .ack(id), queue) }
      case 9:
        if world.chance(4) == 0 {
          world.disconnect(session)
          waiting[session] = nil
          world.connect(session)
        }
      case 10: if world.chance(5) == 0 { world.commit(failing: .full) }
      case 11, 12: world.look()
      case 13...16: world.read()
      default: world.commit()
      }
      look(world)
    }
    // The recipient receives all remaining messages.
    for _ in 0..<200 {
      world.commitAll()
      look(world)
      for queue in queues {
        if let id = waiting["bob"]?.removeValue(forKey: queue) {
          world.command("bob", .ack(id), queue)
        } else {
          world.command("bob", .sub, queue)
        }
      }
    }
    world.commitAll()
    look(world)
    #expect(world.unansweredCount == 0)
    for queue in queues {
      #expect(world.disk.queues[queue]?.messages.isEmpty == true)
      #expect(received[queue] == world.stored[queue], "seed \(seed)")
    }
    #expect(!world.stored.isEmpty)
  }
}
