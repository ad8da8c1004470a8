import Synchronization

/// Measures the transactions of a process's databases, for benchmarks and tests: how long each held the database, its
/// commit included, and what it had the database do.
package final class TransactionTimes: Sendable {
  private let longest = Mutex<[CrashPoint.Database: Duration]>([:])
  private let most = Mutex((statements: 0, steps: 0))

  package init() {}

  /// The longest transaction of a database so far; zero before the first.
  package func longest(of database: CrashPoint.Database) -> Duration {
    longest.withLock { $0[database, default: .zero] }
  }

  /// The most statements, and the most instructions of SQLite's virtual machine, of one transaction of the chat
  /// database since the last call.
  package func takeMostWork() -> (statements: Int, steps: Int) {
    most.withLock { most in
      defer { most = (0, 0) }
      return most
    }
  }

  /// Notes what a transaction had the chat database do.
  package func note(_ work: StatementWork) {
    most.withLock { $0 = (max($0.statements, work.statements), max($0.steps, work.steps)) }
    work.reset()
  }

  /// Notes a transaction that began at `start` and ends now.
  package func note(since start: ContinuousClock.Instant, of database: CrashPoint.Database) {
    let duration = ContinuousClock.now - start
    longest.withLock { longest in
      if duration > longest[database, default: .zero] { longest[database] = duration }
    }
  }
}
