import SimplexCrypto
import Testing

@testable import SMPProtocol

@Suite struct RecentValuesTests {
  @Test func whatIsUsedStays() {
    var values = RecentValues<Int, Int>(limit: 4)
    for key in 0..<1_000 {
      values[key] = -key
      #expect(values[key] == -key)
      // Used all the time.
      #expect(values[0] == 0)
      // Not used for as long as twice the limit.
      if key > 8 { #expect(values[key - 8] == nil) }
    }
    values[0] = nil
    #expect(values[0] == nil && values.take(999) == -999 && values.take(999) == nil)
    values[998] = 1
    values.removeAll()
    #expect(values[998] == nil)
  }

  @Test func tablesOfKeysInUseStayThoughOthersCome() throws {
    var random = SystemRandom()
    let tables = SignatureTables(limit: 4)
    let session = tables.newSession()
    let used = Ed25519.PrivateKey(using: &random).publicKey
    tables.keep(SignatureTable(used), of: session)
    for _ in 0..<64 {
      let other = Ed25519.PrivateKey(using: &random).publicKey
      tables.keep(SignatureTable(other), of: session)
      #expect(tables[session, used] != nil && tables[session, other] != nil)
      #expect(tables[session + 1, other] == nil, "of another session")
    }
  }

  @Test func boxKeysOfQueuesInUseStayThoughOthersCome() throws {
    var random = SystemRandom()
    let own = X25519.PrivateKey(using: &random)
    let keys = AgreedKeys()
    let used = X25519.PrivateKey(using: &random).publicKey
    keys.keep(try own.boxKey(with: used), for: used)
    for _ in 0..<200 {
      let other = X25519.PrivateKey(using: &random).publicKey
      keys.keep(try own.boxKey(with: other), for: other)
      #expect(keys[used] != nil && keys[other] != nil)
    }
  }
}
