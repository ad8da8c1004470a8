import Synchronization

/// Watches whether the store of a relay works: reports once that it fails, and once that it works again, with the
/// number of failures between. An outage ends with the first success after some time without a failure, so that a disk
/// that is nearly full is not reported with each message.
public final class StoreHealth: Sendable {
  /// The seconds without a failure after which a success ends an outage, by default.
  public static let quietTime: Int64 = 60

  private struct Outage {
    var failures = 0
    var lastFailure: Int64 = 0
  }

  private let failing = Atomic<Bool>(false)
  private let failures = Atomic<Int>(0)
  private let outage = Mutex(Outage())
  private let quietTime: Int64
  private let report: @Sendable (String) -> Void

  /// - Parameters:
  ///   - quietTime: the seconds without a failure after which a success ends an outage.
  ///   - report: called with a sentence for the operator.
  public init(quietTime: Int64 = StoreHealth.quietTime, report: @escaping @Sendable (String) -> Void) {
    self.quietTime = quietTime
    self.report = report
  }

  /// Whether the store fails at present.
  public var isFailing: Bool { failing.load(ordering: .relaxed) }

  /// The number of failed operations since the start.
  public var failureCount: Int { failures.load(ordering: .relaxed) }

  /// Notes that operations of the store failed, for `reason`.
  public func failed(_ reason: @autoclosure () -> String, count: Int = 1) {
    failures.add(count, ordering: .relaxed)
    let isFirst = outage.withLock { outage in
      outage.failures += count
      outage.lastFailure = steadySeconds()
      return !failing.exchange(true, ordering: .relaxed)
    }
    if isFirst { report("The store fails: \(reason()); the next line about it says when it works again") }
  }

  /// Notes that an operation of the store succeeded. Costs nothing but the read of a flag while nothing fails.
  public func worked() {
    guard failing.load(ordering: .relaxed) else { return }
    let count = outage.withLock { outage -> Int? in
      guard failing.load(ordering: .relaxed), steadySeconds() - outage.lastFailure >= quietTime else { return nil }
      failing.store(false, ordering: .relaxed)
      defer { outage = Outage() }
      return outage.failures
    }
    if let count { report("The store works again; \(count) operations failed") }
  }

  /// The figures for Prometheus.
  public var metrics: [Metric] {
    [
      Metric("store_failures", help: "Failed operations of the store", isCounter: true, value: Int64(failureCount)),
      Metric("store_failing", help: "Whether the store fails", isCounter: false, value: isFailing ? 1 : 0),
    ]
  }
}
