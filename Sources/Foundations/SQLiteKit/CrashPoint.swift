import Synchronization

/// A commit after which the databases of a process end as if it had been killed there, for tests.
///
/// The commit is stored, and every later operation fails, for all databases that have the same crash point. The caller
/// of the commit gets an error too, or, where the process lingers, returns as usual: so what it reports still gets out,
/// as from a process that is killed a moment later. Without a commit that it waits for, a crash point only counts.
package final class CrashPoint: Sendable {
  /// A database of a process.
  package enum Database: String, Hashable, Sendable, CaseIterable {
    case chat, agent
  }

  private struct State {
    var counts: [Database: Int] = [:]
    var isReached = false
    /// Whether the crash is held back.
    var isHeld = false
    /// Whether the commit was made after which the crash happens.
    var isDue = false
  }

  private let target: (database: Database, commit: Int)?
  private let lingers: Bool
  private let state = Mutex(State())

  /// A crash after the commit of this number, the first being 1; nil for none.
  /// - Parameter lingers: whether the caller of that commit gets no error.
  package init(after target: (database: Database, commit: Int)? = nil, lingers: Bool = false) {
    self.target = target
    self.lingers = lingers
  }

  /// Whether the crash happened.
  package var isReached: Bool { state.withLock { $0.isReached } }

  /// The number of commits of a database.
  package func commitCount(of database: Database) -> Int { state.withLock { $0.counts[database, default: 0] } }

  /// Holds the crash back, or no longer; one that was due meanwhile happens after the next commit.
  package func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

  /// Throws after the crash; to be called before anything is done with a database.
  package func check() throws(SQLiteError) {
    if isReached { throw Self.error }
  }

  /// Throws after the crash, unless the process lingers: what it committed last can be made durable and reported.
  package func checkSynchronizing() throws(SQLiteError) {
    if !lingers { try check() }
  }

  /// Counts a commit; throws if the crash is due after it or was before it.
  package func committed(_ database: Database) throws(SQLiteError) {
    let isOver = state.withLock { state in
      state.counts[database, default: 0] += 1
      if let target, target.database == database, target.commit == state.counts[database] { state.isDue = true }
      guard state.isDue, !state.isHeld, !state.isReached else { return state.isReached }
      state.isReached = true
      return !lingers
    }
    if isOver { throw Self.error }
  }

  // An outage and not damage, so callers retry.
  private static let error = SQLiteError(.inputOutput, "the process was killed")
}
