import ChunkStore
import FileAccess
import RelayChassis
import SMPProtocol
import XFTPProtocol

/// Imports the chunks of a stopped reference server from its store log, `file-server-store.log`, and its files.
///
/// The files stay where they are, if that is the folder of the settings; otherwise they are moved there. Files that no
/// chunk has, as where a line of the log is malformed, are moved into a folder of their own: the relay would remove
/// them at its start. An interrupted import can be repeated (``RelayChassis/ReferenceLog``).
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
    /// The number of files in the folder that no chunk has, and that were moved to ``ReferenceFileImport/asideFolder``.
    public var aside = 0
    /// Lines that were malformed or did not fit what came before.
    public var problems = ImportProblems()
    /// What failed after everything was imported, as sentences; the import is not to be repeated.
    public var warnings: [String] = []
  }

  private struct Known {
    var chunk: ImportedChunk
    var path: String?
    /// Where its bytes are, if they are to be moved.
    var source: String?
  }

  private let folders: FileServerFolders
  private let filesFolder: String

  /// An import into these folders, of which `filesFolder` is for the bytes.
  public init(_ folders: FileServerFolders, filesFolder: String) {
    self.folders = folders
    self.filesFolder = filesFolder
  }

  private var draft: String { folders.referenceLog.draft }

  /// The folder for files that no chunk has.
  public var asideFolder: String { filesFolder + "/not-imported" }

  /// Imports everything.
  /// - Throws: where nothing was imported. Then the log is as it was, and the import can be repeated.
  public func run() throws(RelayError) -> Report {
    let log = folders.referenceLog
    try log.requireImportable()
    var report = Report()
    let known = try read(&report).values.map { located($0, &report) }
    report.chunks = known.count
    do throws(FileError) { try Folder.create(filesFolder) } catch { throw RelayError(error) }
    for chunk in known {
      guard let source = chunk.source, !PathStatus.areTogether(source, filesFolder) else { continue }
      throw .file(
        "\(Folder.parent(of: source) ?? source) is on another file system than \(filesFolder): copy its files there first"
      )
    }
    do throws(ChunkStoreError) { try DiskChunkStore.writeDatabase(draft, with: known.map(\.chunk)) } catch {
      throw .file("\(draft): \(error)")
    }
    do throws(FileError) {
      for chunk in known {
        if let source = chunk.source { try WholeFile.move(source, to: place(of: chunk)) }
      }
      report.aside = try setAside(except: known)
    } catch {
      throw RelayError(error)
    }
    try commit(log.path, &report)
    return report
  }

  /// Gives the database its name, then the log.
  private func commit(_ log: String, _ report: inout Report) throws(RelayError) {
    do throws(ChunkStoreError) {
      try DiskChunkStore.removeLogs(ofMissingDatabase: folders.databaseFile)
    } catch {
      throw .file("\(folders.databaseFile): \(error)")
    }
    do throws(FileError) { try WholeFile.move(draft, to: folders.databaseFile) } catch {
      // It has its name even where that could not be flushed.
      guard PathStatus.exists(folders.databaseFile) else { throw RelayError(error) }
      report.warnings.append("\(error); run `sync` before the power can fail")
    }
    do throws(FileError) { try WholeFile.move(log, to: log + ".bak") } catch {
      report.warnings.append("\(error); rename it to \(log).bak, it is not needed any more")
    }
  }

  private func place(of known: Known) -> String {
    "\(filesFolder)/\(DiskChunkStore.fileName(of: known.chunk.chunk.senderID))"
  }

  /// Moves files that look like a chunk and belong to none out of reach of the relay. Bytes of blocked chunks stay: the
  /// relay is to remove them.
  private func setAside(except known: [Known]) throws(FileError) -> Int {
    let kept = Set(
      known.lazy.filter { $0.chunk.isUploaded || $0.chunk.blocked != nil }.map {
        DiskChunkStore.fileName(of: $0.chunk.chunk.senderID)
      })
    var count = 0
    for name in Folder.names(in: filesFolder) ?? [] where DiskChunkStore.isChunkName(name) && !kept.contains(name) {
      if count == 0 { try Folder.create(asideFolder) }
      try WholeFile.move("\(filesFolder)/\(name)", to: "\(asideFolder)/\(name)")
      count += 1
    }
    return count
  }

  /// What the log says, by the senders' identifiers.
  private func read(_ report: inout Report) throws(RelayError) -> [EntityID: Known] {
    var known: [EntityID: Known] = [:]
    var senders: [EntityID: EntityID] = [:]
    let lines = try ReferenceLines(folders.referenceLog.path)
    while let text = try lines.next() {
      if let line = FileLogLine(text), Self.apply(line, to: &known, senders: &senders) { continue }
      report.problems.note(lines.position)
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
        chunk: ImportedChunk(chunk: chunk, isUploaded: false, isOff: isOff, blocked: blocked))
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

  /// The chunk with what is known of its bytes.
  private func located(_ entry: Known, _ report: inout Report) -> Known {
    var entry = entry
    // The reference server writes no path of those that are off when it starts again, and leaves their files.
    guard entry.chunk.blocked == nil, entry.path != nil || entry.chunk.isOff else { return entry }
    let (size, place) = (Int64(entry.chunk.chunk.info.size), place(of: entry))
    // An import that was interrupted may have moved it.
    let aside = "\(asideFolder)/\(DiskChunkStore.fileName(of: entry.chunk.chunk.senderID))"
    let found = [place, entry.path, aside].lazy.compactMap { $0 }.first { PathStatus.size(of: $0) == size }
    guard let found else {
      report.missing += 1
      return entry
    }
    entry.source = found == place ? nil : found
    entry.chunk.isUploaded = true
    report.uploaded += 1
    report.bytes += size
    return entry
  }
}
