import QueueStore
import SMPServerCore
import SimplexTesting
import Testing

/// The conformance suite of stores; a new backend has to pass it.
@Suite(.serialized) struct StoreConformanceTests {
  @Test(arguments: StoreKind.allCases) func theTimeIsNoted(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    for (time, before) in [(nil, nil), (5, nil), (nil, 5), (3, 5), (nil, 3)] as [(Int64?, Int64?)] {
      #expect(try await test.store.perform(.noteTime(time)) == .noted(before))
    }
    await test.store.close()
    guard kind == .sqlite else { return }
    let again = try SQLiteQueueStore(path: test.path)
    #expect(try await again.perform(.noteTime(nil)) == .noted(3))
    await again.close()
  }

  @Test(arguments: StoreKind.allCases) func aQueueIsFoundByItsIdentifiers(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var record = queue(1)
    record.notifier = .init(id: id(1, 4), key: [1, 2], secret: [3])
    record.linkID = id(1, 5)
    record.senderKey = [5, 5]
    record.recipientKeys = [[1], [2, 2], []]
    record.status = .blocked([8])
    record.serviceID = [4]
    record.number = try await test.store.add(record, link: LinkData(fixed: [1], user: [2]))
    #expect(try await test.store.queue(.recipient(record.recipientID)) == record)
    #expect(try await test.store.queue(.sender(record.senderID)) == record)
    #expect(try await test.store.queue(.notifier(id(1, 4))) == record)
    #expect(try await test.store.queue(.link(id(1, 5))) == record)
    #expect(try await test.store.queue(.sender(record.recipientID)) == nil)
    #expect(try await test.store.linkData(of: record.number) == LinkData(fixed: [1], user: [2]))
  }

  @Test(arguments: StoreKind.allCases) func identifiersAreUnique(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    _ = try await test.store.add(queue(1))
    var other = queue(2)
    other.senderID = id(1, 2)
    #expect(try await test.store.perform(.createQueue(other, nil)) == .duplicate)
    other = queue(2)
    other.recipientID = id(1, 1)
    #expect(try await test.store.perform(.createQueue(other, nil)) == .duplicate)
    #expect(try await test.store.counts().queues == 1)
  }

  @Test(arguments: StoreKind.allCases) func aQueueIsSecuredOnce(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    #expect(try await test.store.perform(.secure(number, senderKey: [1])) == .done)
    #expect(try await test.store.perform(.secure(number, senderKey: [1])) == .done)
    #expect(try await test.store.perform(.secure(number, senderKey: [2])) == .refused)
    #expect(try await test.store.queue(.recipient(id(1, 1)))?.senderKey == [1])
    #expect(try await test.store.perform(.secure(QueueNumber(99), senderKey: [1])) == .refused)
  }

  @Test(arguments: StoreKind.allCases) func messagesComeInOrder(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    for index in 1...3 {
      let outcome = try await test.store.perform(.addMessage(number, message(index, size: 16_000), quota: 128))
      #expect(outcome == .stored(isFirst: index == 1))
    }
    #expect(try await test.store.messageCount(of: number) == 3)
    #expect(try await test.store.firstMessage(of: number) == message(1, size: 16_000))
    let wrong = try await test.store.perform(.acknowledge(number, messageID: id(2, 3), readsNext: false))
    #expect(wrong == .acknowledged(removed: nil, next: nil))
    let second = try await test.store.perform(.acknowledge(number, messageID: id(1, 3), readsNext: true))
    #expect(second == .acknowledged(removed: RemovedMessage(message(1, size: 16_000)), next: message(2, size: 16_000)))
    let third = try await test.store.perform(.acknowledge(number, messageID: [], readsNext: false))
    #expect(third == .acknowledged(removed: RemovedMessage(message(2, size: 16_000)), next: nil))
    let last = try await test.store.perform(.acknowledge(number, messageID: id(3, 3), readsNext: true))
    #expect(last == .acknowledged(removed: RemovedMessage(message(3, size: 16_000)), next: nil))
    #expect(try await test.store.firstMessage(of: number) == nil)
    #expect(try await test.store.perform(.addMessage(number, message(4), quota: 128)) == .stored(isFirst: true))
  }

  @Test(arguments: StoreKind.allCases) func aFullQueueSaysSoOnce(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    for index in 1...3 { _ = try await test.store.perform(.addMessage(number, message(index), quota: 3)) }
    for index in 4...6 {
      #expect(try await test.store.perform(.addMessage(number, message(index), quota: 3)) == .quotaExceeded)
    }
    #expect(try await test.store.messageCount(of: number) == 4)
    for _ in 1...3 { _ = try await test.store.perform(.acknowledge(number, messageID: [], readsNext: false)) }
    // Space alone does not help: the recipient has to learn that messages were refused.
    #expect(try await test.store.perform(.addMessage(number, message(7), quota: 3)) == .quotaExceeded)
    let mark = try await test.store.firstMessage(of: number)
    #expect(mark?.content == .quotaExceeded)
    #expect(mark?.id == id(4, 3))
    _ = try await test.store.perform(.acknowledge(number, messageID: id(4, 3), readsNext: false))
    #expect(try await test.store.perform(.addMessage(number, message(8), quota: 3)) == .stored(isFirst: true))
  }

  @Test(arguments: StoreKind.allCases) func aDeletedQueueIsGone(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var record = queue(1)
    record.linkID = id(1, 5)
    record.notifier = .init(id: id(1, 4), key: [1], secret: [2])
    record.number = try await test.store.add(record, link: LinkData(fixed: [1], user: [2]))
    _ = try await test.store.perform(.addMessage(record.number, message(1), quota: 128))
    #expect(try await test.store.perform(.deleteQueue(record.number)) == .deleted(record, messages: 1))
    #expect(try await test.store.perform(.deleteQueue(record.number)) == .refused)
    #expect(try await test.store.perform(.addMessage(record.number, message(2), quota: 128)) == .refused)
    #expect(try await test.store.queue(.link(id(1, 5))) == nil)
    #expect(try await test.store.queue(.notifier(id(1, 4))) == nil)
    #expect(try await test.store.linkData(of: record.number) == nil)
    #expect(try await test.store.counts() == StoreCounts())
    let next = try await test.store.add(record)
    #expect(next > record.number)
  }

  @Test(arguments: StoreKind.allCases) func linkDataKeepsItsFixedPart(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1, mode: .contact))
    let other = try await test.store.add(queue(2, mode: .contact))
    let first = LinkData(fixed: [1], user: [2])
    #expect(try await test.store.perform(.setLink(number, linkID: id(1, 5), first)) == .done)
    let second = LinkData(fixed: [1], user: [3])
    #expect(try await test.store.perform(.setLink(number, linkID: id(1, 5), second)) == .done)
    let changed = LinkData(fixed: [9], user: [3])
    #expect(try await test.store.perform(.setLink(number, linkID: id(1, 5), changed)) == .refused)
    #expect(try await test.store.perform(.setLink(number, linkID: id(2, 5), second)) == .refused)
    #expect(try await test.store.perform(.setLink(other, linkID: id(1, 5), second)) == .duplicate)
    #expect(try await test.store.linkData(of: number) == second)
    #expect(try await test.store.perform(.deleteLink(number)) == .done)
    #expect(try await test.store.queue(.link(id(1, 5))) == nil)
    #expect(try await test.store.perform(.setLink(other, linkID: id(1, 5), changed)) == .done)
  }

  @Test(arguments: StoreKind.allCases) func notifiersAreReplaced(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    let other = try await test.store.add(queue(2))
    let one = QueueRecord.Notifier(id: id(1, 4), key: [1], secret: [2])
    let two = QueueRecord.Notifier(id: id(2, 4), key: [3], secret: [4])
    #expect(try await test.store.perform(.setNotifier(number, one)) == .notifierChanged(previous: nil))
    #expect(try await test.store.perform(.setNotifier(other, one)) == .duplicate)
    #expect(try await test.store.perform(.setNotifier(number, two)) == .notifierChanged(previous: one))
    #expect(try await test.store.queue(.notifier(id(1, 4))) == nil)
    #expect(try await test.store.perform(.setNotifierService(number, serviceID: [7])) == .done)
    #expect(try await test.store.perform(.setNotifierService(other, serviceID: [7])) == .refused)
    // Of a notifier that was replaced.
    #expect(
      try await test.store.perform(.setNotifierService(number, serviceID: [8], notifier: id(1, 4))) == .refused)
    #expect(try await test.store.perform(.setNotifierService(number, serviceID: [7], notifier: id(2, 4))) == .done)
    let own = try await test.store.queues(ofService: [7], .notifiers, after: QueueNumber(0), limit: 9)
    #expect(own == [ServiceQueue(number: number, id: id(2, 4))])
    let removed = try await test.store.perform(.deleteNotifier(number))
    #expect(removed == .notifierChanged(previous: .init(id: id(2, 4), key: [3], secret: [4], serviceID: [7])))
    #expect(try await test.store.counts().notifiers == 0)
  }

  @Test(arguments: StoreKind.allCases) func servicesFindTheirQueues(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var records: [QueueRecord] = []
    for index in 1...5 {
      var record = queue(index)
      if index > 2 { record.serviceID = [7] }
      record.number = try await test.store.add(record)
      records.append(record)
    }
    let none = QueueNumber(0)
    #expect(try await test.store.perform(.setService(records[1].number, serviceID: [7])) == .done)
    #expect(try await test.store.perform(.setService(records[2].number, serviceID: nil)) == .done)
    #expect(try await test.store.perform(.setService(QueueNumber(99), serviceID: [7])) == .refused)
    #expect(try await test.store.queue(.recipient(records[1].recipientID))?.serviceID == [7])
    #expect(try await test.store.queue(.recipient(records[2].recipientID))?.serviceID == nil)
    _ = try await test.store.perform(.addMessage(records[3].number, message(1), quota: 128))
    let own = try await test.store.queues(ofService: [7], .recipients, after: none, limit: 9)
    #expect(own.map(\.number) == [records[1].number, records[3].number, records[4].number])
    #expect(own.map(\.id) == [records[1].recipientID, records[3].recipientID, records[4].recipientID])
    #expect(own.allSatisfy { $0.secret == records[0].deliverySecret })
    #expect(own.map(\.mayHaveMessages) == [false, true, false])
    let page = try await test.store.queues(ofService: [7], .recipients, after: records[1].number, limit: 1)
    #expect(page.map(\.number) == [records[3].number])
    #expect(try await test.store.queues(ofService: [7], .notifiers, after: none, limit: 9).isEmpty)
    #expect(try await test.store.queues(ofService: [8], .recipients, after: none, limit: 9).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func otherFieldsAreSet(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var record = queue(1, mode: .contact)
    record.number = try await test.store.add(record)
    record.recipientKeys = [[1, 2], [3]]
    record.status = .off
    record.usedDay = 20_001
    #expect(try await test.store.perform(.setRecipientKeys(record.number, record.recipientKeys)) == .done)
    #expect(try await test.store.perform(.setStatus(record.number, .blocked([1]))) == .done)
    #expect(try await test.store.queue(.sender(record.senderID))?.status == .blocked([1]))
    #expect(try await test.store.perform(.setStatus(record.number, .off)) == .done)
    #expect(try await test.store.perform(.touch(record.number, day: 20_001)) == .done)
    #expect(try await test.store.queue(.sender(record.senderID)) == record)
    #expect(try await test.store.perform(.touch(QueueNumber(99), day: 1)) == .refused)
  }

  @Test(arguments: StoreKind.allCases) func oldMessagesExpire(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    for index in 1...5 {
      let number = try await test.store.add(queue(index))
      for age in 1...3 {
        _ = try await test.store.perform(.addMessage(number, message(age, at: Int64(age * 100)), quota: 128))
      }
    }
    var cursor: QueueNumber? = QueueNumber(0)
    var removed = 0
    while let after = cursor {
      let outcome = try await test.store.perform(.expireMessages(before: 300, after: after, limit: 2))
      guard case .expired(let count, let next) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
      removed += count
      cursor = next
    }
    #expect(removed == 10)
    #expect(try await test.store.counts().messages == 5)
    let number = try #require(try await test.store.queue(.recipient(id(1, 1)))).number
    #expect(try await test.store.perform(.expireMessagesOfQueue(number, before: 301)) == .expired(1, next: nil))
    #expect(try await test.store.perform(.addMessage(number, message(9), quota: 1)) == .stored(isFirst: true))
  }

  /// Queues that are gone, or have no messages, do not end the search for expired ones.
  @Test func expiryGoesOnBehindDeletedQueues() {
    var queues = MemoryQueues()
    let count = 25_000
    for index in 1...count { _ = queues.apply(.createQueue(queue(index), nil)) }
    for index in 2..<count { _ = queues.apply(.deleteQueue(QueueNumber(Int64(index)))) }
    for index in [1, count] {
      _ = queues.apply(.addMessage(QueueNumber(Int64(index)), message(index, at: 100), quota: 9))
    }
    var (cursor, removed, steps): (QueueNumber?, Int, Int) = (QueueNumber(0), 0, 0)
    while let after = cursor {
      guard case .expired(let count, let next) = queues.apply(.expireMessages(before: 101, after: after, limit: 50))
      else { break }
      (cursor, removed, steps) = (next, removed + count, steps + 1)
    }
    // Each looks at a bounded number of queues, so that others do not wait.
    #expect(removed == 2 && steps == 3 && queues.counts.messages == 0)
  }

  /// Expired messages are removed from a full queue when a message is added, wherever they are stored, and nothing else
  /// is.
  @Test(arguments: StoreKind.allCases) func oldMessagesExpireWhenOneIsAdded(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    let other = try await test.store.add(queue(2))
    for round in 0..<3 {
      let time = Int64(round * 1_000)
      for index in 1...2 {
        let old = message(10 * round + index, at: time + Int64(index))
        let outcome = try await test.store.perform(.addMessage(number, old, quota: 2, expiry: time))
        #expect(outcome == .stored(isFirst: index == 1))
      }
      _ = try await test.store.perform(.addMessage(other, message(round, at: time), quota: 9))
      if round == 1 { try await test.store.moveJournal() }
    }
    let full = StoreOperation.addMessage(number, message(98, at: 2_003), quota: 2, expiry: 2_001)
    #expect(try await test.store.perform(full) == .quotaExceeded)
    #expect(try await test.store.messageCount(of: number) == 3)
    let last = message(99, at: 3_000)
    let emptied = StoreOperation.addMessage(number, last, quota: 2, expiry: 3_000)
    #expect(try await test.store.perform(emptied) == .stored(isFirst: true))
    #expect(try await test.store.firstMessage(of: number) == last)
    #expect(try await test.store.messageCount(of: other) == 3)
  }

  @Test(arguments: StoreKind.allCases) func servicesAreKnownByTheirCertificate(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let service = ServiceRecord(id: [1], role: .notifier, certificateHash: [5], createdDay: 1)
    #expect(try await test.store.perform(.registerService(service)) == .service(id: [1]))
    var again = service
    again.id = [2]
    #expect(try await test.store.perform(.registerService(again)) == .service(id: [1]))
    again.role = .messaging
    #expect(try await test.store.perform(.registerService(again)) == .refused)
  }

  @Test(arguments: StoreKind.allCases) func unusedServicesAreRemoved(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    for number: UInt8 in 1...6 {
      let service = ServiceRecord(
        id: [number], role: number < 4 ? .messaging : .notifier, certificateHash: [number, 9], createdDay: 10)
      #expect(try await test.store.perform(.registerService(service)) == .service(id: [number]))
    }
    // The second is used again, the third and the fourth have queues, the sixth is to be kept.
    let again = ServiceRecord(id: [99], role: .messaging, certificateHash: [2, 9], createdDay: 12)
    #expect(try await test.store.perform(.registerService(again)) == .service(id: [2]))
    var record = queue(1)
    record.serviceID = [3]
    record.notifier = .init(id: id(1, 4), key: [1], secret: [2], serviceID: [4])
    let number = try await test.store.add(record)
    #expect(try await test.store.counts().recipientServices == .init(services: 3, queues: 1))
    #expect(try await test.store.counts().notifierServices == .init(services: 3, queues: 1))

    func remove(before day: Int64, except kept: Set<[UInt8]> = []) async throws -> Int {
      var (cursor, count): ([UInt8]?, Int) = ([], 0)
      while let after = cursor {
        let operation = StoreOperation.removeServices(before: day, after: after, limit: 2, except: kept)
        let outcome = try await test.store.perform(operation)
        guard case .servicesRemoved(let removed, let next) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
        count += removed
        cursor = next
      }
      return count
    }
    #expect(try await remove(before: 10) == 0)
    #expect(try await remove(before: 12, except: [[6]]) == 2)
    #expect(try await test.store.counts().recipientServices.services == 2)
    _ = try await test.store.perform(.deleteQueue(number))
    #expect(try await remove(before: 13) == 4)
    #expect(try await test.store.counts() == StoreCounts())
    #expect(try await test.store.perform(.registerService(again)) == .service(id: [99]))
  }

  /// The totals are maintained by everything that changes them.
  @Test(arguments: StoreKind.allCases, propertySeeds(1))
  func totalsAreThoseOfWhatIsStored(_ kind: StoreKind, _ seed: UInt64) async throws {
    let test = try TestStore(kind)
    var oracle = MemoryQueues()
    var random = SeededGenerator(seed: seed)
    for step in 1...300 {
      let number = QueueNumber(Int64.random(in: 1...8, using: &random))
      let service: [UInt8]? = Bool.random(using: &random) ? [7] : nil
      let notifier = QueueRecord.Notifier(id: id(step, 4), key: [1], secret: [2], serviceID: service)
      var record = queue(step)
      record.serviceID = service
      if step % 3 == 0 { record.notifier = notifier }
      let operation: StoreOperation =
        switch Int.random(in: 0..<12, using: &random) {
        case 0...1: .createQueue(record, nil)
        case 2: .setNotifier(number, notifier)
        case 3: .deleteNotifier(number)
        case 4: .setService(number, serviceID: service)
        case 5: .setNotifierService(number, serviceID: service)
        case 6 where step % 3 == 0: .deleteQueue(number)
        case 7: .acknowledge(number, messageID: [], readsNext: false)
        case 8: .expireMessages(before: Int64(step - 90), after: QueueNumber(0), limit: 100)
        case 9: .expireMessagesOfQueue(number, before: Int64(step - 60))
        default: .addMessage(number, message(step, at: Int64(step)), quota: 5)
        }
      #expect(try await test.store.perform(operation) == oracle.apply(operation), "seed \(seed)")
      let queues = oracle.queues.values
      var expected = StoreCounts()
      expected.queues = queues.count
      expected.messages = queues.reduce(0) { $0 + $1.messages.count }
      expected.notifiers = queues.count { $0.record.notifier != nil }
      expected.recipientServices.queues = queues.count { $0.record.serviceID != nil }
      expected.notifierServices.queues = queues.count { $0.record.notifier?.serviceID != nil }
      #expect(try await test.store.counts() == expected, "\(operation), seed \(seed)")
    }
  }

  @Test(arguments: StoreKind.allCases) func aClosedStoreRefuses(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    await test.store.close()
    await #expect(throws: StoreFailure.unavailable) { try await test.store.perform(.createQueue(queue(1), nil)) }
  }

  @Test(arguments: StoreKind.allCases) func completionsComeInOrder(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    let (stream, continuation) = AsyncStream.makeStream(of: (Int, Result<StoreOutcome, StoreFailure>).self)
    for index in 0..<200 {
      test.store.submit(.addMessage(number, message(index), quota: 500)) { continuation.yield((index, $0)) }
    }
    var next = 0
    for await (index, result) in stream {
      #expect(index == next)
      #expect(result == .success(.stored(isFirst: index == 0)))
      next += 1
      if next == 200 { break }
    }
    #expect(try await test.store.messageCount(of: number) == 200)
  }
}
