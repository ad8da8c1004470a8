import Foundation
import SimplexCrypto
import Testing

@testable import SQLiteKit

/// Who has a database, what it is, and what is left of it after a crash.
@Suite struct DatabaseFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  private func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  // MARK: The lease

  @Test func oneHolderAtATime() throws {
    let path = folder.path("profile.lock")
    let (first, second) = (DatabaseLease(path: path), DatabaseLease(path: path))
    try first.take()
    try first.take()
    #expect(throws: SQLiteError.self) { try second.take() }
    first.release()
    #expect(throws: SQLiteError.self) { try second.take() }
    first.release()
    #expect(!first.isHeld)
    try second.take()
    #expect(throws: SQLiteError.self) { try first.take() }
    #expect(try rights(path) == 0o600)
    try DatabaseLease(path: folder.path("another.lock")).take()
  }

  @Test func aRemovedLockFileExcludesNobodyAndIsMadeAgain() throws {
    let path = folder.path("profile.lock")
    let (first, second, third) = (DatabaseLease(path: path), DatabaseLease(path: path), DatabaseLease(path: path))
    try first.take()
    try FileManager.default.removeItem(atPath: path)
    try second.take()
    #expect(throws: SQLiteError.self) { try third.take() }
  }

  /// The system releases it however a process ends.
  @Test func aKilledProcessReleasesIt() throws {
    let path = folder.path("profile.lock")
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      "import fcntl,sys,time\nf=open(sys.argv[1],'a')\nfcntl.flock(f,fcntl.LOCK_EX)\nprint('held',flush=True)\ntime.sleep(60)",
      path,
    ]
    let output = Pipe()
    holder.standardOutput = output
    try holder.run()
    _ = output.fileHandleForReading.readData(ofLength: 4)
    let lease = DatabaseLease(path: path)
    do throws(SQLiteError) {
      try lease.take()
      Issue.record("two holders")
    } catch {
      #expect(error.kind == .busy)
    }
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    try lease.take()
  }

  // MARK: Identity

  private func verify(_ path: String, key: DatabaseKey? = nil) -> SQLiteError.Kind? {
    do throws(SQLiteError) {
      try DatabaseIdentity.read(path, key: key)?.verify(application: 77, knownVersion: 3)
      return nil
    } catch {
      return error.kind
    }
  }

  private func database(_ name: String, _ sql: String, key: DatabaseKey? = nil) throws -> String {
    let path = folder.path(name)
    let connection =
      if let key { try SQLiteConnection(path: path, key: key) } else { try SQLiteConnection(path: path) }
    try connection.runScript(sql)
    return path
  }

  @Test(arguments: [true, false]) func filesSayWhatTheyAre(isEncrypted: Bool) throws {
    let key = isEncrypted ? try DatabaseKey(passphrase: SecretBytes(Array("s".utf8)), salt: Array(0..<16)) : nil
    let tables = "CREATE TABLE t (a INTEGER);"
    let reference = """
      CREATE TABLE migrations (name TEXT PRIMARY KEY, ts TEXT NOT NULL, down TEXT);
      INSERT INTO migrations VALUES ('20220101_initial', '', NULL), ('20220122_v1_1', '', NULL);
      """
    #expect(verify(folder.path("missing"), key: key) == nil)
    #expect(verify(try database("ours", "PRAGMA application_id = 77;" + tables, key: key), key: key) == nil)
    #expect(
      verify(try database("later", "PRAGMA application_id = 77; PRAGMA user_version = 4;" + tables, key: key), key: key)
        == .newerSchema(found: 4, known: 3))
    #expect(
      verify(try database("reference", reference, key: key), key: key)
        == .foreign(.withMigrations(first: "20220101_initial")))
    #expect(
      verify(try database("other", "PRAGMA application_id = 78;" + tables, key: key), key: key)
        == .foreign(.application(78)))
    #expect(verify(try database("unmarked", tables, key: key), key: key) == .foreign(.unmarked))
    if isEncrypted { #expect(verify(folder.path("ours")) == .notADatabase) }
  }

  /// Identifying a file changes nothing, creates nothing, and waits for no lock.
  @Test func lookingLeavesNoTrace() throws {
    let path = try database("reference", "PRAGMA journal_mode = WAL; CREATE TABLE migrations (name TEXT);")
    let writer = try SQLiteConnection(path: path)
    try writer.useWriteAheadLog(synchronous: .normal)
    try writer.execute("BEGIN EXCLUSIVE")
    try writer.execute("INSERT INTO migrations VALUES ('x')")
    func state() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where !name.hasSuffix("-shm") {
        files[name] = try Data(contentsOf: folder.url.appending(path: name))
      }
      return files
    }
    let before = try state()
    #expect(verify(path) == .foreign(.unmarked))
    #expect(try state() == before)
    try writer.execute("COMMIT")
  }

  // MARK: Rights

  @Test func onlyTheOwnerMayReadDatabases() throws {
    // Whatever the rights are that the system gives new files.
    let mask = umask(0)
    defer { umask(mask) }
    let path = folder.path("private.db")
    let connection = try SQLiteConnection(path: path)
    #expect(try rights(path) == 0o600)
    try connection.useWriteAheadLog(synchronous: .normal)
    try connection.runScript("CREATE TABLE t (a INTEGER)")
    #expect(try rights(path + "-wal") == 0o600)
    let copy = folder.path("copy.db")
    try connection.export(to: copy, key: nil)
    #expect(try rights(copy) == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "-wal")
    DatabaseFile.restrict(path)
    #expect(try rights(path) == 0o600)
    #expect(try rights(path + "-wal") == 0o600)
  }

  // MARK: Replacement

  private func replacement() throws -> DatabaseReplacement {
    let files = ["a.db", "b.db"].map(folder.path)
    for file in files {
      try write("old", to: file)
      try write("old log", to: file + "-wal")
      try write("new", to: DatabaseReplacement.new(file))
      // The log of an earlier backup must not be applied to the new one.
      try write("earlier", to: DatabaseReplacement.backup(file))
      try write("earlier log", to: DatabaseReplacement.backup(file) + "-journal")
      for suffix in ["", "-wal"] {
        try? FileManager.default.removeItem(atPath: file + ".imported" + suffix)
        try write("import", to: file + ".import" + suffix)
      }
    }
    return DatabaseReplacement(of: files, marker: folder.path("marker"))
  }

  /// Whichever step is the last, the next start finds all old or all new, and a crash in that start changes nothing of
  /// it.
  @Test(arguments: [DatabaseReplacement.Old.keep(), .keep(suffix: ".imported"), .remove(copies: ".import")])
  func allOrNothing(old: DatabaseReplacement.Old) throws {
    var steps = 0
    _ = try? replacement().commit(old) { _ in steps += 1 }
    #expect(steps > 5)
    for crash in 0...steps {
      for second in 0...steps {
        let replacement = try replacement()
        var (step, again) = (0, 0)
        let crashed = SQLiteError(.other, "crash")
        _ = try? replacement.commit(old) { (_) throws(SQLiteError) in
          if step == crash { throw crashed }
          step += 1
        }
        _ = try? replacement.recover { (_) throws(SQLiteError) in
          if again == second { throw crashed }
          again += 1
        }
        try replacement.recover()
        let contents = Set(replacement.files.map(text))
        #expect(contents == (crash == 0 ? ["old"] : ["new"]), "\(crash) \(second)")
        for file in replacement.files {
          #expect(text(DatabaseReplacement.new(file)) == nil)
          // A log of the old content would be applied to the new.
          #expect(text(file + "-wal") == (crash == 0 ? "old log" : nil))
          if case .keep(let suffix) = old, crash > 0 {
            #expect(text(file + suffix) == "old")
            // It may have transactions that the file does not have.
            #expect(text(file + suffix + "-wal") == "old log")
            #expect(text(file + suffix + "-journal") == nil)
          } else {
            #expect(text(file + ".imported") == nil)
          }
          if old == .keep(suffix: ".imported") { #expect(text(DatabaseReplacement.backup(file)) == "earlier") }
          if case .remove(let copies) = old, crash > 0 {
            for name in [DatabaseReplacement.backup(file), file + copies, file + copies + "-wal"] {
              #expect(text(name) == nil, "\(crash) \(second)")
            }
          } else {
            #expect(text(file + ".import") == "import")
          }
        }
        #expect(!replacement.isCommitted)
        #expect(text(folder.path("marker")) == nil)
      }
    }
  }

  /// After a crash between two steps, another program finds no file and makes one. It does not replace the backup.
  @Test func aFileThatIsMadeMeanwhileIsKeptBesideTheBackup() throws {
    let replacement = try replacement()
    let file = replacement.files[0]
    _ = try? replacement.commit(.keep(suffix: ".imported")) { (step) throws(SQLiteError) in
      if step == "rename to \(file)" { throw SQLiteError(.other, "crash") }
    }
    #expect(text(file) == nil)
    try write("made meanwhile", to: file)
    try write("its log", to: file + "-journal")
    #expect(try replacement.recover())
    #expect(text(file) == "new")
    #expect(text(file + "-journal") == nil)
    #expect(text(file + ".imported") == "old")
    #expect(text(file + ".imported-wal") == "old log")
    #expect(text(file + ".imported2") == "made meanwhile")
    #expect(text(file + ".imported2-journal") == "its log")
  }

  /// Whatever the last step is, no database is without its log under its own name.
  @Test func aDatabaseIsRenamedBeforeItsLog() throws {
    let path = folder.path("c.db")
    try write("database", to: path)
    try write("log", to: path + "-wal")
    try write("journal", to: path + "-journal")
    for _ in 0..<3 {
      try? DatabaseFile.rename(path, to: path + "2") { (_) throws(SQLiteError) in throw SQLiteError(.other, "crash") }
      #expect(text(path) == nil)
      #expect(text(path + "2") == "database")
    }
    try DatabaseFile.rename(path, to: path + "2")
    #expect(text(path + "2-wal") == "log")
    #expect(text(path + "2-journal") == "journal")
  }

  /// Whether a replacement was committed or not.
  @Test(arguments: [false, true]) func copiesThatAKilledProgramLeftAreRemoved(isCommitted: Bool) throws {
    let replacement = try replacement()
    for file in replacement.files {
      try write("copy", to: DatabaseReplacement.source(file))
      try write("log", to: DatabaseReplacement.source(file) + "-wal")
    }
    if isCommitted {
      _ = try? replacement.commit(.keep()) { (step) throws(SQLiteError) in
        if step != "marker" { throw SQLiteError(.other, "crash") }
      }
    }
    #expect(try replacement.recover() == isCommitted)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.hasPrefix("a.db.source") || $0.hasPrefix("b.db.source") })
  }

  @Test func aFreeSuffixMeetsNoFile() throws {
    let files = ["a.db", "b.db"].map(folder.path)
    #expect(DatabaseFile.freeSuffix(".old", of: files) == ".old")
    try write("x", to: files[0] + ".old")
    try write("x", to: files[1] + ".old2-wal")
    #expect(DatabaseFile.freeSuffix(".old", of: files) == ".old3")
  }

  @Test func renamedFilesKeepTheirNumber() throws {
    let path = folder.path("c.db")
    #expect(DatabaseFile.number(path) == nil)
    #expect(DatabaseFile.stamp(path) == nil)
    try write("x", to: path)
    let (number, stamp) = (DatabaseFile.number(path), DatabaseFile.stamp(path))
    try DatabaseFile.rename(path, to: path + "2")
    #expect(DatabaseFile.number(path + "2") == number)
    #expect(DatabaseFile.stamp(path + "2") == stamp)
    try write("longer", to: path + "2")
    #expect(DatabaseFile.stamp(path + "2") != stamp)
    #expect(DatabaseFile.absolute("/a/b") == "/a/b")
    #expect(DatabaseFile.absolute("b") == FileManager.default.currentDirectoryPath + "/b")
  }
}
