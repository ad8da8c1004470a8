import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Waiting, choosing hosts, remembering subscriptions")
struct PolicyTests {
  @Test(arguments: propertySeeds(10))
  func backoffGrowsToItsLimit(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = Backoff.Policy(initial: 1_000, limit: 10_000)
    var backoff = Backoff(policy)
    let waits = (0..<200).map { _ in backoff.next(using: &random) }
    #expect((1...1_000).contains(waits[0]) && (1...1_501).contains(waits[1]))
    #expect(waits.allSatisfy { (1...10_000).contains($0) })
    // Full jitter: they are spread over the whole time, so that clients do not come back together.
    for tenth in 0..<10 {
      let range = Int64(tenth) * 1_000 + 1...Int64(tenth + 1) * 1_000
      #expect(waits.suffix(190).contains { range.contains($0) })
    }
    backoff.reset()
    let first = backoff.next(using: &random)
    #expect(first <= 1_000)
    let delays = (0..<200).map { _ in policy.delay(after: 3, using: &random) }
    #expect(delays.allSatisfy { (1...2_252).contains($0) } && delays.contains { $0 > 1_501 })
  }

  /// An address may name any number of hosts; a few are tried, of both kinds.
  @Test(arguments: [HostPolicy.Preference.onionThroughProxy, .onion, .publicHosts])
  func fewHostsAreTried(_ preference: HostPolicy.Preference) throws {
    let names = (0..<127).map { TransportHost.domain("relay\($0).example") }
    let onions = (0..<127).map { TransportHost.onion("abc\($0).onion") }
    for all in [names + onions, onions + names, names + onions.suffix(1), onions + names.suffix(1)] {
      let hosts = HostPolicy(preference: preference).hosts(among: all, hasProxy: true)
      #expect(hosts.count == 4)
      #expect(hosts.contains { $0.isOnion } && hosts.contains { !$0.isOnion })
      #expect(hosts[0].isOnion == (preference != .publicHosts))
      #expect(HostPolicy(preference: preference).hosts(among: all, hasProxy: false).count <= 4)
      #expect(HostPolicy(preference: preference, isRequired: true).hosts(among: all, hasProxy: true).count <= 4)
    }
  }

  /// All hosts together have one deadline.
  @Test func connectingHasADeadlineInTotal() async {
    let server = SMPServerAddress(.domain("relay.invalid"), keyHash: [1]).adding([.domain("other.invalid")])
    var configuration = SMPClientConfiguration()
    configuration.connectDeadline = .zero
    await #expect(throws: SMPClientError.timeout) { try await SMPConnection.connect(to: server, configuration) }
  }

  @Test func hosts() throws {
    let onion = TransportHost.onion("abc.onion")
    let domain = TransportHost.domain("relay.example")
    let both = SMPServerAddress(domain, keyHash: []).adding([onion])
    func hosts(_ preference: HostPolicy.Preference, required: Bool = false, proxy: Bool) throws -> [TransportHost] {
      try HostPolicy(preference: preference, isRequired: required).hosts(of: both, hasProxy: proxy)
    }
    #expect(try hosts(.onionThroughProxy, proxy: false) == [domain])
    #expect(try hosts(.onionThroughProxy, proxy: true) == [onion, domain])
    #expect(try hosts(.onion, proxy: true) == [onion, domain])
    #expect(try hosts(.onion, required: true, proxy: true) == [onion])
    #expect(try hosts(.publicHosts, proxy: true) == [domain, onion])
    #expect(try hosts(.publicHosts, required: true, proxy: true) == [domain])
    #expect(throws: SMPClientError.noHost) { try hosts(.onion, required: true, proxy: false) }
  }

  @Test func subscriptionsSurviveTheLossOfAConnection() {
    var random = InsecureSeededRandom(seed: 3)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    var book = SubscriptionBook()
    let queues = (0..<5).map { EntityID([UInt8($0)]) }
    for queue in queues { book.add(queue, key: key) }
    let first = book.takeWaiting(limit: 3).map(\.queue)
    let second = book.takeWaiting(limit: 3).map(\.queue)
    #expect(first.count == 3 && second.count == 2)
    #expect(Set(first + second) == Set(queues))
    let third = book.takeWaiting(limit: 3)
    #expect(third.isEmpty)
    for queue in first { book.confirm(queue) }
    #expect(book.state(of: first[0]) == .active)
    let isGivenUp = book.fail(second[0], .relay(.AUTH))
    #expect(isGivenUp)
    #expect(book.state(of: second[0]) == nil)
    let isGivenUpAfterTimeout = book.fail(second[1], .timeout)
    #expect(!isGivenUpAfterTimeout)
    let isGivenUpByFullDisk = book.fail(second[1], .relay(.STORE(storeErr: "full")))
    #expect(!isGivenUpByFullDisk)
    #expect(book.state(of: second[1]) == .waiting)
    book.remove(first[0])
    book.connectionLost()
    let again = book.takeWaiting(limit: 10)
    #expect(again.count == 3)
  }
}
