import SMPProtocol
import SMPServerCore
import Testing

private func send(_ body: UInt8) -> Command {
  .send(SendRequest(flags: MessageFlags(notification: false), body: [body]))
}

/// Commands that follow an acknowledgement of the same connection, before it is durable.
@Suite struct AcknowledgementStories {
  let world = World()

  init() {
    for session in ["bob", "alice", "phone"] { world.connect(session) }
  }

  /// The client subscribes again before it hears of its acknowledgement; in any order of the disk, it is answered, and
  /// gets the next message, not the one that it acknowledged.
  @Test(arguments: [false, true]) func subscribingAgainWhileAnAcknowledgementIsUnderWay(readsFirst: Bool) throws {
    let queue = try world.makeQueue(by: "bob").number
    for body in 1...2 { world.command("alice", send(UInt8(body)), queue) }
    world.commitAll()
    let message = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(message.id), queue)
    world.command("bob", .sub, queue)
    if readsFirst { world.read() } else { world.look() }
    world.commit()
    world.commitAll()
    #expect(world.take("bob")?.plain == .ok)
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.body == [2])
    #expect(world.take("bob") == nil)
    #expect(world.unansweredCount == 0)
  }

  @Test func subscribingAgainWhileAnAcknowledgementFails() throws {
    let queue = try world.makeQueue(by: "bob").number
    world.command("alice", send(1), queue)
    world.commitAll()
    let message = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(message.id), queue)
    world.command("bob", .sub, queue)
    world.commit(failing: .full)
    world.commitAll()
    #expect(world.take("bob")?.plain == .err(.STORE(storeErr: "full")))
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.id == message.id)
    #expect(world.unansweredCount == 0)
  }

  /// The next one is asked for before the acknowledgement is answered, in any order of the disk.
  @Test(arguments: [nil, StoreFailure.full]) func readingOnWhileAnAcknowledgementIsUnderWay(fails: StoreFailure?) throws
  {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    for body in 1...2 { world.command("alice", send(UInt8(body)), queue) }
    world.command("phone", .get, queue)
    world.commitAll()
    let first = try #require(world.take("phone")?.delivery)
    world.command("phone", .ack(first.id), queue)
    world.command("phone", .get, queue)
    world.read()
    #expect(world.take("phone") == nil)
    world.commit(failing: fails)
    world.commitAll()
    #expect(world.take("phone")?.plain == (fails == nil ? .ok : .err(.STORE(storeErr: "full"))))
    #expect(world.take("phone")?.delivery?.body == [fails == nil ? 2 : 1])
    // A connection that is closed meanwhile leaves nothing.
    world.command("phone", .ack(MessageID([])), queue)
    world.command("phone", .get, queue)
    world.disconnect("phone")
    world.commit(failing: fails)
    world.commitAll()
    #expect(!world.withShard { $0.hasSubscriptions("phone") })
    #expect(world.unansweredCount == 0)
  }

  /// Their connection does not count commands without a correlation identifier, so that the shard has to bound those
  /// that wait for a slow disk.
  @Test func fewReadsWaitForAnAcknowledgement() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    for body in 1...2 { world.command("alice", send(UInt8(body)), queue) }
    world.command("phone", .get, queue)
    world.commitAll()
    world.command("phone", .ack(try #require(world.take("phone")?.delivery).id), queue)
    for _ in 0..<100 { world.command("phone", .get, queue) }
    var refused = 0
    while let response = world.take("phone") {
      #expect(response.plain == .err(.CMD(cmdErr: .PROHIBITED)))
      refused += 1
    }
    #expect(refused >= 80)
    world.commitAll()
    #expect(world.take("phone")?.plain == .ok)
    while let response = world.take("phone") { #expect(response.delivery?.body == [2]) }
    #expect(world.unansweredCount == 0)
  }

  /// The connection loses its subscription and takes it back while its acknowledgement is under way, so that the
  /// message comes again and is acknowledged again; each acknowledgement is followed by what comes after its message.
  @Test func acknowledgingAgainWhileAnAcknowledgementIsUnderWay() throws {
    let queue = try world.makeQueue(by: "bob").number
    for body in 1...3 { world.command("alice", send(UInt8(body)), queue) }
    world.commitAll()
    let message = try #require(world.take("bob")?.delivery)
    world.command("bob", .ack(message.id), queue)
    world.command("phone", .sub, queue)
    world.command("bob", .sub, queue)
    while world.hasReadings { world.read() }
    #expect(world.take("bob")?.plain == .end)
    #expect(world.take("bob")?.plain == .sok(nil))
    #expect(world.take("bob")?.delivery?.id == message.id)
    world.command("bob", .ack(message.id), queue)
    var received: [UInt8] = []
    while world.hasChanges {
      world.commit()
      while let response = world.take("bob") {
        guard let next = response.delivery else { continue }
        received += next.body
        world.command("bob", .ack(next.id), queue)
      }
    }
    #expect(received == [2, 3])
    #expect(world.disk.queues[queue]?.messages.isEmpty == true)
    #expect(world.unansweredCount == 0)
  }

  /// It is not read again otherwise, because possibly nothing else happens to its queue.
  @Test func aMessageThatCannotBeReadIsReadAgain() throws {
    let queue = try world.makeQueue(by: "bob").number
    world.command("alice", send(1), queue)
    world.commitAll()
    let message = try #require(world.take("bob")?.delivery)
    world.perform(world.withShard { $0.notSent(message.id.bytes, of: queue, to: "bob") })
    world.read(failing: .unavailable)
    #expect(world.take("bob") == nil)
    world.perform(world.withShard { $0.readAgain() })
    world.read(failing: .unavailable)
    world.perform(world.withShard { $0.readAgain() })
    world.commitAll()
    #expect(world.take("bob")?.delivery?.id == message.id)
    #expect(world.withShard { $0.readAgain() }.isEmpty)
    // Nobody is subscribed any more.
    world.perform(world.withShard { $0.notSent(message.id.bytes, of: queue, to: "bob") })
    world.read(failing: .unavailable)
    world.disconnect("bob")
    #expect(world.withShard { $0.readAgain() }.isEmpty)
  }

  /// Otherwise a connection that reads and deletes many queues would fill the memory.
  @Test func aDeletedQueueLeavesNothingOfItsReader() throws {
    let queue = try world.makeQueue(by: "bob", subscription: .onlyCreate).number
    world.command("phone", .get, queue)
    world.commitAll()
    #expect(world.withShard { $0.hasSubscriptions("phone") })
    world.command("phone", .del, queue)
    world.commitAll()
    #expect(!world.withShard { $0.hasSubscriptions("phone") })
  }
}
