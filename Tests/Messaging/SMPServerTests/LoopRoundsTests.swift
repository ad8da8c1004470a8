import NIOCore
import Testing

@testable import SMPServer

/// Who waits where clients send more than an event loop can execute.
@Suite struct LoopRoundsTests {
  /// An event loop on which each block takes 0.1 ms, and whose passes execute what all connections have sent.
  private struct Loop {
    var rounds = LoopRounds()
    var now = NIODeadline.uptimeNanoseconds(0)
    var waiting = CircularBuffer<Int>()
    private var isWaiting: Set<Int> = []
    /// The round in which each connection was served last.
    var last: [Int: LoopRounds.Round] = [:]
    /// The connections in the order in which they were served.
    var served: [Int] = []

    init() {}

    mutating func serve(_ connection: Int) {
      last[connection] = rounds.current
      served.append(connection)
      now = now + .microseconds(100)
    }

    /// One pass: blocks of these connections arrive; then some of the waiting ones get 2 ms.
    mutating func pass(_ connections: some Sequence<Int>) {
      var ends = false
      for connection in connections where !isWaiting.contains(connection) {
        if rounds.executesAtOnce(last[connection] ?? 0, at: now, passEnds: { ends = true }) {
          serve(connection)
        } else {
          waiting.append(connection)
          isWaiting.insert(connection)
          rounds.enqueue()
        }
      }
      if ends { rounds.endPass() }
      for _ in 0..<min(20, waiting.count) {
        rounds.dequeue()
        let connection = waiting.removeFirst()
        isWaiting.remove(connection)
        serve(connection)
      }
    }
  }

  @Test func fewBlocksAreExecutedAtOnce() {
    var loop = Loop()
    for _ in 0..<100 {
      loop.pass(0..<20)
      #expect(loop.waiting.isEmpty)
    }
    #expect(loop.served.count == 2_000)
  }

  @Test func whoSendsRarelyDoesNotWaitForThoseWhoAlwaysSend() {
    var loop = Loop()
    for _ in 0..<20 { loop.pass(0..<1_000) }
    for _ in 0..<10 {
      // A block of the rare one arrives after those of all others.
      loop.pass(Array(0..<1_000) + [1_000])
      #expect(loop.served.suffix(21).contains(1_000))
      // Everybody else is served twice until its next one.
      for _ in 0..<120 { loop.pass(0..<1_000) }
    }
  }

  @Test func thoseWhoAlwaysSendTakeTurns() {
    var loop = Loop()
    for _ in 0..<500 { loop.pass(0..<1_000) }
    var counts = [Int](repeating: 0, count: 1_000)
    for connection in loop.served { counts[connection] += 1 }
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
  }

  @Test func whoSendsAgainAtOnceWaitsToo() {
    var loop = Loop()
    for _ in 0..<20 { loop.pass(0..<1_000) }
    loop.pass([1_000])
    #expect(loop.served.last != 1_000)
    let count = loop.served.count { $0 == 1_000 }
    // In the same round it waits behind the others.
    loop.pass([1_000])
    #expect(loop.served.count { $0 == 1_000 } == count)
    #expect(loop.waiting.contains(1_000))
  }

  @Test func manyWaitingOnesLeaveNothingBehind() {
    var loop = Loop()
    loop.pass(0..<1_000)
    while !loop.waiting.isEmpty { loop.pass([]) }
    #expect(loop.rounds.waiting == 0)
    #expect(Set(loop.served).count == 1_000)
    // The next ones are executed at once again.
    loop.pass(0..<10)
    #expect(loop.waiting.isEmpty)
  }
}
