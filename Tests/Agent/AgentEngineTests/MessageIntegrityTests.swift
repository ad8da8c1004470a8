import AgentCore
import Testing

@Suite struct MessageIntegrityTests {
  @Test func comparesNumbersBeforeHashes() {
    let last: [UInt8] = [1]
    func integrity(_ number: Int64, _ hash: [UInt8]) -> MessageIntegrity {
      MessageIntegrity(number: number, previousHash: hash, lastNumber: 5, lastHash: last)
    }
    #expect(integrity(6, last) == .ok)
    #expect(integrity(6, [2]) == .badHash)
    #expect(integrity(5, last) == .duplicate)
    #expect(integrity(4, last) == .badID(4))
    #expect(integrity(9, last) == .skipped(from: 6, to: 8))
    #expect(integrity(.min, last) == .badID(.min))
    #expect(
      MessageIntegrity(number: 1, previousHash: [], lastNumber: .max, lastHash: []) == .badID(1))
  }
}
