import QueueStore
import SMPServerCore
import SimplexTesting
import Synchronization
import Testing

/// What every store promises about reads.
@Suite struct StoreReadTests {
  @Test(arguments: StoreKind.allCases) func readsAreAnsweredInTheirOrder(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var record = queue(1)
    record.linkID = id(1, 5)
    record.number = try await test.store.add(record, link: LinkData(fixed: [1], user: [2]))
    for index in 1...3 { _ = try await test.store.perform(.addMessage(record.number, message(index), quota: 9)) }
    let answers = await test.store.read([
      .messageCount(record.number), .queue(.sender(record.senderID)), .queue(.sender(id(9, 9))),
      .firstMessage(record.number), .linkData(record.number), .counts,
      .queues(ofService: [7], .recipients, after: QueueNumber(0), limit: 9), .queue(.link(id(1, 5))),
    ])
    #expect(answers.count == 8)
    #expect(try answers[0].messageCount.get() == 3)
    #expect(try answers[1].queue.get().record == record)
    #expect(try answers[2].queue.get().record == nil)
    #expect(try answers[3].firstMessage.get() == message(1))
    #expect(try answers[4].linkData.get() == LinkData(fixed: [1], user: [2]))
    #expect(try answers[5].counts.get().messages == 3)
    #expect(try answers[6].queues.get().isEmpty)
    #expect(try answers[7].queue.get().record == record)
    // The answer to one read is not that to another.
    #expect(throws: StoreFailure.self) { try answers[0].queue.get() }
    #expect(await test.store.read([]).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func aReadAfterAChangeSeesIt(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let number = try await test.store.add(queue(1))
    for day in 1...200 {
      _ = try await test.store.perform(.touch(number, day: Int64(day)))
      #expect(try await test.store.queue(.recipient(id(1, 1)))?.usedDay == Int64(day))
      let cached = test.store.cached(.recipient(id(1, 1)))
      #expect(cached == nil || cached?.record?.usedDay == Int64(day))
    }
    #expect(test.store.cached(.recipient(id(1, 1))) != nil)
  }

  @Test(arguments: StoreKind.allCases) func aRecordIsCurrentUntilItIsChanged(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let store = test.store
    let number = try await store.add(queue(1))
    let other = try await store.add(queue(2))
    for change in [
      StoreOperation.secure(number, senderKey: [1]), .setRecipientKeys(number, [[1]]), .setStatus(number, .off),
      .setLink(number, linkID: id(1, 5), LinkData(fixed: [1], user: [2])), .deleteLink(number),
      .setNotifier(number, .init(id: id(1, 4), key: [1], secret: [2])), .setNotifierService(number, serviceID: [7]),
      .deleteNotifier(number), .setService(number, serviceID: [7]), .touch(number, day: 1), .deleteQueue(number),
    ] {
      let read = try await store.read(.queue(.recipient(id(1, 1)))).queue.get()
      let cached = try #require(store.cached(.recipient(id(1, 1))))
      #expect(cached.record == read.record && read.record?.number == number)
      _ = try await store.perform(.addMessage(number, message(1), quota: 9))
      _ = try await store.perform(.setStatus(other, .off))
      #expect(store.isCurrent(read) && store.isCurrent(cached), "before \(change)")
      _ = try await store.perform(change)
      #expect(!store.isCurrent(read) && !store.isCurrent(cached), "\(change)")
    }
    #expect(store.cached(.recipient(id(1, 1)))?.record == nil)
  }

  /// A record that is current is not older than any change that was answered, whatever happens meanwhile.
  @Test(arguments: StoreKind.allCases) func whatIsCurrentHasEveryAnsweredChange(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    let store = test.store
    let number = try await store.add(queue(1))
    _ = try await store.perform(.touch(number, day: 0))
    let answered = Answered()
    let changes = 2_000
    let writing = Task {
      for day in 1...changes {
        await withCheckedContinuation { continuation in
          store.submit(.touch(number, day: Int64(day))) { _ in
            answered.day.store(day, ordering: .sequentiallyConsistent)
            continuation.resume()
          }
          // Nobody waits for a use to be recorded: it is stored with another change.
          store.submit(.setStatus(number, .active)) { _ in }
        }
      }
    }
    var current = 0
    while answered.day.load(ordering: .sequentiallyConsistent) < changes {
      let read = try await store.read(.queue(.recipient(id(1, 1)))).queue.get()
      for lookup in [read, store.cached(.recipient(id(1, 1)))] {
        guard let lookup, let record = lookup.record else { continue }
        let least = answered.day.load(ordering: .sequentiallyConsistent)
        guard store.isCurrent(lookup) else { continue }
        current += 1
        #expect(record.usedDay >= Int64(least))
      }
    }
    await writing.value
    #expect(current > 0)
  }

  private final class Answered: Sendable {
    let day = Atomic<Int>(0)
  }

  /// Pages of services take one of the connections, however many are requested; everything is answered before the end.
  @Test(arguments: StoreKind.allCases) func everyReadIsAnsweredBeforeTheStoreIsClosed(_ kind: StoreKind) async throws {
    let test = try TestStore(kind)
    var record = queue(1)
    record.serviceID = [7]
    _ = try await test.store.add(record)
    let answered = Answered()
    for _ in 0..<100 {
      test.store.read([.queues(ofService: [7], .recipients, after: QueueNumber(0), limit: 1_000)]) { answers, _ in
        if case .success(let page)? = answers.first?.queues, page.count == 1 {
          answered.day.add(1, ordering: .relaxed)
        }
      }
      test.store.read([.counts]) { answers, _ in
        if case .success(let counts)? = answers.first?.counts, counts.queues == 1 {
          answered.day.add(1, ordering: .relaxed)
        }
      }
    }
    await test.store.close()
    #expect(answered.day.load(ordering: .relaxed) == 200)
  }
}
