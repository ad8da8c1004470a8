import FileAccess
import SQLiteKit
import SMPProtocol
import WireCodec

/// A copy of a store of chunks as it was at one time, also while a relay of this or another process uses it.
///
/// Files of chunks are never changed, so the copy has them under a second name where it is on the same file system.
/// Existing files are taken first, then the state of the database, then files that came in between; where a file went
/// in between, the database is read again.
public struct ChunkStoreCopy: Sendable {
  /// The numbers of copied chunks and bytes.
  public let usage: ChunkUsage

  /// How often the database is read while chunks are deleted.
  private static let attempts = 100

  /// Copies the store to new files: a database, and a folder with files, which is created.
  /// - Throws: Parts of a copy may stay then.
  public init(
    databaseFile: String, folder: String, toDatabase database: String, folder target: String
  ) throws(ChunkStoreError) {
    do throws(FileError) {
      try Folder.create(target)
      for name in Folder.names(in: folder) ?? [] where DiskChunkStore.isChunkName(name) {
        _ = try Self.take(name, from: folder, to: target)
      }
    } catch { throw .failed("\(error)") }
    let stored: [String: Int64]
    do throws(SQLiteError) { stored = try Self.copy(databaseFile, to: database, files: folder, to: target) } catch {
      throw ChunkStoreError(error)
    }
    do throws(FileError) {
      // Files of chunks that were deleted, or whose upload had not ended, are removed from the copy.
      for name in Folder.names(in: target) ?? [] where stored[name] == nil { try WholeFile.remove("\(target)/\(name)") }
      try FileDescriptor.syncFolder(of: target + "/.")
    } catch { throw .failed("\(error)") }
    var usage = ChunkUsage()
    (usage.chunks, usage.bytes) = (Int64(stored.count), stored.values.reduce(0, +))
    self.usage = usage
  }

  /// Copies the database, in a state of which all files are there; returns their names and sizes.
  private static func copy(
    _ path: String, to target: String, files folder: String, to targetFolder: String
  ) throws(SQLiteError) -> [String: Int64] {
    let database = try SQLiteConnection(path: path, access: .readOnly)
    try database.setBusyTimeout(milliseconds: 5_000)
    let version = Int(try database.integerPragma("user_version") ?? 0)
    guard version == ChunkDatabase.migrations.count else {
      throw SQLiteError(.other, "the database is of another version; the program that made it can copy it")
    }
    var missingBefore: Set<String> = []
    for _ in 0..<attempts {
      try database.execute("BEGIN")
      let stored = try files(database)
      let missing: Set<String>
      do throws(FileError) { missing = try takeMissing(stored, from: folder, to: targetFolder) } catch {
        throw SQLiteError(error.isDiskFull ? .diskFull : .inputOutput, "\(error)")
      }
      // A file that the database still has after it was missing is lost in the original, too.
      if missing.isSubset(of: missingBefore) {
        try database.backUp(to: target)
        try database.execute("COMMIT")
        return stored
      }
      try database.execute("ROLLBACK")
      missingBefore = missing
    }
    throw SQLiteError(.busy, "the files change faster than they can be copied")
  }

  /// The files of chunks that have their bytes, by their names, with their sizes.
  private static func files(_ database: SQLiteConnection) throws(SQLiteError) -> [String: Int64] {
    let rows = try database.all("SELECT sender_id, size FROM chunks WHERE is_uploaded = 1 AND blocked IS NULL") {
      (row) throws(SQLiteError) in
      (DiskChunkStore.fileName(of: EntityID(try row.bytes(0))), try row.integer(1))
    }
    return Dictionary(rows) { $1 }
  }

  /// Copies the files that were not there before, and returns those that are not there any more.
  private static func takeMissing(
    _ stored: [String: Int64], from folder: String, to target: String
  ) throws(FileError) -> Set<String> {
    var missing: Set<String> = []
    for name in stored.keys where !PathStatus.exists("\(target)/\(name)") {
      if try !take(name, from: folder, to: target) { missing.insert(name) }
    }
    return missing
  }

  /// Copies a file; false where it is not there.
  private static func take(_ name: String, from folder: String, to target: String) throws(FileError) -> Bool {
    do throws(FileError) { try WholeFile.linkOrCopy("\(folder)/\(name)", to: "\(target)/\(name)") } catch {
      guard error.isMissing else { throw error }
      return false
    }
    return true
  }
}
