import ChunkStore
import FileAccess
import RelayChassis
import SMPProtocol
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Imports the chunks of a stopped reference server from its store log, `file-server-store.log`, and its files.
///
/// The files stay where they are, if that is the folder of the settings; otherwise they are moved there. The database
/// gets its final name when it is complete, so that an interrupted import can be restarted. Then the log is renamed,
/// with the suffix `.bak`.
public struct ReferenceFileImport: Sendable {
  /// The result of an import.
  public struct Report: Hashable, Sendable {
    /// The number of chunks.
    public var chunks = 0
    /// How many of them have their bytes.
    public var uploaded = 0
    /// The sum of the sizes of those, in bytes.
    public var bytes: Int64 = 0
    /// The number of chunks whose bytes are missing or have another size.
    public var missing = 0
    /// The number of lines that were malformed or did not fit what came before.
    public var problems = 0
    /// The positions of some of them; not their content, since lines contain identifiers.
    public var examples: [String] = []
  }

  private struct Known {
    var chunk: ImportedChunk
    var path: String?
    var isOff: Bool
  }

  private let folders: FileServerFolders
  private let filesFolder: String

  /// An import into these folders, of which `filesFolder` is for the bytes.
  public init(_ folders: FileServerFolders, filesFolder: String) {
    self.folders = folders
    self.filesFolder = filesFolder
  }

  private var draft: String { folders.databaseFile + "-import" }

  /// Imports everything.
  public func run() throws(RelayError) -> Report {
    let log = folders.referenceLog
    guard !Self.exists(folders.databaseFile) else { throw .file("\(folders.databaseFile) exists already") }
    guard Self.exists(log) else { throw .file("there is no \(log)") }
    guard !Self.exists(log + ".start") else {
      throw .file("\(log).start: the reference server ended while it started; start and stop it once more")
    }
    do throws(FileError) { try Folder.create(filesFolder) } catch { throw RelayError(error) }
    // The files of an interrupted import.
    for suffix in ["", "-wal", "-shm"] { unlink(draft + suffix) }
    var report = Report()
    let known = try read(log, &report)
    var chunks: [ImportedChunk] = []
    for entry in known.values where !entry.isOff { chunks.append(try located(entry, &report)) }
    report.chunks = chunks.count
    do throws(ChunkStoreError) { try DiskChunkStore.writeDatabase(draft, with: chunks) } catch {
      throw .file("\(draft): \(error)")
    }
    do throws(FileError) {
      try WholeFile.move(draft, to: folders.databaseFile)
      try WholeFile.move(log, to: log + ".bak")
    } catch {
      throw RelayError(error)
    }
    return report
  }

  /// What the log says, by the senders' identifiers.
  private func read(_ log: String, _ report: inout Report) throws(RelayError) -> [EntityID: Known] {
    var known: [EntityID: Known] = [:]
    var senders: [EntityID: EntityID] = [:]
    do throws(FileError) {
      let file = try LineReader(log)
      var number = 0
      while let text = try file.next() {
        number += 1
        if let line = FileLogLine(text), Self.apply(line, to: &known, senders: &senders) { continue }
        report.problems += 1
        if report.examples.count < 5 { report.examples.append("\(log), line \(number)") }
      }
    } catch {
      throw RelayError(error)
    }
    return known
  }

  /// Returns false where a line does not fit what came before.
  private static func apply(
    _ line: FileLogLine, to known: inout [EntityID: Known], senders: inout [EntityID: EntityID]
  ) -> Bool {
    switch line {
    case .create(let chunk, let blocked, let isOff):
      guard known[chunk.senderID] == nil else { return false }
      known[chunk.senderID] = Known(
        chunk: ImportedChunk(chunk: chunk, isUploaded: false, blocked: blocked), isOff: isOff)
    case .upload(let id, let path):
      guard known[id]?.path == nil else { return false }
      known[id]?.path = path
      return known[id] != nil
    case .add(let id, let recipients):
      guard known[id] != nil, Set(recipients.map(\.id)).count == recipients.count,
        !recipients.contains(where: { senders[$0.id] != nil })
      else { return false }
      for recipient in recipients { senders[recipient.id] = id }
      known[id]?.chunk.chunk.recipients += recipients
    case .delete(let id):
      guard let removed = known.removeValue(forKey: id) else { return false }
      for recipient in removed.chunk.chunk.recipients { senders[recipient.id] = nil }
    case .block(let id, let info):
      known[id]?.chunk.blocked = info
      return known[id] != nil
    case .acknowledge(let recipient):
      guard let id = senders.removeValue(forKey: recipient) else { return false }
      known[id]?.chunk.chunk.recipients.removeAll { $0.id == recipient }
    }
    return true
  }

  /// The chunk with its bytes in their place, as far as they are there.
  private func located(_ entry: Known, _ report: inout Report) throws(RelayError) -> ImportedChunk {
    var imported = entry.chunk
    guard let path = entry.path, imported.blocked == nil else { return imported }
    let (size, place) = (
      Int64(imported.chunk.info.size), "\(filesFolder)/\(DiskChunkStore.fileName(of: imported.chunk.senderID))"
    )
    if Self.size(of: place) != size, Self.size(of: path) == size {
      do throws(FileError) { try WholeFile.move(path, to: place) } catch { throw RelayError(error) }
    }
    imported.isUploaded = Self.size(of: place) == size
    if imported.isUploaded {
      report.uploaded += 1
      report.bytes += size
    } else {
      report.missing += 1
    }
    return imported
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The size of a file; nil where there is none.
  private static func size(of path: String) -> Int64? {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFREG ? Int64(found.st_size) : nil
  }
}
