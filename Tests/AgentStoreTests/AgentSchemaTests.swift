import SQLiteKit
import Testing

@testable import AgentStore

@Suite struct AgentSchemaTests {
  @Test func opensTwice() throws {
    let database = try SQLiteConnection(path: ":memory:")
    _ = try AgentStore(database)
    _ = try AgentStore(database)
    #expect(try database.integerPragma("user_version") == 1)
  }
}
