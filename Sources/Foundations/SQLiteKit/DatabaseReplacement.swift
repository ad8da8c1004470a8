#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Replaces several database files at once: after a crash at any point, all of them are old or all are new.
///
/// Governs: the files `<file>.new`, the marker file, and what happens to the replaced files. Does not govern: locks;
/// the caller holds the ``DatabaseLease`` and has the databases closed.
///
/// The new files are written whole and made durable first. Renaming the marker into place is the commit. What follows
/// is repeated by ``recover()`` as often as needed.
public struct DatabaseReplacement: Sendable {
  /// The databases to replace.
  public let files: [String]
  private let marker: String

  /// What happens to the files that are replaced.
  public enum Old: Hashable, Sendable {
    /// Each is kept, with what SQLite has beside it, under its name with this suffix. What had that name is replaced.
    case keep(suffix: String = DatabaseReplacement.backupSuffix)
    /// They are removed, earlier copies `<file>.bak` included, and those with the suffix `copies`, or with it and a
    /// number.
    case remove(copies: String = DatabaseReplacement.backupSuffix)

    /// What the marker says.
    fileprivate var text: String {
      switch self {
      case .keep(let suffix): "keep \(suffix)"
      case .remove(let copies): "remove \(copies)"
      }
    }

    fileprivate init(text: String) {
      let parts = text.split(separator: " ", maxSplits: 1)
      let suffix = parts.count > 1 ? String(parts[1]) : DatabaseReplacement.backupSuffix
      self = parts.first == "remove" ? .remove(copies: suffix) : .keep(suffix: suffix)
    }
  }

  /// What is added to the name of a replaced file that is kept, unless the caller wants another suffix.
  public static let backupSuffix = ".bak"

  /// A replacement of these files; `marker` is the path of the file that says that it was committed.
  public init(of files: [String], marker: String) {
    self.files = files
    self.marker = marker
  }

  /// Where the new content of a file is put.
  public static func new(_ file: String) -> String { file + ".new" }

  /// Where a copy is put that the new content of a file is made of.
  public static func source(_ file: String) -> String { file + ".source" }

  /// Where a replaced file is kept.
  public static func backup(_ file: String) -> String { file + backupSuffix }

  /// Replaces every file whose new content exists.
  ///
  /// - Parameter reach: called before each step with its name; for tests of crashes, where it throws.
  public func commit(_ old: Old, reach: (String) throws(SQLiteError) -> Void = { _ in }) throws(SQLiteError) {
    try synchronizeNew()
    if case .keep(let suffix) = old {
      // Earlier copies go first: the log of one would be applied to the file that takes its name.
      for file in files where DatabaseFile.exists(Self.new(file)) && DatabaseFile.exists(file) {
        DatabaseFile.remove(file + suffix)
      }
    }
    try reach("marker")
    try writeMarker(old)
    try finish(old, reach)
  }

  /// Makes the new files durable, as ``commit(_:reach:)`` does at its beginning.
  public func synchronizeNew() throws(SQLiteError) {
    for file in files where DatabaseFile.exists(Self.new(file)) {
      try DatabaseFile.synchronize(Self.new(file))
    }
  }

  /// Finishes a replacement that was committed, and removes what is left of one that was not.
  /// - Returns: whether there was a committed one.
  @discardableResult
  public func recover(reach: (String) throws(SQLiteError) -> Void = { _ in }) throws(SQLiteError) -> Bool {
    guard let old = try committed() else {
      discard()
      return false
    }
    try finish(old, reach)
    return true
  }

  /// Whether a replacement was committed and is not finished.
  public var isCommitted: Bool { DatabaseFile.exists(marker) }

  /// Removes the new files, and what they are made of.
  public func discard() {
    unlink(marker + ".new")
    for file in files {
      DatabaseFile.remove(Self.new(file))
      DatabaseFile.remove(Self.source(file))
    }
  }

  /// Removes the new files even if the replacement was committed, because the databases are deleted.
  public func abandon() {
    unlink(marker)
    try? DatabaseFile.synchronizeFolder(of: marker)
    discard()
  }

  /// Removes the new files, unless the replacement was committed.
  public func discardUnlessCommitted() { if !isCommitted { discard() } }

  private func finish(_ old: Old, _ reach: (String) throws(SQLiteError) -> Void) throws(SQLiteError) {
    for file in files where DatabaseFile.exists(Self.new(file)) {
      if case .keep(let suffix) = old { try keep(file, suffix: suffix, reach: reach) }
      try reach("logs of \(file)")
      // A log belongs to the old content, and would be applied to the new.
      DatabaseFile.removeLogs(of: file)
      DatabaseFile.removeLogs(of: Self.new(file))
      try reach("rename to \(file)")
      guard rename(Self.new(file), file) == 0 else { throw DatabaseFile.failure(file) }
    }
    if case .remove(let copies) = old {
      try reach("copies")
      for file in files { DatabaseFile.remove(Self.backup(file)) }
      DatabaseFile.removeAll(copies, of: files)
    }
    for file in files {
      DatabaseFile.remove(Self.source(file))
      try DatabaseFile.synchronizeFolder(of: file)
    }
    try reach("end")
    unlink(marker)
    // The replacement is done; a marker that comes back finds nothing to do.
    try? DatabaseFile.synchronizeFolder(of: marker)
  }

  /// Gives a file that is replaced its other name.
  private func keep(
    _ file: String, suffix: String, reach: (String) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try reach("backup of \(file)")
    var target = file + suffix
    if DatabaseFile.exists(target), DatabaseFile.exists(file) {
      // The file was renamed before a crash, and another program has created a new one under its name since.
      target = file + DatabaseFile.freeSuffix(suffix, of: files)
    }
    // With its log, which may have transactions that are not in the file.
    try DatabaseFile.rename(file, to: target, reach: reach)
  }

  private func writeMarker(_ old: Old) throws(SQLiteError) {
    let unfinished = marker + ".new"
    unlink(unfinished)
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DatabaseFile.failure(unfinished) }
    fchmod(descriptor, 0o600)
    let text = Array(old.text.utf8)
    let isWritten = write(descriptor, text, text.count) == text.count && fsync(descriptor) == 0
    guard close(descriptor) == 0, isWritten, rename(unfinished, marker) == 0 else {
      let failure = DatabaseFile.failure(unfinished)
      unlink(unfinished)
      throw failure
    }
    try DatabaseFile.synchronizeFolder(of: marker)
  }

  /// How a replacement was committed; nil where none was.
  private func committed() throws(SQLiteError) -> Old? {
    let descriptor = open(marker, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw DatabaseFile.failure(marker)
    }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &text, text.count)
    guard count >= 0 else { throw DatabaseFile.failure(marker) }
    return Old(text: String(decoding: text.prefix(count), as: UTF8.self))
  }
}
