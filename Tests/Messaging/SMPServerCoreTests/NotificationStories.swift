import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Testing

private func send(_ body: UInt8, notify: Bool = true) -> Command {
  .send(SendRequest(flags: MessageFlags(notification: notify), body: [body]))
}

/// Notifications of messages for notifiers.
@Suite struct NotificationStories {
  let world = World()
  let service = ServiceSession(id: EntityID([9, 9]), role: .notifier)

  init() {
    for session in ["bob", "alice", "push", "other"] { world.connect(session) }
  }

  private func notifications(of session: String) -> Int {
    var count = 0
    while let response = world.take(session) { count += response.notification == nil ? 0 : 1 }
    return count
  }

  @Test func notificationsWaitForTheNotifier() throws {
    let queue = try world.makeQueue(by: "bob", notifier: true).number
    world.command("alice", send(1), queue)
    world.command("alice", send(2, notify: false), queue)
    world.command("alice", send(3), queue)
    world.commitAll()
    #expect(world.withShard { $0.notificationCount } == 2)
    world.command("push", .nsub, queue)
    world.commitAll()
    #expect(world.take("push")?.plain == .sok(nil))
    #expect(notifications(of: "push") == 2)
    world.command("alice", send(4), queue)
    world.commitAll()
    #expect(notifications(of: "push") == 1)
    #expect(world.counts[.messageSentNotified] == 3)
    // A notifier that goes leaves the next ones waiting.
    world.disconnect("push")
    world.command("alice", send(5), queue)
    world.commitAll()
    #expect(world.withShard { $0.notificationCount } == 1)
    #expect(world.withShard { $0.expireNotifications(of: $0.queuesWithNotifications, before: Int64.max) } == 1)
    #expect(world.withShard { $0.notificationCount } == 0)
  }

  @Test func notMoreWaitThanTheLimit() throws {
    world.quota = 1_000
    let queue = try world.makeQueue(by: "bob", notifier: true).number
    for _ in 0..<130 { world.command("alice", send(1), queue) }
    world.commitAll()
    #expect(world.withShard { $0.notificationCount } == 128)
    #expect(world.counts[.notificationLost] == 2)
  }

  /// Those of all queues of a shard together are bounded by the memory that they take.
  @Test func notificationsOfAllQueuesAreBounded() {
    var shard = QueueShard<String>()
    let record = { (number: Int64) in
      var record = QueueRecord(
        recipientID: [1], senderID: [2], recipientKeys: [], deliverySecret: [], mode: .messaging, usedDay: 1)
      record.number = QueueNumber(number)
      record.notifier = .init(id: [3], key: [4], secret: [5])
      return record
    }
    let notification = PendingNotification(messageID: [UInt8](repeating: 6, count: 24), timestamp: 1)
    for number in 1...40_000 { shard.restore(notification, of: record(Int64(number))) }
    #expect((20_000..<35_000).contains(shard.notificationCount))
    // Nobody has more than anybody else: new ones take the place of others, and nobody gets a second one.
    let count = shard.notificationCount
    shard.restore(notification, of: record(50_000))
    #expect(shard.notificationCount == count && shard.queuesWithNotifications.contains(QueueNumber(50_000)))
    shard.restore(notification, of: record(50_000))
    #expect(shard.notificationCount == count)
    _ = shard.expireNotifications(of: shard.queuesWithNotifications, before: 2)
    #expect(shard.notificationCount == 0 && shard.queuesWithNotifications.isEmpty)
    shard.restore(notification, of: record(1))
    #expect(shard.notificationCount == 1)
  }

  /// Whoever fills the memory for them loses his own.
  @Test func notifiersWithTheMostNotificationsLoseThemFirst() {
    var shard = QueueShard<String>()
    let record = { (number: Int64) in
      var record = QueueRecord(
        recipientID: [1], senderID: [2], recipientKeys: [], deliverySecret: [], mode: .messaging, usedDay: 1)
      record.number = QueueNumber(number)
      record.notifier = .init(id: [UInt8(clamping: number / 1_000)], key: [4], secret: [5])
      return record
    }
    func restore(_ number: Int64, at time: Int64) {
      shard.restore(
        PendingNotification(messageID: [UInt8](repeating: 6, count: 24), timestamp: time), of: record(number))
    }
    for number: Int64 in 1...1_600 { for time: Int64 in 1...100 { restore(number, at: time) } }
    for number: Int64 in 2_001...3_000 { for time: Int64 in 1...3 { restore(number, at: time) } }
    let waiting = Dictionary(grouping: shard.savedNotifications, by: \.notifierID).mapValues { $0.map(\.notification) }
    #expect(waiting[[2]]?.count == 3 * 999 && waiting[[3]]?.count == 3)
    // Those of the others that are left are the newest.
    let others = (waiting[[0]] ?? []) + (waiting[[1]] ?? [])
    #expect((150_000..<160_000).contains(others.count) && others.count { $0.timestamp == 100 } == 1_600)
  }

  @Test func aServiceSubscribesForAllItsQueues() throws {
    let queues = [
      try world.makeQueue(by: "bob", notifier: true).number, try world.makeQueue(by: "bob", notifier: true).number,
    ]
    for queue in queues {
      world.command("push", .nsub, queue, service: service)
      world.commitAll()
      #expect(world.take("push")?.plain == .sok(service.id))
    }
    world.disconnect("push")
    for queue in queues { world.command("alice", send(1), queue) }
    world.commitAll()
    world.connect("push")
    let own = world.subscribeAll("push", service)
    #expect(own.count == 2)
    #expect(notifications(of: "push") == 2)
    for queue in queues { world.command("alice", send(2), queue) }
    world.commitAll()
    #expect(notifications(of: "push") == 2)
    // Another session of the service takes over.
    #expect(world.subscribeAll("other", service) == own)
    let end = world.take("push")
    #expect(end?.plain == .ends(own) && end?.entity == service.id)
    world.command("alice", send(3), queues[0])
    world.commitAll()
    #expect(notifications(of: "push") == 0 && notifications(of: "other") == 1)
  }

  @Test func aNotifierMayLeaveItsService() throws {
    let queue = try world.makeQueue(by: "bob", notifier: true).number
    world.command("push", .nsub, queue, service: service)
    world.commitAll()
    #expect(world.disk.queues[queue]?.record.notifier?.serviceID == service.id.bytes)
    world.command("other", .nsub, queue)
    world.commitAll()
    #expect(world.disk.queues[queue]?.record.notifier?.serviceID == nil)
    #expect(world.take("push")?.plain == .sok(service.id))
    #expect(world.take("push")?.plain == .end)
    #expect(world.take("other")?.plain == .sok(nil))
    #expect(world.subscribeAll("push", service).count == 0)
  }

  /// The credentials that the service has are replaced while it subscribes with them.
  @Test(arguments: [false, true]) func aReplacedNotifierIsNotSubscribed(isService: Bool) throws {
    let queue = try world.makeQueue(by: "bob", notifier: true).number
    if !isService {
      world.command("push", .nsub, queue, service: service)
      world.commitAll()
      #expect(world.take("push")?.plain == .sok(service.id))
      world.disconnect("push")
      world.connect("push")
    }
    var random = SystemRandom()
    let keys = NotifierKeys(
      notifierKey: .ed25519(Ed25519.PrivateKey(using: &random).publicKey),
      recipientDHKey: X25519.PrivateKey(using: &random).publicKey)
    world.command("bob", .nkey(keys), queue)
    world.command("push", .nsub, queue, service: isService ? service : nil)
    world.commitAll()
    guard case .nid? = world.take("bob")?.plain else { throw Unexpected() }
    #expect(world.take("push")?.plain == .err(.AUTH))
    #expect(world.disk.queues[queue]?.record.notifier?.serviceID == nil)
    world.command("alice", send(1), queue)
    world.commitAll()
    #expect(world.take("push") == nil)
    #expect(world.withShard { $0.notificationCount } == 1)
  }

  @Test func oneSubscriptionOfAServiceEndsAllOfItsOtherConnection() throws {
    let queues = try (0..<2).map { _ in try world.makeQueue(by: "bob", notifier: true).number }
    for queue in queues {
      world.command("push", .nsub, queue, service: service)
      world.commitAll()
      #expect(world.take("push")?.plain == .sok(service.id))
    }
    world.command("other", .nsub, queues[0], service: service)
    world.commitAll()
    #expect(world.take("other")?.plain == .sok(service.id))
    guard case .ends(let ended)? = world.take("push")?.plain else { throw Unexpected() }
    #expect(ended.count == 2 && world.take("push") == nil)
    for queue in queues { world.command("alice", send(1), queue) }
    world.commitAll()
    #expect(notifications(of: "push") == 0 && notifications(of: "other") == 2)
    // Without its notifier the service is told, and counts one less.
    world.command("bob", .ndel, queues[0])
    world.commitAll()
    #expect(world.take("other")?.plain == .deld)
    #expect(world.subscribeAll("push", service).count == 1)
  }

  @Test func waitingNotificationsAreSavedAndRestored() throws {
    let queue = try world.makeQueue(by: "bob", notifier: true)
    for body in 1...3 { world.command("alice", send(UInt8(body)), queue.number) }
    world.commitAll()
    let saved = world.withShard { $0.savedNotifications }
    #expect(saved.map(\.notifierID) == Array(repeating: queue.notifier?.id, count: 3))
    let later = World(seed: 2)
    later.connect("bob")
    later.connect("push")
    let again = try later.makeQueue(by: "bob", notifier: true)
    for (_, notification) in saved { later.withShard { $0.restore(notification, of: again) } }
    later.command("push", .nsub, again.number)
    later.commitAll()
    #expect(later.take("push")?.plain == .sok(nil))
    for (_, notification) in saved { #expect(later.take("push")?.notification == notification) }
    #expect(later.take("push") == nil)
  }
}
