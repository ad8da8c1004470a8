import Foundation
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

@Suite struct StoredFormTests {
  @Test func sizes() throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 1)
    _ = try alice.decrypt(bob.encrypt("1"))
    #expect(try alice.ratchet.encoded().count == 473)
    (alice, bob) = try Beginning.accepted.connect(seed: 1)
    _ = try alice.decrypt(bob.encrypt("1"))
    #expect(try alice.ratchet.encoded().count == 3278)
    #expect(try alice.ratchet.makeSealer().encoded().count == 2514)
    for _ in 0..<10 { _ = try bob.ratchet.makeSealer() }
    _ = try alice.decrypt(bob.encrypt("2"))
    #expect(try alice.skipped.encoded().count == 1 + 36 + 10 * 52)
  }

  @Test func chainsThatAreNone() throws {
    let chain: [UInt8] = [UInt8](repeating: 7, count: 32) + [0, 0, 0, 1] + [UInt8](repeating: 9, count: 52)
    #expect(throws: Never.self) { try SkippedKeys(decoding: ([1] + chain).span.bytes) }
    for bytes in [[1] + chain + chain, [1] + chain.prefix(32) + [0, 0, 0, 0], [2] + chain, []] {
      #expect(throws: WireError.self) { try SkippedKeys(decoding: bytes.span.bytes) }
    }
  }

  /// The keys of an invitation wait for the reply.
  @Test(arguments: [nil, .propose] as [KEMUse?])
  func privateKeys(_ kem: KEMUse?) throws {
    var keys = FreshKeys(InsecureSeededRandom(seed: 2))
    let own = E2EPrivateKeys(version: 3, kem: kem, keys: &keys)
    let stored = try own.encoded()
    #expect(stored.count == (kem == nil ? 226 : 3152))
    #expect(stored.count <= own.storedCapacity)
    #expect(try E2EPrivateKeys(decoding: stored.bytes) == own)
  }

  @Test(arguments: [
    "null", "[]", "{}", #"{"rcVersion":[3]}"#, #"{"rcVersion":[3,3],"rcAD":"not base64!"}"#,
    #"{"rcVersion":[3,70000],"rcAD":""}"#,
  ])
  func foreignStateThatIsNone(_ text: String) {
    #expect(throws: JSONError.self) { try ReferenceRatchet(jsonText: text) }
  }

  @Test func newerReferenceVersionsForm() throws {
    let state = try Vectors.load("ratchet.json").elements("transcripts")[0].elements("states")[0]
    var object = try #require(state.value as? [String: Any])
    object["rcVersion"] = ["current": 2, "maxSupported": 3]
    let text = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    #expect(try ReferenceRatchet(jsonText: text).ratchet.versions == RatchetVersions(current: 2, maximum: 3))
  }
}
