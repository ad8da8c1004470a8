import NIOCore
import Testing

@testable import SMPServer

/// Who waits where clients send more than an event loop can execute.
@Suite struct VirtualClockTests {
  /// An event loop whose passes execute what all connections have sent.
  private struct Loop {
    var clock = VirtualClock()
    /// The time of the processor.
    var now = TimeAmount.zero
    /// Those that wait, in the order in which they came.
    var waiting: [Int] = []
    private var isWaiting: Set<Int> = []
    /// The virtual times up to which connections are paid.
    var paid: [Int: VirtualClock.Time] = [:]
    /// The connections in the order in which they were served.
    var served: [Int] = []
    /// The time for the blocks of a connection; 0.1 ms for others.
    var costs: [Int: TimeAmount] = [:]
    /// The commands in the blocks of a connection; one for others.
    var commands: [Int: Int] = [:]
    private var spans: [Int: VirtualClock.Span] = [:]

    init() {}

    mutating func serve(_ connection: Int) {
      let cost = costs[connection] ?? .microseconds(100)
      now = now + cost
      paid[connection] = clock.paid(paid[connection] ?? clock.arrivalTime, servedFor: cost)
      served.append(connection)
    }

    private func span(of connection: Int) -> VirtualClock.Span {
      clock.span(paid: paid[connection] ?? clock.arrivalTime, commands: commands[connection] ?? 1)
    }

    /// One pass: blocks of these connections arrive; then some of the waiting ones get 2 ms.
    mutating func pass(_ connections: some Sequence<Int>) {
      var ends = false
      for connection in connections where !isWaiting.contains(connection) {
        let span = span(of: connection)
        if clock.executesAtOnce(span, at: now, passEnds: { ends = true }) {
          serve(connection)
        } else {
          spans[connection] = span
          waiting.append(connection)
          isWaiting.insert(connection)
          clock.enqueue()
        }
      }
      if ends, clock.endPass(at: now) { clock.inputArrived() }
      let start = now
      while now - start < .milliseconds(2), let next = waiting.indices.min(by: { finish($0) < finish($1) }) {
        let connection = waiting.remove(at: next)
        clock.dequeue(spans[connection]?.start ?? 0)
        isWaiting.remove(connection)
        serve(connection)
      }
    }

    private func finish(_ index: Int) -> VirtualClock.Time { spans[waiting[index]]?.finish ?? 0 }

    /// The time that passes until a block of a connection is executed, while others always send.
    mutating func wait(of connection: Int, beside others: Range<Int>) -> TimeAmount {
      let start = now
      let count = served.count
      pass(Array(others) + [connection])
      while !served[count...].contains(connection) { pass(others) }
      return now - start
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

  @Test(arguments: [TimeAmount.microseconds(100), .microseconds(700), .milliseconds(2)])
  func whoSendsRarelyDoesNotWaitForThoseWhoAlwaysSend(cost: TimeAmount) {
    var loop = Loop()
    for hog in 0..<300 { loop.costs[hog] = cost }
    for _ in 0..<300 { loop.pass(0..<300) }
    for _ in 0..<10 {
      #expect(loop.wait(of: 1_000, beside: 0..<300) < .milliseconds(50))
      // A fourth of its share of the loop's time passes for each of its blocks.
      let next = loop.now + .milliseconds(120)
      while loop.now < next { loop.pass(0..<300) }
    }
  }

  @Test func thoseWhoAlwaysSendTakeTurns() {
    var loop = Loop()
    for _ in 0..<500 { loop.pass(0..<100) }
    var counts = [Int](repeating: 0, count: 100)
    for connection in loop.served { counts[connection] += 1 }
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 60, "not more than credit and burst")
  }

  @Test func whoSendsMoreThanTheBurstWaitsToo() {
    var loop = Loop()
    for _ in 0..<50 { loop.pass(0..<1_000) }
    loop.costs[1_000] = .milliseconds(3)
    loop.pass([1_000])
    #expect(loop.served.contains(1_000), "at once")
    let count = loop.served.count { $0 == 1_000 }
    loop.pass([1_000])
    #expect(loop.served.count { $0 == 1_000 } == count)
    #expect(loop.waiting.contains(1_000))
  }

  /// Connections that have used nothing: one with a single command does not wait for those with hundreds.
  @Test func fewCommandsComeBeforeMany() {
    var loop = Loop()
    for connection in 0..<300 { (loop.costs[connection], loop.commands[connection]) = (.milliseconds(2), 250) }
    loop.pass(0..<300)
    #expect(loop.waiting.count > 250)
    let wait = loop.wait(of: 1_000, beside: 0..<300)
    #expect(wait < .milliseconds(10))
  }

  /// Passes that follow one another before the loop looks for input are one.
  @Test func answersOfTheStoreDoNotKeepTheLoopFromItsInput() {
    var clock = VirtualClock()
    var (now, executed) = (TimeAmount.zero, 0)
    while executed < 1_000, clock.executesAtOnce(clock.span(paid: 0, commands: 1), at: now, passEnds: {}) {
      executed += 1
      now = now + .microseconds(100)
      _ = clock.endPass(at: now)
    }
    #expect(executed < 50)
    clock.inputArrived()
    let isNext = clock.executesAtOnce(clock.span(paid: 0, commands: 1), at: now, passEnds: {})
    #expect(isNext)
  }

  /// What a connection used in quiet times is no debt.
  @Test func quietTimesAreForgotten() {
    var loop = Loop()
    for _ in 0..<10_000 { loop.pass([1_000]) }
    for _ in 0..<20 { loop.pass(0..<1_000) }
    #expect(loop.wait(of: 1_000, beside: 0..<1_000) < .milliseconds(10))
  }

  /// Nobody waits for a long pass where clients do not send all the time: groups of them that take turns, beside one
  /// that always sends; all of them are new at first.
  @Test func aPassIsBoundedWhoeverSends() {
    var loop = Loop()
    for number in 0..<60 {
      let start = loop.now
      let first = 1 + number % 3 * 1_000
      loop.pass(Array(first..<first + 1_000) + [0])
      // The pass, a block, and the time slice after it.
      #expect(loop.now - start <= VirtualClock.passTime + .microseconds(200) + .milliseconds(2))
    }
  }

  @Test func manyWaitingOnesLeaveNothingBehind() {
    var loop = Loop()
    loop.pass(0..<1_000)
    while !loop.waiting.isEmpty { loop.pass([]) }
    #expect(loop.clock.waiting == 0)
    #expect(Set(loop.served).count == 1_000)
    // The next ones are executed at once again.
    loop.pass(0..<10)
    #expect(loop.waiting.isEmpty)
  }
}
