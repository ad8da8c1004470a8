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
    var backoff = Backoff(Backoff.Policy(initial: 1_000, limit: 10_000, jitterPercent: 20))
    let waits = (0..<20).map { _ in backoff.next(using: &random) }
    #expect((800...1_200).contains(waits[0]))
    #expect(waits.allSatisfy { $0 <= 12_000 })
    #expect(waits.suffix(5).allSatisfy { $0 >= 8_000 })
    backoff.reset()
    let first = backoff.next(using: &random)
    #expect(first <= 1_200)
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
