import Foundation
import SQLiteKit
import SimplexCrypto
import Testing

@Suite struct DurabilityTests {
  private func write(_ database: SQLiteConnection) throws {
    try database.useWriteAheadLog(synchronous: .normal)
    try database.synchronize()
    try database.runScript("CREATE TABLE IF NOT EXISTS t (i INTEGER)")
    for number in 0..<3 { try database.execute("INSERT INTO t VALUES (?)", Int64(number)) }
    try database.synchronize()
  }

  @Test func logsOfAllKindsAreSynchronized() throws {
    let folder = try TemporaryFolder()
    try write(SQLiteConnection(path: ":memory:"))
    try write(SQLiteConnection(path: folder.path("clear.db")))
    try write(SQLiteConnection(path: folder.path("secret.db"), passphrase: SecretBytes([1, 2, 3])))
  }

  @Test func aDiskThatFailsIsAnError() throws {
    let database = try SQLiteConnection(path: ":memory:")
    database.gateSynchronization { false }
    let error = #expect(throws: SQLiteError.self) { try database.synchronize() }
    #expect(error?.kind == .inputOutput)
    database.gateSynchronization(nil)
    try database.synchronize()
  }
}
