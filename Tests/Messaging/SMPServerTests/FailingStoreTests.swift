import SMPProtocol
import Testing

/// A store that fails.
@Suite(.timeLimit(.minutes(2))) struct FailingStoreTests {
  @Test func aFullDiskIsNeverAnOK() async throws {
    let store = FailingStore()
    try await TestRelay.with(store: store) { relay in
      let client = try await relay.client()
      let queue = try await client.newQueue()
      #expect(try await client.sendMessage([1], to: queue) == .ok)
      let (id, _) = try queue.body(try await client.event().message)
      store.isFull = true
      #expect(try await client.sendMessage([2], to: queue) == .err(.STORE(storeErr: "full")))
      #expect(try await client.acknowledge(id, queue) == .err(.STORE(storeErr: "full")))
      #expect(try await client.ask(.del, queue.recipient, key: queue.key) == .err(.STORE(storeErr: "full")))
      let error = await #expect(throws: Unexpected.self) { try await client.newQueue() }
      #expect(error?.message == .err(.STORE(storeErr: "full")))
      #expect(try await client.hasEvent() == false)
      store.isFull = false
      #expect(try await client.acknowledge(id, queue) == .ok)
      #expect(try await client.sendMessage([3], to: queue) == .ok)
      #expect(try queue.body(try await client.event().message).body == [3])
    }
  }
}
