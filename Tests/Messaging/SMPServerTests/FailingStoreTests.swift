import RelayChassis
import SMPProtocol
import Synchronization
import Testing

@testable import SMPServer

/// A store that fails.
@Suite(.timeLimit(.minutes(2))) struct FailingStoreTests {
  /// The operator reads once that the store fails, and once that it works again.
  @Test func anOutageIsReportedOnce() async throws {
    let store = FailingStore()
    let lines = Lines()
    try await TestRelay.with(store: store) {
      $0.report = lines.add
      $0.storeQuietTime = 0
    } _: { relay in
      let client = try await relay.client()
      let queue = try await client.newQueue(subscription: .onlyCreate)
      #expect(lines.all == [])
      let metrics = ServerMetrics(server: relay.server)
      #expect(try await metrics.text().contains("\nsimplex_smp_store_failing 0\n"))
      store.isFull = true
      for _ in 0..<5 { #expect(try await client.sendMessage([2], to: queue) == .err(.STORE(storeErr: "full"))) }
      #expect(lines.all.count == 1)
      #expect(lines.all.first?.hasPrefix("The store fails: no space is left on the disk") == true, "\(lines.all)")
      let text = try await metrics.text()
      #expect(text.contains("\nsimplex_smp_store_failing 1\n") && text.contains("\nsimplex_smp_store_failures 5\n"))
      store.isFull = false
      for _ in 0..<3 { #expect(try await client.sendMessage([2], to: queue) == .ok) }
      #expect(lines.all.dropFirst() == ["The store works again; 5 operations failed"])
      #expect(try await metrics.text().contains("\nsimplex_smp_store_failing 0\n"))
    }
  }

  /// A disk that is nearly full fails now and then; that is one outage.
  @Test func successesBetweenFailuresDoNotEndAnOutage() {
    let lines = Lines()
    let health = StoreHealth(quietTime: 1_000, report: lines.add)
    for _ in 0..<5 {
      health.failed("full", count: 2)
      health.worked()
    }
    #expect(lines.all.count == 1)
    #expect(health.isFailing && health.failureCount == 10)
  }

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

/// Lines for the operator.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  /// The lines so far.
  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
