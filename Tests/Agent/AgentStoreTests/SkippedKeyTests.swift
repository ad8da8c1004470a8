import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import Testing

@testable import AgentStore

@Suite struct SkippedKeyTests {
  private func chain(_ size: Int, using random: inout InsecureSeededRandom) throws -> SkippedKeys.Chain {
    var keys: [UInt32: MessageKey] = [:]
    let first = UInt32.random(in: 0...1_000_000)
    for number in first..<first + UInt32(size) {
      let key: MessageKey = try #require(MessageKey(secret: SecretBytes(random.bytes(MessageKey.size))))
      keys[number] = key
    }
    return SkippedKeys.Chain(headerKey: SecretBytes(random.bytes(32)), keys: keys)
  }

  /// The store keeps the same keys as the value, within the limits, whatever is skipped and received.
  @Test func theStoreAgreesWithTheValue() throws {
    let store = try AgentDatabase(SQLiteConnection(path: ":memory:"))
    var random = InsecureSeededRandom(seed: 1)
    let other = try chain(3, using: &random)
    #expect(try store.apply(.added([other]), of: 8) == 3)
    var value = SkippedKeys()
    var count: Int64 = 0
    for round in 0..<90 {
      let size = round < 70 ? 1 + round % 5 : [500, 40, 512][round % 3]
      var change = SkippedKeys.Change.added([try chain(size, using: &random), try chain(2, using: &random)])
      if round % 4 == 3, let old = value.chains.first, let number = old.keys.keys.min() {
        change = .removed(headerKey: old.headerKey, number: number)
      }
      value.apply(change)
      count += try store.apply(change, of: 7)
      #expect(count == Int64(value.count))
      #expect(try store.skippedHeaderKeys(of: 7) == value.chains.reversed().map(\.headerKey))
    }
    #expect(value.count <= SkippedKeys.maximumKeys && value.chains.count <= SkippedKeys.maximumChains)
    #expect(value.count > SkippedKeys.maximumKeys - 512)
    for chain in value.chains {
      for (number, key) in chain.keys {
        #expect(try store.skippedKey(of: 7, headerKey: chain.headerKey, number: number) == key)
      }
    }
    #expect(try store.skippedHeaderKeys(of: 8) == [other.headerKey])
  }

  /// A peer that leaves out as many messages as it may, in one chain and in many, leaves a bounded number of keys.
  @Test(arguments: [1, 300])
  func keysAreBoundedInTotal(chains: Int) throws {
    let database = try SQLiteConnection(path: ":memory:")
    let store = try AgentDatabase(database)
    var random = InsecureSeededRandom(seed: 2)
    var header = SecretBytes(random.bytes(32))
    let key = try #require(MessageKey(secret: SecretBytes(random.bytes(MessageKey.size))))
    let size = UInt32(4_000 / chains)
    var count: Int64 = 0
    for number in 0..<UInt32(chains) {
      if number > 0 { header = SecretBytes(random.bytes(32)) }
      let keys = Dictionary(uniqueKeysWithValues: (0..<size).map { ($0, key) })
      count += try store.apply(.added([SkippedKeys.Chain(headerKey: header, keys: keys)]), of: 1)
    }
    let rows = try database.first("SELECT count(*), count(DISTINCT header_key) FROM skipped_keys") {
      (row) throws(SQLiteError) in (try row.integer(0), try row.integer(1))
    }
    let (keys, headers) = try #require(rows)
    #expect(keys == count && keys <= 2_048 && headers <= 64)
    // The newest stay.
    #expect(try store.skippedKey(of: 1, headerKey: header, number: size - 1) == key)
  }
}
