import SMPProtocol
import SMPServerCore
import SimplexTesting
import Testing

private func send(_ body: UInt8) -> Command {
  .send(SendRequest(flags: MessageFlags(notification: false), body: [body]))
}

/// Services that receive the messages of many queues.
@Suite struct ServiceStories {
  let world = World()
  let service = ServiceSession(id: EntityID([5, 5]), role: .messaging)

  init() { for session in ["bot", "twin", "alice", "bob"] { world.connect(session) } }

  private func queues(_ count: Int) throws -> [QueueRecord] {
    try (0..<count).map { _ in try world.makeQueue(by: "bot", service: service) }
  }

  private func bodies(of session: String) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    while let response = world.take(session) { response.delivery.map { bodies.append($0.body) } }
    return bodies
  }

  @Test func aServiceGetsWhatWaitsAndWhatComes() throws {
    let queues = try queues(3)
    world.disconnect("bot")
    world.command("alice", send(1), queues[0].number)
    world.command("alice", send(2), queues[0].number)
    world.command("alice", send(3), queues[1].number)
    world.commitAll()
    world.connect("bot")
    let all = world.subscribeAll("bot", service)
    var expected = ServiceQueues()
    for queue in queues { expected.add(EntityID(queue.recipientID)) }
    #expect(all == expected && all.count == 3)
    // While the queues are read, one gets a message that stands behind another, and one its first.
    world.command("alice", send(4), queues[0].number)
    world.command("alice", send(5), queues[2].number)
    world.commitAll()
    #expect(Set(bodies(of: "bot")) == [[1], [3], [5]])
    for body in [UInt8(2), 4] {
      world.command("bot", .ack(MessageID([])), queues[0].number, service: service)
      world.commitAll()
      #expect(bodies(of: "bot") == [[body]])
    }
  }

  @Test func anotherConnectionOfTheServiceTakesAll() throws {
    let queues = try queues(2)
    world.command("alice", send(1), queues[0].number)
    world.commitAll()
    #expect(bodies(of: "bot") == [[1]])
    let all = world.subscribeAll("twin", service)
    let end = world.take("bot")
    #expect(end?.plain == .ends(all) && end?.entity == service.id && all.count == 2)
    world.command("alice", send(2), queues[1].number)
    world.commitAll()
    #expect(bodies(of: "bot").isEmpty)
    #expect(Set(bodies(of: "twin")) == [[1], [2]])
    // What the first one got is no longer its to acknowledge.
    world.command("bot", .ack(MessageID([])), queues[0].number, service: service)
    #expect(world.take("bot")?.plain == .err(.NO_MSG))
  }

  @Test func aQueueLeavesItsServiceAndComesBack() throws {
    let queue = try queues(2)[0]
    world.command("bob", .sub, queue.number)
    world.commitAll()
    #expect(world.take("bob")?.plain == .sok(nil))
    let end = world.take("bot")
    #expect(end?.plain == .end && end?.entity == EntityID(queue.recipientID))
    world.command("alice", send(1), queue.number)
    world.commitAll()
    #expect(bodies(of: "bob") == [[1]] && bodies(of: "bot").isEmpty)
    #expect(world.disk.queues[queue.number]?.record.serviceID == nil)
    world.command("bot", .sub, queue.number, service: service)
    world.commitAll()
    #expect(world.take("bob")?.plain == .end)
    #expect(world.take("bot")?.plain == .sok(service.id))
    #expect(bodies(of: "bot") == [[1]])
    #expect(world.subscribeAll("bot", service).count == 2)
  }

  @Test func aServiceIsToldOfADeletedQueue() throws {
    let queue = try queues(2)[0]
    world.command("alice", .del, queue.number)
    world.commitAll()
    #expect(world.take("alice")?.plain == .ok)
    #expect(world.take("bot")?.plain == .deld)
    _ = world.subscribeAll("twin", service)
    guard case .ends(let rest)? = world.take("bot")?.plain else { throw Unexpected() }
    #expect(rest.count == 1)
  }

  @Test(arguments: propertySeeds(100)) func everyMessageArrivesInOrderAtSomeConnection(_ seed: UInt64) throws {
    let world = World(seed: seed)
    world.connect("alice")
    world.connect("maker")
    let queues = try (0..<4).map { _ in
      try world.makeQueue(by: "maker", subscription: .subscribe, service: service).number
    }
    world.disconnect("maker")
    var received: [QueueNumber: [[UInt8]]] = [:]
    var lastID: [QueueNumber: MessageID] = [:]
    var held: [String: [QueueNumber: MessageID]] = [:]
    var next: UInt8 = 0

    func look() {
      for session in ["bot", "twin"] {
        while let response = world.take(session) {
          guard let delivery = response.delivery, case .delivery(_, let queue, _) = response.body else { continue }
          held[session, default: [:]][queue] = delivery.id
          guard lastID[queue] != delivery.id else { continue }
          lastID[queue] = delivery.id
          received[queue, default: []].append(delivery.body)
        }
      }
    }
    func acknowledge(_ session: String, _ queue: QueueNumber) {
      guard let id = held[session]?.removeValue(forKey: queue) else { return }
      world.command(session, .ack(id), queue, service: service)
    }

    for _ in 0..<400 {
      let session = world.chance(2) == 0 ? "bot" : "twin"
      let queue = queues[world.chance(queues.count)]
      switch world.chance(12) {
      case 0, 1, 2:
        next &+= 1
        world.command("alice", send(next), queue)
      case 3:
        world.connect(session)
        _ = world.subscribeAll(session, service)
      case 4:
        world.connect(session)
        world.command(session, .sub, queue, service: service)
      case 5 where world.chance(4) == 0:
        world.disconnect(session)
        held[session] = nil
      case 6, 7, 8: acknowledge(session, queue)
      case 9: world.look()
      case 10: world.read()
      default: world.commit()
      }
      look()
    }
    for session in ["bot", "twin"] { world.connect(session) }
    _ = world.subscribeAll("twin", service)
    _ = world.subscribeAll("bot", service)
    for _ in 0..<400 {
      world.commitAll()
      look()
      for queue in queues { acknowledge("bot", queue) }
    }
    world.commitAll()
    for queue in queues {
      #expect(received[queue, default: []] == world.stored[queue, default: []], "queue \(queue), seed \(seed)")
      #expect(world.disk.queues[queue]?.messages.isEmpty == true)
    }
  }
}
