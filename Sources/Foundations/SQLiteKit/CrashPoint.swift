import Synchronization

/// A commit after which the databases of a process end as if it had been killed there, for tests.
///
/// The commit is stored, its caller gets an error, and every later operation fails, for all databases that
/// have the same crash point. Without a commit that it waits for, a crash point only counts.
package final class CrashPoint: Sendable {
  /// A database of a process.
  package enum Database: String, Hashable, Sendable, CaseIterable {
    case chat, agent
  }

  private struct State {
    var counts: [Database: Int] = [:]
    var isReached = false
  }

  private let target: (database: Database, commit: Int)?
  private let state = Mutex(State())

  /// A crash after the commit of this number, the first being 1; nil for none.
  package init(after target: (database: Database, commit: Int)? = nil) { self.target = target }

  /// Whether it happened.
  package var isReached: Bool { state.withLock { $0.isReached } }

  /// The number of commits of a database.
  package func commitCount(of database: Database) -> Int { state.withLock { $0.counts[database, default: 0] } }

  /// Throws after the crash; to be called before anything is done with a database.
  package func check() throws(SQLiteError) {
    if isReached { throw Self.error }
  }

  /// Counts a commit; throws if the crash is due after it.
  package func committed(_ database: Database) throws(SQLiteError) {
    let isReached = state.withLock { state in
      state.counts[database, default: 0] += 1
      if let target, target.database == database, target.commit == state.counts[database] { state.isReached = true }
      return state.isReached
    }
    if isReached { throw Self.error }
  }

  // An outage and not damage, so callers retry.
  private static let error = SQLiteError(.inputOutput, "the process was killed")
}
