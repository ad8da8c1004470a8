import FileAccess
import SQLiteKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the journal needs of its file.
protocol JournalStorage: Sendable {
  /// The content.
  func contents() throws(SQLiteError) -> [UInt8]

  /// Called when everything was read: from then on the file is only written.
  func writeDirectly()

  /// Writes blocks at an offset.
  func write(_ piece: borrowing PieceBuffer, at offset: Int) throws(SQLiteError)

  /// Flushes what was written to the disk.
  func sync() throws(SQLiteError)

  /// Removes the content. Where that fails it stays.
  func empty()
}

/// The open file of the journal, locked so that one program at a time has it. Its failures have the form of those of
/// the database.
final class JournalFile: JournalStorage {
  private let file: FileDescriptor

  /// Opens or creates the file.
  init(_ path: String) throws(SQLiteError) {
    do { file = try FileDescriptor(path, .updating) } catch { throw SQLiteError(.cannotOpen, "\(error)") }
    guard file.lockSoon() else { throw SQLiteError(.busy, "\(path): another program uses it") }
    do { try FileDescriptor.syncFolder(of: path) } catch { throw Self.failure("syncing the folder of", error) }
  }

  /// The content.
  func contents() throws(SQLiteError) -> [UInt8] { try contents(limit: .max) }

  private func contents(limit: Int) throws(SQLiteError) -> [UInt8] {
    do throws(FileError) {
      let size = min(limit, Int(clamping: try file.size()))
      var bytes = [UInt8](repeating: 0, count: size)
      var span = bytes.mutableSpan
      var octets = span.mutableBytes
      _ = try octets.withUnsafeMutableBytes { (buffer) throws(FileError) in try file.read(buffer, at: 0) }
      return bytes
    } catch { throw Self.failure("reading", error) }
  }

  /// Writes whole blocks to the disk without a copy in the system's memory from now on, where that is possible, which
  /// costs a third less. Nothing can be read afterwards.
  func writeDirectly() { _ = Self.setDirect(file.raw, true) }

  /// Has an open file read and written without a copy in the system's memory, or with one.
  /// - Returns: Whether that has changed.
  static func setDirect(_ descriptor: Int32, _ isDirect: Bool) -> Bool {
    #if os(Linux)
      let flags = fcntl(descriptor, F_GETFL)
      guard flags >= 0, (flags & direct != 0) != isDirect else { return false }
      return fcntl(descriptor, F_SETFL, isDirect ? flags | direct : flags & ~direct) == 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    #if arch(arm64) || arch(arm)
      /// `O_DIRECT`, which C headers declare only with `_GNU_SOURCE`.
      private static let direct: Int32 = 0o200000
    #else
      private static let direct: Int32 = 0o40000
    #endif
  #endif

  /// Writes blocks at an offset.
  func write(_ piece: borrowing PieceBuffer, at offset: Int) throws(SQLiteError) {
    let blocks = piece.blocks
    do throws(FileError) {
      try blocks.withUnsafeBytes { (bytes) throws(FileError) in
        do throws(FileError) { try file.write(bytes, at: Int64(offset)) } catch {
          // Some file systems, and the rest of what was written in part, can only be written with a copy.
          guard error.code == EINVAL, Self.setDirect(file.raw, false) else { throw error }
          try file.write(bytes, at: Int64(offset))
        }
      }
    } catch { throw Self.failure("writing", error) }
  }

  /// Flushes what was written to the disk.
  func sync() throws(SQLiteError) {
    do { try file.sync(dataOnly: true) } catch { throw Self.failure("syncing", error) }
  }

  /// Removes the content. Where that fails it stays.
  func empty() { try? file.truncate() }

  /// Copies the content to a file beside it, durably, and empties the file, if it is not the journal of the database.
  /// Called before the first write.
  /// - Returns: What was found and done, for the operator.
  func setAsideUnlessContinuing(_ database: SQLiteConnection) throws(SQLiteError) -> [String] {
    let applied = try database.first(QueueSQL.appliedJournal) { (row) throws(SQLiteError) in
      UInt64(bitPattern: try row.integer(0))
    }
    let header = try contents(limit: PieceBuffer.blockSize)
    guard let applied, let mismatch = MessageJournal.mismatch(header, applied: applied) else { return [] }
    let bytes = try contents()
    let copy = file.path + DatabaseFile.freeSuffix(".aside", of: [file.path])
    do throws(FileError) {
      try WholeFile.replace(copy, with: bytes)
      try file.truncate()
      try file.sync()
    } catch { throw Self.failure("setting aside", error) }
    return ["\(mismatch); its \(bytes.count) bytes were copied to \(copy)"]
  }

  private static func failure(_ what: String, _ error: FileError) -> SQLiteError {
    SQLiteError(
      error.isDiskFull ? .diskFull : .inputOutput, "\(what) the journal of messages: error \(error.code)")
  }
}
