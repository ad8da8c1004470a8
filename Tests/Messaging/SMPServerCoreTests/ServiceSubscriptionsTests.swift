import SMPProtocol
import SMPServerCore
import Testing

/// Which connection is subscribed for a service.
@Suite struct ServiceSubscriptionsTests {
  private let services = (0..<4).map { EntityID([UInt8](repeating: UInt8($0), count: 24)) }

  /// A connection that closes ends what it has, and nothing of the connection that took its place.
  @Test func aClosedConnectionEndsItsOwnSubscriptions() {
    var subscriptions = ServiceSubscriptions<String>()
    #expect(subscriptions.take(services[0], side: .recipients, session: "a") == nil)
    #expect(subscriptions.take(services[1], side: .recipients, session: "a") == nil)
    #expect(subscriptions.take(services[2], side: .notifiers, session: "b") == nil)
    // The same again is no change.
    #expect(subscriptions.take(services[0], side: .recipients, session: "a") == nil)
    #expect(subscriptions.take(services[1], side: .recipients, session: "c")?.session == "a")
    subscriptions.disconnected("x")
    #expect(subscribed(subscriptions) == ["a", "c", "b", nil])
    subscriptions.disconnected("a")
    #expect(subscribed(subscriptions) == [nil, "c", "b", nil])
    subscriptions.disconnected("a")
    subscriptions.disconnected("c")
    #expect(subscribed(subscriptions) == [nil, nil, "b", nil])
    #expect(subscriptions.take(services[1], side: .recipients, session: "a") == nil)
    subscriptions.disconnected("b")
    #expect(subscribed(subscriptions) == [nil, "a", nil, nil])
    #expect(subscriptions.counts(of: .recipients).services == 1)
  }

  private func subscribed(_ subscriptions: ServiceSubscriptions<String>) -> [String?] {
    services.map { subscriptions[$0]?.session }
  }
}
