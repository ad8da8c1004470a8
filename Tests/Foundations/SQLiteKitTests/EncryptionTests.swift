import Foundation
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Testing

private let oracle = "sqlcipher3-binary==0.6.0"
private let passphrase = SecretBytes(Array("correct horse".utf8))

private func fill(_ database: SQLiteConnection, rows: Int) throws {
  try database.runScript("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
  try database.transaction { () throws(SQLiteError) in
    for row in 0..<rows {
      try database.execute(
        "INSERT INTO t VALUES (?, ?)", row, [UInt8](repeating: UInt8(row % 251), count: row * 7 % 9000))
    }
  }
}

private func isIntact(_ database: SQLiteConnection, rows: Int) throws -> Bool {
  try database.checkIntegrity()
  let found = try database.all("SELECT id, body FROM t ORDER BY id") { (row) throws(SQLiteError) in
    let id = Int(try row.integer(0))
    return try row.bytes(1) == [UInt8](repeating: UInt8(id % 251), count: id * 7 % 9000)
  }
  return found.count == rows && !found.contains(false)
}

@Suite struct EncryptionTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("data #1.db")
  }

  private func content(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: name)) }

  /// A database in the middle of a transaction that changes all of its 300 rows. Its small cache has spilled changed
  /// pages into the file, so that only the journal has the old ones.
  private func databaseInTransaction(_ key: DatabaseKey) throws -> SQLiteConnection {
    let database = try SQLiteConnection(path: path, key: key)
    try fill(database, rows: 300)
    try database.setPragma("cache_size", "5")
    try database.execute("BEGIN IMMEDIATE")
    try database.execute("UPDATE t SET body = zeroblob(3000)")
    return database
  }

  @Test func contentSurvivesClosingAndNothingIsInTheClear() throws {
    let secret = "a sentence that must not be found"
    for step in 0..<3 {
      let database = try SQLiteConnection(path: path, passphrase: passphrase)
      if step == 0 {
        try database.useWriteAheadLog(synchronous: .full)
        try fill(database, rows: 500)
        try database.runScript("CREATE TABLE s (text TEXT)")
      }
      try database.execute("INSERT INTO s VALUES (?)", secret)
      #expect(try isIntact(database, rows: 500))
      for file in [path, path + "-wal"] {
        let bytes = try content(file)
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
        #expect(bytes.range(of: Data("SQLite format 3".utf8)) == nil)
        #expect(bytes.range(of: Data("CREATE TABLE".utf8)) == nil)
      }
    }
    let database = try SQLiteConnection(path: path, passphrase: passphrase)
    #expect(try database.first("SELECT count(*) FROM s") { (row) throws(SQLiteError) in try row.integer(0) } == 3)
  }

  @Test func theLogIsReadAfterACrash() throws {
    let key = try DatabaseKey(passphrase: passphrase, forFile: path)
    let database = try SQLiteConnection(path: path, key: key)
    try database.useWriteAheadLog(synchronous: .full)
    try database.setPragma("wal_autocheckpoint", "0")
    try fill(database, rows: 300)
    // What a crash would leave: the file and its log, copied while the connection is open.
    let copy = folder.path("copy.db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
    let recovered = try SQLiteConnection(path: copy, key: key)
    #expect(try isIntact(recovered, rows: 300))
  }

  @Test func theRollbackJournalIsReadAfterACrash() throws {
    let key = try DatabaseKey(passphrase: passphrase, forFile: path)
    let database = try databaseInTransaction(key)
    let copy = folder.path("copy.db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.copyItem(atPath: path + "-journal", toPath: copy + "-journal")
    #expect(try content(copy) != content(path + "-journal"))
    try database.execute("ROLLBACK")
    let recovered = try SQLiteConnection(path: copy, key: key)
    #expect(try isIntact(recovered, rows: 300))
  }

  /// A crash may leave the end of the journal torn: the pages that it has before that are restored, and no others. With
  /// another key nothing is rolled back, and the journal stays.
  @Test(arguments: [1, 255] as [UInt8]) func aTornJournalIsReadToItsEnd(_ change: UInt8) throws {
    let key = try DatabaseKey(passphrase: passphrase, forFile: path)
    let database = try databaseInTransaction(key)
    let copy = folder.path("copy.db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let journal = try content(path + "-journal")
    try journal.write(to: URL(fileURLWithPath: copy + "-journal"))
    try database.execute("ROLLBACK")
    let wrong = try DatabaseKey(passphrase: SecretBytes(Array("wrong".utf8)), forFile: copy)
    do throws(SQLiteError) {
      _ = try SQLiteConnection(path: copy, key: wrong)
      Issue.record("another key was accepted")
    } catch {
      #expect(error.kind == .notADatabase)
    }
    #expect(try content(copy + "-journal") == journal)
    // The last record of the first part was not written whole.
    func number(_ offset: Int) -> Int { journal[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (count, sector, recordSize) = (number(8), number(20), 4 + 4_096 + 4)
    try #require(count > 1 && sector + count * recordSize <= journal.count)
    let pages = (0..<count).map { number(sector + $0 * recordSize) }
    var torn = journal
    torn[sector + (count - 1) * recordSize + 4 + 4_096 - 200] &+= change
    try torn.write(to: URL(fileURLWithPath: copy + "-journal"))
    let before = try content(copy)
    // What is restored in part need not be a database.
    _ = try? SQLiteConnection(path: copy, key: key)
    #expect(!FileManager.default.fileExists(atPath: copy + "-journal"))
    // A page that is written gets another random vector.
    let after = try content(copy)
    let restored = (1...after.count / 4_096).filter { page in
      let range = (page - 1) * 4_096..<page * 4_096
      return after[range] != before[range]
    }
    #expect(restored == pages.dropLast().sorted())
  }

  /// Each rolls back what the other one left behind.
  @Test(.enabled(if: Python.environment(with: oracle) != nil, "SQLCipher from PyPI cannot be installed"))
  func journalsAreThoseOfSQLCipher() throws {
    let ours = folder.path("ours.db")
    let database = try databaseInTransaction(try DatabaseKey(passphrase: passphrase, forFile: path))
    try FileManager.default.copyItem(atPath: path, toPath: ours)
    try FileManager.default.copyItem(atPath: path + "-journal", toPath: ours + "-journal")
    try database.execute("ROLLBACK")
    let theirs = folder.path("theirs.db")
    let script = """
      import shutil, sys
      from sqlcipher3 import dbapi2 as sqlite
      ours = sqlite.connect(sys.argv[1])
      ours.execute("PRAGMA key = 'correct horse'")
      rows = ours.execute("SELECT id, body FROM t ORDER BY id").fetchall()
      assert rows == [(i, bytes([i % 251]) * (i * 7 % 9000)) for i in range(300)]
      assert ours.execute("PRAGMA cipher_integrity_check").fetchall() == []
      theirs = sqlite.connect(sys.argv[2] + "-used")
      theirs.execute("PRAGMA key = 'correct horse'")
      theirs.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
      theirs.executemany("INSERT INTO t VALUES (?, ?)", [(i, bytes([i % 251]) * (i * 7 % 9000)) for i in range(300)])
      theirs.commit()
      theirs.execute("PRAGMA cache_size = 5")
      theirs.execute("UPDATE t SET body = zeroblob(3000)")
      for companion in ["", "-journal"]:
          shutil.copy(sys.argv[2] + "-used" + companion, sys.argv[2] + companion)
      print("ok")
      """
    let result = try Python.run(script: script, arguments: [ours, theirs], package: oracle)
    #expect(result.status == 0 && result.output == "ok\n", "\(result.errors)")
    #expect(try isIntact(try SQLiteConnection(path: theirs, passphrase: passphrase), rows: 300))
  }

  @Test func severalConnectionsShareAFile() throws {
    let key = try DatabaseKey(passphrase: passphrase, forFile: path)
    let writer = try SQLiteConnection(path: path, key: key)
    try writer.useWriteAheadLog(synchronous: .normal)
    try fill(writer, rows: 100)
    let reader = try SQLiteConnection(path: path, access: .readOnly, key: key)
    #expect(try isIntact(reader, rows: 100))
    try writer.execute("DELETE FROM t WHERE id >= 50")
    #expect(try isIntact(reader, rows: 50))
  }

  @Test func wrongKeysAndForeignFilesAreRefused() throws {
    try fill(try SQLiteConnection(path: path, passphrase: passphrase), rows: 10)
    func kind(_ path: String, _ passphrase: String) -> SQLiteError.Kind? {
      do throws(SQLiteError) {
        _ = try SQLiteConnection(path: path, passphrase: SecretBytes(Array(passphrase.utf8)))
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(kind(path, "wrong") == .notADatabase)
    let plain = folder.path("plain.db")
    try fill(try SQLiteConnection(path: plain), rows: 10)
    #expect(kind(plain, "correct horse") == .notADatabase)
    let short = folder.path("short.db")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: short))
    #expect(kind(short, "correct horse") == .notADatabase)
    #expect(throws: SQLiteError.self) { try fill(try SQLiteConnection(path: path), rows: 1) }
  }

  @Test func aChangedPageIsNoticed() throws {
    try fill(try SQLiteConnection(path: path, passphrase: passphrase), rows: 300)
    var bytes = try content(path)
    bytes[4096 * 20 + 100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    do throws(SQLiteError) {
      try SQLiteConnection(path: path, passphrase: passphrase).checkIntegrity()
      Issue.record("a changed page went unnoticed")
    } catch {
      #expect(error.kind == .damaged)
    }
  }

  @Test func copiesAreEncryptedDecryptedAndGivenOtherKeys() throws {
    let plain = try SQLiteConnection(path: folder.path("plain.db"))
    try fill(plain, rows: 200)
    try plain.export(to: path, key: try DatabaseKey(passphrase: passphrase, forFile: path))
    let encrypted = try SQLiteConnection(path: path, passphrase: passphrase)
    #expect(try isIntact(encrypted, rows: 200))

    let other = SecretBytes(Array("another".utf8))
    let second = folder.path("second.db")
    try encrypted.export(to: second, key: try DatabaseKey(passphrase: other, forFile: second))
    #expect(try isIntact(try SQLiteConnection(path: second, passphrase: other), rows: 200))

    let third = folder.path("third.db")
    try encrypted.export(to: third, key: nil)
    #expect(try isIntact(try SQLiteConnection(path: third), rows: 200))
    #expect(try content(third).starts(with: Data("SQLite format 3".utf8)))
  }

  @Test(.enabled(if: Python.environment(with: oracle) != nil, "SQLCipher from PyPI cannot be installed"))
  func sqlCipherReadsOurFilesAndWeReadIts() throws {
    let ours = try SQLiteConnection(path: path, passphrase: passphrase)
    try fill(ours, rows: 200)
    let theirs = folder.path("theirs.db")
    let script = """
      import sys
      from sqlcipher3 import dbapi2 as sqlite
      ours = sqlite.connect(sys.argv[1])
      ours.execute("PRAGMA key = 'correct horse'")
      rows = ours.execute("SELECT id, body FROM t ORDER BY id").fetchall()
      assert rows == [(i, bytes([i % 251]) * (i * 7 % 9000)) for i in range(200)]
      assert ours.execute("PRAGMA cipher_integrity_check").fetchall() == []
      ours.execute("DELETE FROM t WHERE id >= 150")
      ours.commit()
      ours.close()
      theirs = sqlite.connect(sys.argv[2])
      theirs.execute("PRAGMA key = 'correct horse'")
      theirs.execute("PRAGMA journal_mode = WAL")
      theirs.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
      theirs.executemany("INSERT INTO t VALUES (?, ?)", [(i, bytes([i % 251]) * (i * 7 % 9000)) for i in range(200)])
      theirs.commit()
      theirs.close()
      print("ok")
      """
    let result = try Python.run(script: script, arguments: [path, theirs], package: oracle)
    #expect(result.status == 0 && result.output == "ok\n", "\(result.errors)")
    #expect(try isIntact(ours, rows: 150))
    #expect(try isIntact(try SQLiteConnection(path: theirs, passphrase: passphrase), rows: 200))
  }
}
