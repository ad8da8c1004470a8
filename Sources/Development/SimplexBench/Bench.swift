#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// One figure of a benchmark, with the figures that it is compared with.
struct Figure {
  let suite: String
  let name: String
  let value: Double
  let unit: String
  /// The goal: a minimum, or a maximum where `lessIsBetter`.
  var goal: Double? = nil
  /// The figure of the reference implementation on the same kind of machine.
  var reference: Double? = nil
  var lessIsBetter = false
  var note = ""

  var meetsGoal: Bool? {
    goal.map { lessIsBetter ? value <= $0 : value >= $0 }
  }
}

/// Collects figures; each suite is a function with this argument.
final class Bench {
  private(set) var figures: [Figure] = []
  private let suite: String
  private let clock = ContinuousClock()

  init(suite: String) { self.suite = suite }

  /// Records a figure measured elsewhere.
  func record(
    _ name: String, _ value: Double, unit: String, goal: Double? = nil, reference: Double? = nil,
    lessIsBetter: Bool = false, note: String = ""
  ) {
    let figure = Figure(
      suite: suite, name: name, value: value, unit: unit, goal: goal, reference: reference,
      lessIsBetter: lessIsBetter, note: note)
    figures.append(figure)
    Table.printRow(figure)
  }

  /// Calls `operation` for about a second, and returns the best rate of calls per second among parts of it.
  ///
  /// The best of several parts is the figure least disturbed by other load on the machine.
  func rate(_ operation: () throws -> Void) rethrows -> Double {
    var batch = 1
    var elapsed = Duration.zero
    while elapsed < .milliseconds(50) {
      elapsed = try clock.measure { for _ in 0..<batch { try operation() } }
      if elapsed < .milliseconds(50) { batch *= 2 }
    }
    var best = Double(batch) / elapsed.inSeconds
    for _ in 0..<16 {
      let elapsed = try clock.measure { for _ in 0..<batch { try operation() } }
      best = max(best, Double(batch) / elapsed.inSeconds)
    }
    return best
  }

  /// Calls both operations alternately, about three seconds in all, and returns the median of each one's rate per
  /// second of processor time.
  ///
  /// Other load on the machine takes none of our processor time, and its effect on caches and clocks is the same for
  /// both: for figures that compare two ways of doing the same.
  func rates(_ first: () throws -> Void, _ second: () throws -> Void) rethrows -> (Double, Double) {
    let batches = (try batch(first), try batch(second))
    var samples: ([Double], [Double]) = ([], [])
    for _ in 0..<31 {
      samples.0.append(Double(batches.0) / (try processorTime(batches.0, first)))
      samples.1.append(Double(batches.1) / (try processorTime(batches.1, second)))
    }
    return (samples.0.sorted()[15], samples.1.sorted()[15])
  }

  /// The number of calls that take 50 ms of processor time.
  private func batch(_ operation: () throws -> Void) rethrows -> Int {
    var count = 1
    while true {
      let seconds = try processorTime(count, operation)
      if seconds > 0.02 { return max(1, Int(Double(count) * 0.05 / seconds)) }
      count *= 2
    }
  }

  private func processorTime(_ count: Int, _ operation: () throws -> Void) rethrows -> Double {
    let start = processorSeconds()
    for _ in 0..<count { try operation() }
    return processorSeconds() - start
  }

  /// Measures a rate and records it in calls per second.
  func perSecond(
    _ name: String, goal: Double? = nil, reference: Double? = nil, note: String = "", _ operation: () throws -> Void
  ) rethrows {
    record(name, try rate(operation), unit: "/s", goal: goal, reference: reference, note: note)
  }

  /// Measures a rate and records it in GB (10⁹ bytes) per second, where one call handles `bytes`.
  func gigabytesPerSecond(
    _ name: String, bytes: Int, goal: Double? = nil, reference: Double? = nil, note: String = "",
    _ operation: () throws -> Void
  ) rethrows {
    let value = try rate(operation) * Double(bytes) / 1e9
    record(name, value, unit: "GB/s", goal: goal, reference: reference, note: note)
  }
}

/// The processor time this process has used, in seconds.
func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

extension Duration {
  /// This duration in seconds.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}

/// Prevents the optimizer from removing a computation whose result is unused.
@inline(never)
func blackHole<T>(_ value: T) { withExtendedLifetime(value) {} }
