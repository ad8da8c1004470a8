import FileAccess
import Foundation
import QueueStore
import RelayChassis
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Testing

@testable import SMPServer

/// The periodic work of a relay, also across restarts.
@Suite(.timeLimit(.minutes(2))) struct UpkeepTests {
  /// Waits until a condition holds; the suite's time limit is the only one.
  private func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(20)) }
  }

  @Test func messagesExpire() async throws {
    try await TestRelay.with {
      $0.messageTTL = 1
      $0.expirationInterval = 1
    } _: { relay in
      let recipient = try await relay.client()
      var queues: [TestQueue] = []
      for _ in 0..<250 { queues.append(try await recipient.newQueue(subscription: .onlyCreate)) }
      for queue in queues { #expect(try await recipient.sendMessage([1], to: queue) == .ok) }
      try await until { try await relay.store.counts().messages == 0 }
      #expect(relay.server.statistics.value(.messageExpired) == 250)
      #expect(try await relay.store.counts().queues == 250)
      // The queue accepts messages again.
      #expect(try await recipient.ask(.sub, queues[0].recipient, key: queues[0].key) == .sok(nil))
      #expect(try await recipient.hasEvent() == false)
      #expect(try await recipient.sendMessage([2], to: queues[0]) == .ok)
      #expect(try queues[0].body(try await recipient.event().message).body == [2])
    }
  }

  @Test(arguments: [true, false]) func messagesExpireWhenTheRelayStarts(_ isOn: Bool) async throws {
    let store = MemoryQueueStore()
    let record = QueueRecord(
      recipientID: [1], senderID: [2], recipientKeys: [], deliverySecret: [], mode: .messaging, usedDay: 0)
    guard case .created(let number) = try await store.perform(.createQueue(record, nil)) else { return }
    let old = QueuedMessage(id: [1], timestamp: 1_000, content: .message(notify: false, body: [1]))
    _ = try await store.perform(.addMessage(number, old, quota: 10))
    try await TestRelay.with(store: store) {
      $0.expiresMessagesOnStart = isOn
    } _: { relay in
      // The time is noted in any case.
      #expect(Upkeep(relay: relay.server.relay).jobs.count(where: \.isDueAtStart) == (isOn ? 2 : 1))
      if isOn {
        try await until { try await store.messageCount(of: number) == 0 }
        try await until { relay.server.statistics.value(.messageExpired) == 1 }
      } else {
        let client = try await relay.client()
        #expect(try await client.ask(.ping) == .pong)
        #expect(try await store.messageCount(of: number) == 1)
      }
    }
  }

  @Test func aDeliveredMessageThatExpiresMayStillBeAcknowledged() async throws {
    try await TestRelay.with {
      $0.messageTTL = 1
      $0.expirationInterval = 1
    } _: { relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue()
      #expect(try await recipient.sendMessage([1], to: queue) == .ok)
      let (id, _) = try queue.body(try await recipient.event().message)
      try await until { try await relay.store.counts().messages == 0 }
      #expect(try await recipient.acknowledge(id, queue) == .ok)
      #expect(try await recipient.sendMessage([2], to: queue) == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [2])
    }
  }

  @Test func sendingMayExpireWhatIsOld() async throws {
    try await TestRelay.with {
      $0.messageTTL = 1
      $0.expiresMessagesOnSend = true
      $0.queueQuota = 1
    } _: { relay in
      let recipient = try await relay.client()
      let queue = try await recipient.newQueue(subscription: .onlyCreate)
      #expect(try await recipient.sendMessage([1], to: queue) == .ok)
      // The queue is full until its message is older than a second.
      while try await recipient.sendMessage([2], to: queue) != .ok { try await Task.sleep(for: .milliseconds(100)) }
      #expect(try queue.body(try await recipient.ask(.get, queue.recipient, key: queue.key)).body == [2])
    }
  }

  @Test(arguments: [false, true]) func waitingNotificationsSurviveARestart(_ areOld: Bool) async throws {
    let store = MemoryQueueStore()
    let file = FileManager.default.temporaryDirectory.appending(path: "notifications-\(UUID().uuidString).txt").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let first = try await TestRelay.start(store: Unclosed(store)) { $0.notificationsFile = file }
    let recipient = try await first.client()
    var random = SystemRandom()
    let dh = X25519.PrivateKey(using: &random)
    let key = KeyKind.ed25519.random
    let queue = try await recipient.newQueue(
      subscription: .onlyCreate, notifier: NotifierKeys(notifierKey: key.publicKey, recipientDHKey: dh.publicKey))
    let gone = try await recipient.newQueue(
      subscription: .onlyCreate, notifier: NotifierKeys(notifierKey: key.publicKey, recipientDHKey: dh.publicKey))
    for _ in 0..<2 { #expect(try await recipient.sendMessage([1], to: queue, notify: true) == .ok) }
    #expect(try await recipient.sendMessage([1], to: gone, notify: true) == .ok)
    await first.server.stop()
    let deleted = try #require(try await store.queue(.recipient(gone.recipient.bytes)))
    _ = try await store.perform(.deleteQueue(deleted.number))
    let text = try #require(try WholeFile.text(file))
    #expect(text.split(separator: "\n").count == 3)
    try WholeFile.append("damaged line\n,,\n", to: file)

    try await TestRelay.with(store: store) {
      $0.notificationsFile = file
      if areOld { $0.notificationTTL = -10 }
    } _: { relay in
      #expect(try WholeFile.text(file) == nil)
      let notifier = try await relay.client()
      let id = try #require(queue.ids.notifier).notifierID
      #expect(try await notifier.ask(.nsub, id, key: key) == .sok(nil))
      guard !areOld else {
        #expect(try await notifier.hasEvent() == false)
        #expect(relay.server.statistics.value(.notificationExpired) == 3)
        return
      }
      let box = try dh.boxKey(with: try #require(queue.ids.notifier).serverDHKey)
      for _ in 0..<2 {
        let event = try await notifier.event()
        guard case .nmsg(let sealed) = event.message else { throw Unexpected(message: event.message) }
        _ = try NotificationMetadata(opening: sealed, key: box)
      }
      #expect(try await notifier.hasEvent() == false)
    }
    // Nothing waited any more.
    #expect(try WholeFile.text(file) == "")
  }
}

/// A store that a relay does not close when it stops, for the one that follows.
private struct Unclosed: ForwardingStore {
  let store: any RelayStore

  init(_ store: any RelayStore) { self.store = store }

  func close() async {}
}
