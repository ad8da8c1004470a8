import Foundation
import SQLiteKit
import Testing

/// A file in a folder of its own, removed with it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "sqlitekit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
}

private func inMemory() throws -> SQLiteConnection { try SQLiteConnection(path: ":memory:") }

private let steps = [
  SQLiteMigration(
    1, name: "0001_notes", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, body BLOB NOT NULL UNIQUE) STRICT"),
  SQLiteMigration(2, name: "0002_titles", sql: "ALTER TABLE notes ADD COLUMN title TEXT"),
]

@Suite struct SQLiteConnectionTests {
  @Test func valuesComeBackAsTheyWereBound() throws {
    let database = try inMemory()
    try database.runScript("CREATE TABLE t (i INTEGER, b BLOB, s TEXT, d REAL, n BLOB)")
    let bytes: [UInt8] = [0, 1, 255]
    try database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", Int64.min, bytes, "größe\u{0}x", 1.5, [UInt8]?.none)
    try database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", true, [UInt8](), "", -0.25, bytes)
    let rows = try database.all("SELECT * FROM t ORDER BY rowid") { (row) throws(SQLiteError) in
      "\(try row.integer(0)) \(try row.bytes(1)) \(try row.text(2)) \(try row.double(3)) \(try row.optionalBytes(4) ?? [])"
    }
    #expect(rows == ["\(Int64.min) [0, 1, 255] größe\u{0}x 1.5 []", "1 []  -0.25 [0, 1, 255]"])
  }

  @Test func columnsOfAnotherTypeAreErrors() throws {
    let database = try inMemory()
    #expect(throws: SQLiteError(.unexpectedColumn(0), "column 0 is of another type")) {
      try database.first("SELECT 'text'") { (row) throws(SQLiteError) in try row.integer(0) }
    }
    #expect(throws: SQLiteError(.unexpectedColumn(0), "column 0 is of another type")) {
      try database.first("SELECT NULL") { (row) throws(SQLiteError) in try row.bytes(0) }
    }
  }

  @Test func numbersOfParametersHaveToAgree() throws {
    let database = try inMemory()
    #expect(throws: SQLiteError.self) { try database.execute("SELECT ?, ?", 1) }
    #expect(throws: SQLiteError.self) { try database.execute("SELECT ?", 1, 2) }
  }

  @Test func constraintsAreTold() throws {
    let database = try inMemory()
    try database.migrate(steps)
    try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8(1)])
    let error = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8(1)])
    }
    #expect(error?.kind == .constraint(.unique))
    let notNull = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8]?.none)
    }
    #expect(notNull?.kind == .constraint(.other))
  }

  @Test func aFailedTransactionLeavesNothing() throws {
    let database = try inMemory()
    try database.migrate(steps)
    #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in
        try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8(1)])
        try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8(1)])
      }
    }
    #expect(!database.isInTransaction)
    #expect(try database.first("SELECT count(*) FROM notes") { (row) throws(SQLiteError) in try row.integer(0) } == 0)
  }

  @Test func aFullDiskIsTold() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteConnection(path: folder.path("full.db"))
    try database.migrate(steps)
    try database.setPragma("max_page_count", "4")
    let error = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8](repeating: 1, count: 100_000))
    }
    #expect(error?.kind == .diskFull)
    try database.checkIntegrity()
  }

  @Test func aForeignFileIsNoDatabase() throws {
    let folder = try TemporaryFolder()
    try Data(
      "certainly not a database, whatever its name says; long enough to have a header of 100 bytes and more".utf8
    )
    .write(to: URL(filePath: folder.path("note.txt")))
    let database = try SQLiteConnection(path: folder.path("note.txt"))
    let error = #expect(throws: SQLiteError.self) { try database.migrate(steps) }
    #expect(error?.kind == .notADatabase)
  }

  @Test func aDamagedFileIsTold() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("damaged.db")
    try {
      let database = try SQLiteConnection(path: path)
      try database.migrate(steps)
      for index in 0..<200 {
        try database.execute("INSERT INTO notes (body) VALUES (?)", [UInt8](repeating: UInt8(index), count: 900))
      }
    }()
    var bytes = try Data(contentsOf: URL(filePath: path))
    for index in stride(from: 8192, to: bytes.count, by: 3) { bytes[index] = 0x5a }
    try bytes.write(to: URL(filePath: path))
    let database = try SQLiteConnection(path: path)
    let error = #expect(throws: SQLiteError.self) { try database.checkIntegrity() }
    #expect(error?.kind == .damaged)
  }

  /// Paths as programs join them, and names that have a meaning in a URI.
  @Test(arguments: ["/a.db", "//a.db", "///a.db", "/a?b#c%d.db"]) func filesOfAnyName(end: String) throws {
    let folder = try TemporaryFolder()
    for path in [folder.url.path + end, "/" + folder.url.path + end] {
      try SQLiteConnection(path: path).runScript("CREATE TABLE IF NOT EXISTS t (i INTEGER)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [String(end.drop { $0 == "/" })])
  }

  @Test func aMissingFolderCannotBeOpened() throws {
    let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: "/nonexistent/folder/file.db") }
    #expect(error?.kind == .cannotOpen)
  }

  @Test func aSecondWriterIsBusy() throws {
    let folder = try TemporaryFolder()
    let one = try SQLiteConnection(path: folder.path("shared.db"))
    try one.useWriteAheadLog(synchronous: .full)
    try one.migrate(steps)
    let other = try SQLiteConnection(path: folder.path("shared.db"))
    try other.setBusyTimeout(milliseconds: 1)
    try one.transaction { () throws(SQLiteError) in
      let error = #expect(throws: SQLiteError.self) { try other.execute("BEGIN IMMEDIATE") }
      #expect(error?.kind == .busy)
    }
  }
}

@Suite struct SQLiteMigrationTests {
  @Test func stepsAreAppliedOnce() throws {
    let database = try inMemory()
    #expect(try database.migrate(Array(steps.prefix(1))) == 1)
    #expect(try database.migrate(steps) == 1)
    #expect(try database.migrate(steps) == 0)
    #expect(
      try database.schema() == [
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body BLOB NOT NULL UNIQUE, title TEXT) STRICT"
      ])
  }

  @Test func aNewerFileIsLeftAlone() throws {
    let database = try inMemory()
    try database.setPragma("user_version", "3")
    let error = #expect(throws: SQLiteError.self) { try database.migrate(steps) }
    #expect(error?.kind == .newerSchema(found: 3, known: 2))
  }

  /// Only the text of the first step counts: later ones are numbered.
  @Test func aFileOfAnotherFirstStepIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.db")
    func open(_ steps: [SQLiteMigration], mark: Bool = true) throws -> SQLiteConnection {
      let fingerprint = mark ? SchemaFingerprint(of: steps) : nil
      try DatabaseIdentity.read(path)?.verify(application: 7, knownVersion: 2, schema: fingerprint)
      let database = try SQLiteConnection(path: path)
      try database.claim(application: 7)
      try database.useWriteAheadLog(synchronous: .normal)
      try database.migrate(steps, fingerprint: fingerprint)
      return database
    }
    let other = [SQLiteMigration(1, name: steps[0].name, sql: steps[0].sql + "CREATE TABLE more (x);")]
    for mark in [true, false] {
      DatabaseFile.remove(path)
      do {
        let database = try open(Array(steps.prefix(1)), mark: mark)
        // The schema is in the log alone.
        #expect(try DatabaseIdentity.read(path)?.version == 0)
        let error = #expect(throws: SQLiteError.self) {
          try database.migrate(other, fingerprint: SchemaFingerprint(of: other))
        }
        #expect(error?.kind == .earlierBuild)
      }
      #expect(try DatabaseIdentity.read(path)?.version == 1)
      let error = #expect(throws: SQLiteError.self) { try open(other) }
      #expect(error?.kind == .earlierBuild)
    }
    DatabaseFile.remove(path)
    #expect(try open(Array(steps.prefix(1))).integerPragma("user_version") == 1)
    #expect(try open(steps).integerPragma("user_version") == 2)
  }

  @Test func aFailingStepChangesNothing() throws {
    let database = try inMemory()
    let broken = SQLiteMigration(3, name: "0003_broken", sql: "CREATE TABLE a (x); CREATE TABLE a (x)")
    #expect(throws: SQLiteError.self) { try database.migrate(steps + [broken]) }
    #expect(try database.integerPragma("user_version") == 2)
    #expect(try database.migrate(steps) == 0)
  }

  @Test func queryPlansAreShown() throws {
    let database = try inMemory()
    try database.migrate(steps)
    #expect(
      try database.queryPlan("SELECT id FROM notes WHERE body = ?") == [
        "SEARCH notes USING COVERING INDEX sqlite_autoindex_notes_1 (body=?)"
      ])
  }

  @Test(arguments: [
    ("Hello World", "o w", true), ("Hello", "hello", true), ("Hello", "hellos", false), ("Hello", "", true),
    ("", "a", false), ("[]{}@`", "@", true), ("`", "@", false), ("Straße ПРИВЕТ", "привет", true),
    ("ascii", "привет", false), ("aaab", "aab", true), ("ÄÖÜ", "äö", true),
  ])
  func textIsFoundWhateverTheCase(text: String, words: String, found: Bool) throws {
    let database = try inMemory()
    try database.addTextSearch()
    let answer = try database.first("SELECT contains_folded(?, ?)", text, words) { (row) throws(SQLiteError) in
      try row.bool(0)
    }
    #expect(answer == found)
    #expect(
      try database.first("SELECT contains_folded(NULL, ?)", words) { (row) throws(SQLiteError) in try row.bool(0) }
        == false)
    #expect(
      try database.first("SELECT contains_folded(5, x'00')") { (row) throws(SQLiteError) in try row.bool(0) } == false)
  }
}
