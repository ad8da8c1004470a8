import CSQLite

/// Counts what the statements of a connection do, so that tests can bound the work of a transaction where its time
/// would depend on the machine. The first use of a statement includes what it did before it was counted.
package final class StatementWork {
  /// The number of statements that were run.
  package private(set) var statements = 0
  /// The instructions of SQLite's virtual machine; those of triggers are among them.
  package private(set) var steps = 0

  package init() {}

  func note(_ statement: OpaquePointer?) {
    statements += 1
    steps += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
  }

  /// Begins at zero again.
  package func reset() { (statements, steps) = (0, 0) }
}
