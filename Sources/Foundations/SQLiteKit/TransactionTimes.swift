import Synchronization

/// Measures the transactions of a process's databases, for benchmarks: how long each held the database, its commit
/// included.
package final class TransactionTimes: Sendable {
  private let longest = Mutex<[CrashPoint.Database: Duration]>([:])

  package init() {}

  /// The longest transaction of a database so far; zero before the first.
  package func longest(of database: CrashPoint.Database) -> Duration {
    longest.withLock { $0[database, default: .zero] }
  }

  /// Notes a transaction that began at `start` and ends now.
  package func note(since start: ContinuousClock.Instant, of database: CrashPoint.Database) {
    let duration = ContinuousClock.now - start
    longest.withLock { longest in
      if duration > longest[database, default: .zero] { longest[database] = duration }
    }
  }
}
