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

  /// A log that is written again is the same, byte for byte, and goes on.
  @Test(arguments: [false, true]) func aLogIsWrittenAgain(isEncrypted: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    func open() throws -> SQLiteConnection {
      guard isEncrypted else { return try SQLiteConnection(path: path) }
      return try SQLiteConnection(path: path, passphrase: SecretBytes([1, 2, 3]))
    }
    let database = try open()
    try write(database)
    for number in 0..<50 {
      try database.runScript("CREATE TABLE u\(number) AS SELECT randomblob(3000) AS b")
    }
    let log = URL(filePath: path + "-wal")
    let before = try Data(contentsOf: log)
    #expect(before.count > 200_000)
    try database.synchronizeAgain()
    #expect(try Data(contentsOf: log) == before)
    try write(database)
    let other = try open()
    try other.checkIntegrity()
    #expect(try other.rows(of: "SELECT count(*) FROM t", limit: 1) == ["6"])
    try database.emptyLog()
    #expect(try Data(contentsOf: log).isEmpty)
    try database.synchronizeAgain()
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
