import CSQLite
import DiskSimulation
import Foundation
import SimplexCrypto
import SimplexTesting
import Testing

@testable import SQLiteKit

/// After a kill at any write and a power failure at any write, flush or change of a size, an encrypted database opens
/// with the same commits as one in the clear that had the same writes.
@Suite struct EncryptedRecoveryTests {
  private static let application: Int32 = 77
  private static let commitCount = 14
  private static let encrypted: String = {
    let name = "encrypted-simulated-disk"
    return EncryptedVFS.register(name, above: sqlite3_vfs_find(SimulatedVFS.name)) == SQLITE_OK ? name : "missing"
  }()

  /// What may be found at a moment.
  private struct Progress {
    /// The last commit that is durable.
    var durable = 0
    /// The last one that has returned.
    var committed = 0
    /// The last one that has begun.
    var begun = 0
  }

  /// What was found after a crash.
  private struct Found {
    var progress: Progress
    var commits: Int
  }

  private let folder: TemporaryFolder
  private let key: DatabaseKey

  init() throws {
    folder = try TemporaryFolder()
    key = try DatabaseKey(passphrase: SecretBytes([1, 2, 3]), salt: Array(1...16))
  }

  /// Writes, flushes and empties logs; calls `crash` after each change of a file.
  private func play(_ key: DatabaseKey?, crash: @escaping (SimulatedDisk, Progress) -> Void) throws {
    let disk = SimulatedDisk()
    let path = disk.folder + "a.db"
    let database: SQLiteConnection
    if let key {
      database = try SQLiteConnection(
        path: path, access: .readWriteCreate, key: key, isImmutable: false, vfs: Self.encrypted)
    } else {
      database = try SQLiteConnection(path: path, vfs: SimulatedVFS.name)
      // The same pages, and so the same writes.
      try database.reservePageBytes(Int32(PageCipher.reservedSize))
    }
    try database.setPragma("locking_mode", "EXCLUSIVE")
    try database.claim(application: Self.application)
    try database.useWriteAheadLog(synchronous: .normal)
    try database.setCheckpointInterval(pages: 0)
    try database.runScript("CREATE TABLE commits (number INTEGER PRIMARY KEY, content BLOB)")
    try database.emptyLog()
    var progress = Progress()
    disk.afterChange = { crash(disk, progress) }
    var random = SeededGenerator(seed: 7)
    for number in 1...Self.commitCount {
      progress.begun = number
      let size = Int.random(in: 100...9_000, using: &random)
      let content = random.bytes(size)
      try database.transaction { () throws(SQLiteError) in
        try database.execute("INSERT INTO commits VALUES (?, ?)", Int64(number), content)
        // The first page is in every commit.
        try database.setPragma("user_version", String(number))
      }
      progress.committed = number
      if number % 3 == 0 { try database.synchronize() }
      if number == 5 { try database.emptyLog() }
      // The log then begins anew in front of old frames.
      if number == 9 { try database.checkpoint() }
      if number % 3 == 0 || number == 5 { progress.durable = number }
    }
    disk.afterChange = nil
  }

  /// Opens what a crash has left, as a profile is opened, and returns the last commit.
  private func recover(_ files: [String: [UInt8]], _ key: DatabaseKey?) throws -> Int {
    let path = folder.path("left.db")
    for suffix in ["", "-wal", "-journal", "-shm"] {
      unlink(path + suffix)
      if let content = files["a.db" + suffix] { try Data(content).write(to: URL(filePath: path + suffix)) }
    }
    try DatabaseIdentity.read(path, key: key)?.verify(application: Self.application, knownVersion: Self.commitCount)
    let database = try open(path, key)
    try database.setPragma("locking_mode", "EXCLUSIVE")
    try database.useWriteAheadLog(synchronous: .normal)
    try database.checkIntegrity()
    let counts = try database.rows(of: "SELECT count(*), coalesce(max(number), 0) FROM commits", limit: 1)
    let last = Int(try database.integerPragma("user_version") ?? -1)
    #expect(counts == ["\(last)|\(last)"])
    return last
  }

  private func open(_ path: String, _ key: DatabaseKey?) throws -> SQLiteConnection {
    guard let key else { return try SQLiteConnection(path: path) }
    return try SQLiteConnection(path: path, key: key)
  }

  /// What is found after a crash at each moment; -1 where the database does not open.
  private func crashes(
    _ key: DatabaseKey?, _ left: @escaping (SimulatedDisk, Int) -> [String: [UInt8]]
  ) throws -> [Found] {
    var found: [Found] = []
    try play(key) { disk, progress in
      let files = left(disk, found.count)
      do {
        found.append(Found(progress: progress, commits: try recover(files, key)))
      } catch {
        Issue.record("moment \(found.count), \(key == nil ? "in the clear" : "encrypted"): \(error)")
        found.append(Found(progress: progress, commits: -1))
      }
    }
    return found
  }

  @Test func aKillAtAnyWrite() throws {
    let left = { (disk: SimulatedDisk, _: Int) in disk.files.mapValues(\.content) }
    let (clear, secret) = (try crashes(nil, left), try crashes(key, left))
    #expect(clear.map(\.commits) == secret.map(\.commits))
    for found in secret { #expect((found.progress.committed...found.progress.begun).contains(found.commits)) }
    #expect(secret.count > 100)
  }

  /// Where a torn sector has the same bytes before and after in the clear, its frame is whole there alone.
  @Test(arguments: zip([512, 4_096], [1, 2])) func aPowerFailureAtAnyMoment(sectorSize: Int, seed: UInt64) throws {
    let left = { (disk: SimulatedDisk, moment: Int) in
      var random = SeededGenerator(seed: seed &* 1_000 &+ UInt64(moment))
      return disk.contentAfterPowerFailure(&random, sectorSize: sectorSize)
    }
    let (clear, secret) = (try crashes(nil, left), try crashes(key, left))
    #expect(clear.count == secret.count)
    for (moment, (clear, secret)) in zip(clear, secret).enumerated() {
      let isRight =
        secret.progress.durable <= secret.commits && secret.commits <= clear.commits
        && clear.commits <= clear.progress.begun
      #expect(isRight, "moment \(moment): \(secret), in the clear \(clear.commits)")
    }
    #expect(secret.contains { $0.commits < $0.progress.committed })
  }

  // MARK: Keys and damage

  /// An encrypted database with a log, in files.
  private func withLog(_ name: String) throws -> (path: String, database: SQLiteConnection) {
    let path = folder.path(name)
    let database = try SQLiteConnection(path: path, key: key)
    try database.useWriteAheadLog(synchronous: .normal)
    try database.runScript("CREATE TABLE t (i INTEGER, b BLOB)")
    for number in 0..<20 { try database.execute("INSERT INTO t VALUES (?, randomblob(3000))", Int64(number)) }
    try database.emptyLog()
    for number in 20..<40 { try database.execute("INSERT INTO t VALUES (?, randomblob(3000))", Int64(number)) }
    return (path, database)
  }

  /// Copies an open database as a kill would leave it.
  private func killed(_ path: String, as name: String) throws -> String {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path(name) + suffix)
    }
    return folder.path(name)
  }

  private func change(_ path: String, at offset: UInt64) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
    try file.close()
  }

  /// With a wrong key no frame is authentic; the log must not be taken for an empty one, which is removed.
  @Test(arguments: [false, true]) func aWrongKeyLeavesTheLog(isFirstPageTorn: Bool) throws {
    let made = try withLog("a.db")
    let path = try killed(made.path, as: "b.db")
    if isFirstPageTorn { try change(path, at: 1_024) }
    let log = try Data(contentsOf: URL(filePath: path + "-wal"))
    let wrong = try DatabaseKey(passphrase: SecretBytes([9]), salt: Array(1...16))
    for _ in 0..<2 {
      let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: path, key: wrong) }
      #expect(error?.kind == .notADatabase)
      let identity = #expect(throws: SQLiteError.self) { try DatabaseIdentity.read(path, key: wrong) }
      #expect(identity?.kind == .notADatabase)
    }
    #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
    #expect(try open(path, key).rows(of: "SELECT count(*) FROM t", limit: 1) == ["40"])
    withExtendedLifetime(made.database) {}
  }

  /// A first page that no log has whole is damage where other pages show that the key is right.
  @Test func aTornFirstPageIsNoWrongPassphrase() throws {
    var made: (path: String, database: SQLiteConnection)? = try withLog("a.db")
    let path = try #require(made).path
    made = nil
    #expect(!DatabaseFile.hasLog(path))
    try change(path, at: 1_024)
    let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: path, key: key) }
    #expect(error?.kind == .damaged)
  }

  /// Once the end of the log is known, each of its frames counts.
  @Test func aFrameThatChangesLaterIsDamage() throws {
    let (path, database) = try withLog("a.db")
    let size = try Data(contentsOf: URL(filePath: path + "-wal")).count
    for frame in 0..<(size - 32) / 4_120 { try change(path + "-wal", at: UInt64(32 + frame * 4_120 + 1_000)) }
    database.releaseMemory()
    let error = #expect(throws: SQLiteError.self) { try database.rows(of: "SELECT sum(length(b)) FROM t", limit: 1) }
    #expect(error?.kind == .damaged)
  }
}
