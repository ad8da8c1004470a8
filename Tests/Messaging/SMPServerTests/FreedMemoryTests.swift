import SMPServer
import Testing

/// When a relay gives freed memory back, by the numbers of connections opened and closed that it is told each second.
@Suite struct FreedMemoryTests {
  private func releases(_ changes: [Int]) -> [Bool] {
    var memory = FreedMemory()
    return changes.map { memory.isDue(changes: $0) }
  }

  @Test func memoryIsReleasedAfterManyConnections() {
    #expect(releases([0, 20, 20, 20]) == [false, false, false, false])
    // Together 256, since the start and since the last time.
    #expect(releases([250, 255, 256, 256]) == [false, false, true, false])
    #expect(releases([250, 260, 500, 515, 516]) == [false, true, false, false, true])
  }

  /// Not while they arrive, for some seconds.
  @Test func itIsReleasedWhenConnectionsAreQuiet() {
    #expect(releases([800, 1_600, 2_400, 2_432]) == [false, false, false, true])
    let storm = releases((1...20).map { $0 * 800 })
    #expect(storm.indices.filter { storm[$0] } == [9, 19])
  }
}
