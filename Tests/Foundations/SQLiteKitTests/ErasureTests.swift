import Foundation
import SimplexCrypto
import Testing

@testable import SQLiteKit

/// What was deleted is in no file of a database after its log was emptied.
@Suite struct ErasureTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  private func content(_ suffix: String) -> Data { (try? Data(contentsOf: URL(filePath: path + suffix))) ?? Data() }

  private func open() throws -> SQLiteConnection {
    let database = try SQLiteConnection(path: path)
    try database.useWriteAheadLog(synchronous: .normal)
    return database
  }

  @Test func everyConnectionThatWritesErases() throws {
    let key = try DatabaseKey(passphrase: SecretBytes([1]), forFile: folder.path("secret.db"))
    for database in [try open(), try SQLiteConnection(path: folder.path("secret.db"), key: key)] {
      #expect(try database.integerPragma("secure_delete") == 1)
      try database.setErasure(.withoutCost)
      #expect(try database.integerPragma("secure_delete") == 2)
    }
  }

  /// Rows of every size, beside others that stay.
  @Test func deletedRowsAreInNoFile() throws {
    let database = try open()
    try database.runScript("CREATE TABLE t (i INTEGER PRIMARY KEY, text TEXT)")
    for number in 0..<60 {
      let text = (number % 3 == 0 ? "stays" : "needle") + String(repeating: "x", count: number * number % 9_000)
      try database.execute("INSERT INTO t VALUES (?, ?)", Int64(number), text)
    }
    try database.execute("UPDATE t SET text = 'short' WHERE text LIKE 'needle%' AND i % 2 = 0")
    try database.execute("DELETE FROM t WHERE text LIKE 'needle%'")
    #expect(content("-wal").contains("needle"))
    try database.emptyLog()
    for suffix in ["", "-wal"] { #expect(!content(suffix).contains("needle"), "in the file \(suffix)") }
    #expect(content("").contains("stays"))
    #expect(content("-wal").isEmpty)
  }

  /// A part of the log may be in the page cache alone after a flush that failed. It must be durable before its pages
  /// are in the file, where a power failure could leave them without the rest of their transaction.
  @Test func aLogWhoseFlushFailedStaysUntilItIsDurable() throws {
    var works = true
    var database: SQLiteConnection? = try open()
    database?.gateSynchronization { works }
    try database?.setCheckpointInterval(pages: 10)
    try database?.runScript("CREATE TABLE t (i INTEGER, b BLOB)")
    try database?.emptyLog()
    let file = content("")
    works = false
    try database?.execute("INSERT INTO t VALUES (1, zeroblob(100))")
    #expect(throws: SQLiteError.self) { try database?.synchronize() }
    #expect(throws: SQLiteError.self) { try database?.emptyLog() }
    // No commit moves it either, whatever its size, nor does the end of the connection.
    try database?.setCheckpointInterval(pages: 10)
    for _ in 0..<50 { try database?.execute("INSERT INTO t VALUES (1, zeroblob(3000))") }
    database = nil
    #expect(content("") == file)
    #expect(DatabaseFile.hasLog(path))

    works = true
    database = try open()
    database?.gateSynchronization { works }
    #expect(try database?.rows(of: "SELECT count(*) FROM t", limit: 1) == ["51"])
    database?.doubtLog()
    works = false
    #expect(throws: SQLiteError.self) { try database?.emptyLog() }
    #expect(content("") == file)
    works = true
    try database?.emptyLog()
    #expect(content("") != file)
    #expect(content("-wal").isEmpty)
    database = nil
    #expect(try open().rows(of: "SELECT count(*) FROM t", limit: 1) == ["51"])
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
