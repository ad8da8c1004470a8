import FileAccess
import SQLiteKit

/// The right to use a database of chunks and the folder of their bytes, of one store in all processes; released with
/// the value.
final class ChunkStoreLock {
  private let lease: DatabaseLease
  private let folder: FileDescriptor?

  /// The file that is locked while the database is open.
  static func file(of database: String) -> String { database + ".lock" }

  /// Takes the lock.
  /// - Throws: ``SQLiteKit/SQLiteError/Kind/busy`` where another store has the database or the folder.
  init(database: String, folder: String?) throws(SQLiteError) {
    lease = DatabaseLease(path: Self.file(of: database))
    try lease.takeSoon()
    do throws(FileError) {
      if let folder { self.folder = try FileDescriptor(folder, .reading) } else { self.folder = nil }
    } catch {
      throw SQLiteError(.cannotOpen, "\(error)")
    }
    guard self.folder?.lockSoon() != false else { throw SQLiteError(.busy, "another program uses \(folder ?? "")") }
  }
}
