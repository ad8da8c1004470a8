import Foundation
import Synchronization
import Testing
import WireCodec

@testable import SimplexCrypto

@Suite("Secrets")
struct SecretBytesTests {
  /// Records the memory of a secret at the moment of its release.
  private final class ObservedStorage: SecretStorage, @unchecked Sendable {
    static let released = Mutex<[[UInt8]]>([])

    override func release() {
      Self.released.withLock { $0.append([UInt8](memory)) }
      super.release()
    }
  }

  @Test func memoryIsZeroedBeforeItIsGivenBack() throws {
    let pattern: [UInt8] = (1...77).map { $0 }
    func useSecret() throws {
      let storage = ObservedStorage(count: pattern.count)
      storage.memory.copyBytes(from: pattern)
      let secret = SecretBytes(storage: storage)
      let copy = secret
      #expect([UInt8](copying: copy.bytes) == pattern)
      #expect(ObservedStorage.released.withLock { $0.isEmpty })
    }
    try useSecret()
    #expect(ObservedStorage.released.withLock { $0 } == [[UInt8](repeating: 0, count: pattern.count)])
  }

  @Test func aGuardedCopyIsTheSameSecret() {
    for count in [0, 1, 32, 5_000] {
      let secret = SecretBytes([UInt8](repeating: 7, count: count))
      #expect(secret.guarded == secret && secret.guarded.guarded == secret)
    }
  }

  #if os(Linux)
    /// Guarded memory is not written to dumps ("dd" in the flags of its mapping); other memory is.
    @Test func guardedMemoryIsLeftOutOfDumps() throws {
      let ordinary = SecretBytes([UInt8](repeating: 7, count: 32))
      let secret = ordinary.guarded
      #expect(try Self.flags(of: secret).contains("dd"))
      #expect(try !Self.flags(of: ordinary).contains("dd"))
    }

    /// The flags of the mapping in which a secret is, as `/proc/self/smaps` has them.
    private static func flags(of secret: SecretBytes) throws -> [Substring] {
      let address = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      // Its size is unknown, so that it has to be read to its end.
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
      let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
      var isInside = false
      for line in text.split(separator: "\n") {
        if let range = line.prefixMatch(of: #/([0-9a-f]+)-([0-9a-f]+) /#) {
          isInside = (UInt(range.1, radix: 16) ?? 0)..<(UInt(range.2, radix: 16) ?? 0) ~= address
        } else if isInside, line.hasPrefix("VmFlags:") {
          return line.dropFirst(8).split(separator: " ")
        }
      }
      Issue.record("the mapping was not found")
      return []
    }
  #endif

  @Test func scratchMemoryIsZeroed() {
    struct Abandoned: Error {}
    var seen: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { memory in
      memory.copyBytes(from: [UInt8](repeating: 0xaa, count: 64))
      wipe(memory)
      seen = [UInt8](memory)
    }
    #expect(seen == [UInt8](repeating: 0, count: 64))
  }

  @Test func nothingIsPrinted() throws {
    let secret = SecretBytes([0xde, 0xad, 0xbe, 0xef])
    var random = InsecureSeededRandom(seed: 1)
    let key = X448.PrivateKey(using: &random)
    let box = BoxKey(using: &random)
    for text in ["\(secret)", String(reflecting: secret), "\(key)", String(reflecting: key), "\(box)"] {
      for shown in ["222", "173", "190", "239", "de", "0x"] { #expect(!text.contains(shown), "\(text)") }
    }
    var dumped = ""
    dump(secret, to: &dumped)
    dump(key, to: &dumped)
    dump(box, to: &dumped)
    #expect(!dumped.contains("memory") && !dumped.contains("pointer") && !dumped.contains("0x"))
    #expect("\(secret)" == "SecretBytes(4 bytes)")
    #expect("\(key)" == "x448 private key")
  }

  @Test func equality() {
    #expect(SecretBytes([1, 2, 3]) == SecretBytes([1, 2, 3]))
    #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2, 4]))
    #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2]))
    #expect(SecretBytes([]) == SecretBytes([]))
    #expect(constantTimeEqual([1, 2], [1, 2]))
    #expect(!constantTimeEqual([1, 2], [1, 3]))
  }

  @Test func anInterruptedInitialisationThrows() {
    struct Interrupted: Error {}
    #expect(throws: Interrupted.self) {
      try SecretBytes(count: 8) { (_: inout MutableRawSpan) throws(Interrupted) in throw Interrupted() }
    }
  }
}

@Suite("Randomness")
struct RandomSourceTests {
  @Test(arguments: [1, 7, 63, 64, 65, 200])
  func theSeededSequenceDoesNotDependOnTheRequests(step: Int) {
    var whole = InsecureSeededRandom(seed: 42)
    var parts = InsecureSeededRandom(seed: 42)
    let expected = whole.bytes(1000)
    var collected: [UInt8] = []
    while collected.count < 1000 { collected += parts.bytes(min(step, 1000 - collected.count)) }
    #expect(collected == expected)
    #expect(Set(expected).count > 200)
  }

  @Test func seedsGiveDifferentSequences() {
    var first = InsecureSeededRandom(seed: 1)
    var second = InsecureSeededRandom(seed: 2)
    #expect(first.bytes(32) != second.bytes(32))
    #expect(first.next() != second.next())
  }

  @Test func systemRandomnessDoesNotRepeat() {
    var random = SystemRandom()
    #expect(random.bytes(32) != random.bytes(32))
    #expect(random.secret(32) != random.secret(32))
    #expect(BoxNonce(using: &random) != BoxNonce(using: &random))
    #expect(random.bytes(0).isEmpty)
  }

  @Test func generatedKeysKnowTheirPublicKey() throws {
    var random = SystemRandom()
    let key = X25519.PrivateKey(using: &random)
    #expect(key.publicKey == (try X25519.PrivateKey(secret: key.secret).publicKey))
    let signingKey = Ed448.PrivateKey(using: &random)
    #expect(signingKey.publicKey == (try Ed448.PrivateKey(secret: signingKey.secret).publicKey))
  }
}
