import Foundation
import SQLiteKit
import SimplexCrypto
import Testing

@Suite struct CopyTests {
  private func open(_ path: String, _ key: DatabaseKey?) throws -> SQLiteConnection {
    let connection =
      if let key { try SQLiteConnection(path: path, key: key) } else { try SQLiteConnection(path: path) }
    try connection.setPragma("locking_mode", "EXCLUSIVE")
    try connection.useWriteAheadLog(synchronous: .normal)
    try connection.transaction {}
    return connection
  }

  private func sum(_ connection: SQLiteConnection) throws -> Int64? {
    try connection.first("SELECT sum(length(body)) FROM notes") { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// A backup is what the open transaction reads, while another connection goes on writing.
  @Test func aBackupIsTheStateOfATransaction() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("notes.db")
    let writer = try SQLiteConnection(path: path)
    try writer.useWriteAheadLog(synchronous: .full)
    try writer.runScript("CREATE TABLE notes (body BLOB NOT NULL) STRICT")
    try writer.execute("INSERT INTO notes VALUES (?)", [UInt8](repeating: 1, count: 3_000_000))
    let reader = try SQLiteConnection(path: path, access: .readOnly)
    try reader.execute("BEGIN")
    #expect(try sum(reader) == 3_000_000)
    try writer.execute("INSERT INTO notes VALUES (?)", [UInt8](repeating: 2, count: 500))
    try reader.backUp(to: folder.path("first.db"))
    try reader.execute("COMMIT")
    try reader.backUp(to: folder.path("second.db"))
    for (name, expected) in [("first.db", Int64(3_000_000)), ("second.db", 3_000_500)] {
      let copy = try SQLiteConnection(path: folder.path(name))
      #expect(try sum(copy) == expected)
      try copy.checkIntegrity()
    }
    #expect(throws: SQLiteError.self) { try reader.backUp(to: folder.path("first.db")) }
    // Where it fails, nothing stays.
    let text = try SQLiteConnection(path: folder.path("text.db"))
    try Data(
      "no database, but long enough to have a header of one hundred bytes".utf8 + [UInt8](repeating: 9, count: 100)
    )
    .write(to: URL(filePath: folder.path("text.db")))
    #expect(throws: SQLiteError.self) { try text.backUp(to: folder.path("none.db")) }
    #expect(!DatabaseFile.exists(folder.path("none.db")))
  }

  /// A large copy is written before its first page, which says that it has pointer maps. One that looks like a page of
  /// a table is copied as it is.
  @Test func aBackupHasPointerMaps() throws {
    let folder = try TemporaryFolder()
    let (path, copy) = (folder.path("notes.db"), folder.path("copy.db"))
    do {
      let database = try SQLiteConnection(path: path)
      try database.setPragma("auto_vacuum", "INCREMENTAL")
      try database.runScript("CREATE TABLE notes (body BLOB NOT NULL) STRICT")
      try database.execute("INSERT INTO notes VALUES (?)", [UInt8](repeating: 1, count: 8_000_000))
    }
    // Entries of five bytes: a page of a tree, and the number of the page above it. The first map is on page 2.
    let parents: [UInt32] = [1, 1] + [UInt32](repeating: 0x0005_0001, count: 817)
    var map: [UInt8] = []
    for parent in parents { map += [5] + withUnsafeBytes(of: parent.bigEndian) { [UInt8]($0) } }
    map.append(0)
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: map)
    try file.close()
    try SQLiteConnection(path: path, access: .readOnly).backUp(to: copy)
    #expect(Array(try Data(contentsOf: URL(filePath: copy))[4_096..<8_192]) == map)
  }

  /// The copy has everything that was committed, takes the place of an older one, and has the same key; the database
  /// stays locked against other processes.
  @Test(arguments: [true, false]) func copiesTheFile(isEncrypted: Bool) throws {
    let folder = try TemporaryFolder()
    let (path, copy) = (folder.path("notes.db"), folder.path("copy.db"))
    let key =
      isEncrypted
      ? try DatabaseKey(passphrase: SecretBytes(Array("secret".utf8)), forFile: path) : nil
    let database = try open(path, key)
    try database.runScript("CREATE TABLE notes (body BLOB NOT NULL) STRICT")
    for size in [10, 5_000_000] {
      try database.execute("INSERT INTO notes VALUES (?)", [UInt8](repeating: 1, count: size))
      try database.copyFile(to: copy)
    }
    try database.execute("INSERT INTO notes VALUES (?)", [UInt8](repeating: 1, count: 7))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains("copy.db.new") == false)
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)

    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let program = """
      import fcntl, sys
      try: fcntl.lockf(open(sys.argv[1], "r+b"), fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x40000000)
      except OSError: sys.exit(3)
      """
    process.arguments = ["python3", "-c", program, path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 3)

    let copied = try open(copy, key)
    #expect(try sum(copied) == 5_000_010)
    try copied.checkIntegrity()
    #expect(try sum(database) == 5_000_017)
  }

  @Test func whatCannotBeWrittenIsAnError() throws {
    let folder = try TemporaryFolder()
    let database = try open(folder.path("notes.db"), nil)
    #expect(throws: SQLiteError.self) { try database.copyFile(to: folder.path("missing/copy.db")) }
    #expect(throws: SQLiteError.self) { try SQLiteConnection(path: ":memory:").copyFile(to: folder.path("copy.db")) }
  }
}
