import AgentStore
import SQLiteKit
import Testing

/// When the log is synchronized.
@Suite struct SynchronizationTests {
  /// A store whose synchronizations are counted.
  private func store(_ count: @escaping () -> Void) throws -> AgentDatabase {
    let database = try SQLiteConnection(path: ":memory:")
    database.gateSynchronization {
      count()
      return true
    }
    return try AgentDatabase(database, synchronous: .normal)
  }

  /// An earlier process may have committed and had no time to synchronize; it must not be reported before.
  @Test func whatIsFoundIsMadeDurableFirst() throws {
    var count = 0
    let store = try store { count += 1 }
    try store.synchronize()
    #expect(count == 1)
    try store.synchronize()
    #expect(count == 1)
  }

  @Test func whatMayBeLostCostsNothingInATransactionWithoutMore() throws {
    var count = 0
    let store = try store { count += 1 }
    try store.synchronize()
    for (changesMore, expected) in [(false, 1), (true, 2), (false, 2)] {
      try store.begin()
      try store.setSetting("x", Int64(expected) + (changesMore ? 10 : 20))
      store.mayLoseChangesSoFar()
      if changesMore { try store.setSetting("y", 1) }
      try store.commit()
      try store.synchronize()
      #expect(count == expected)
    }
  }

  @Test func whatMayBeLostNeedsNone() throws {
    var count = 0
    let store = try store { count += 1 }
    try store.synchronize()
    for (mayBeLost, expected) in [(true, 1), (false, 2), (true, 2)] {
      try store.begin()
      try store.setSetting("x", Int64(expected) + (mayBeLost ? 10 : 0))
      try store.commit(mayBeLost: mayBeLost)
      try store.synchronize()
      #expect(count == expected)
    }
  }
}
