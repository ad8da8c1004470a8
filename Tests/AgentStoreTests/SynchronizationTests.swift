import AgentStore
import SQLiteKit
import Testing

/// When the log is synchronized.
@Suite struct SynchronizationTests {
  /// A store whose synchronizations are counted.
  private func store(_ count: @escaping () -> Void) throws -> AgentStore {
    let database = try SQLiteConnection(path: ":memory:")
    database.gateSynchronization {
      count()
      return true
    }
    return try AgentStore(database, synchronous: .normal)
  }

  /// An earlier process may have committed and had no time to synchronize; nobody may be told of that before.
  @Test func whatIsFoundIsMadeDurableFirst() throws {
    var count = 0
    let store = try store { count += 1 }
    try store.synchronize()
    #expect(count == 1)
    try store.synchronize()
    #expect(count == 1)
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
