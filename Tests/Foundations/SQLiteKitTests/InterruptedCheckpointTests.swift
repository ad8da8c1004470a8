import Foundation
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Testing

/// A process ends, or the power fails, while the log is moved into the database file.
@Suite struct InterruptedCheckpointTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func key(_ passphrase: String, _ path: String) throws -> DatabaseKey? {
    passphrase.isEmpty ? nil : try DatabaseKey(passphrase: SecretBytes(Array(passphrase.utf8)), forFile: path)
  }

  private func open(_ path: String, _ passphrase: String) throws -> SQLiteConnection {
    guard let key = try key(passphrase, path) else { return try SQLiteConnection(path: path) }
    return try SQLiteConnection(path: path, key: key)
  }

  /// Makes a file of which only the first page has been written by the checkpoint, with its log.
  private func interrupted(_ passphrase: String, application: Int32) throws -> String {
    let (whole, part) = (folder.path("whole"), folder.path("part"))
    let database = try open(whole, passphrase)
    try database.claim(application: application)
    try database.useWriteAheadLog(synchronous: .normal)
    try database.setCheckpointInterval(pages: 0)
    try database.runScript("CREATE TABLE numbers (value INTEGER, filler BLOB NOT NULL); PRAGMA user_version = 3")
    for number in 0..<100 {
      try database.execute("INSERT INTO numbers VALUES (?, zeroblob(1000))", Int64(number))
    }
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: whole + suffix, toPath: part + suffix) }
    try database.checkpoint()
    let first = try #require(try FileHandle(forReadingFrom: URL(filePath: whole)).read(upToCount: 4096))
    let file = try FileHandle(forWritingTo: URL(filePath: part))
    try file.write(contentsOf: first)
    try file.close()
    return part
  }

  @Test(arguments: ["", "secret"]) func theFileIsStillKnown(passphrase: String) throws {
    let path = try interrupted(passphrase, application: 77)
    let identity = try #require(try DatabaseIdentity.read(path, key: key(passphrase, path)))
    try identity.verify(application: 77, knownVersion: 3)
    #expect(throws: SQLiteError.self) { try identity.verify(application: 78, knownVersion: 3) }
    let count = try open(path, passphrase).first("SELECT count(*) FROM numbers") { (row) throws(SQLiteError) in
      try row.integer(0)
    }
    #expect(count == 100)
  }

  /// Without its log it is damaged, and one that nobody has marked is not taken for an empty one.
  @Test func othersAreDamaged() throws {
    let path = try interrupted("", application: 0)
    #expect(throws: SQLiteError.self) { try DatabaseIdentity.read(path) }
    for suffix in ["", "-wal"] {
      try FileManager.default.removeItem(atPath: path + suffix)
      try? FileManager.default.removeItem(atPath: folder.path("whole") + suffix)
    }
    let marked = try interrupted("", application: 77)
    try FileManager.default.removeItem(atPath: marked + "-wal")
    #expect(throws: SQLiteError.self) { try DatabaseIdentity.read(marked) }
  }
}
