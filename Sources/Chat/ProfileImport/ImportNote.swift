import FileAccess
import SQLiteKit

/// The file beside the databases of the reference app that says where they were imported to, so that the same state is
/// not used twice, and an import that was interrupted is finished.
struct ImportNote {
  /// The path of the note of a profile.
  let path: String

  /// How far an import came.
  enum Word: String {
    /// Its databases are written, and get their names next.
    case begun
    /// It is complete: the original databases have other names.
    case imported
  }

  /// A line: an import.
  struct Entry {
    var word: Word
    /// What identifies the state that was imported.
    var fingerprint: String
    /// The number of the file of the new agent's database, which it keeps under its later name; 0 where it is not
    /// known.
    var file: UInt64
    /// What is added to the names of the original databases.
    var suffix: String
    /// The prefix of the new databases, from the root.
    var target: String

    /// What the new agent's database knows of what was imported.
    var origin: Int64 { ImportNote.origin(fingerprint) }

    fileprivate var line: String { "\(word.rawValue) \(fingerprint) \(file) \(suffix) \(target)\n" }

    fileprivate init?(_ line: Substring) {
      let parts = line.split(separator: " ", maxSplits: 4)
      guard parts.count == 5, let word = Word(rawValue: String(parts[0])), let file = UInt64(parts[2]) else {
        return nil
      }
      self.init(
        word: word, fingerprint: String(parts[1]), file: file, suffix: String(parts[3]), target: String(parts[4]))
    }

    init(word: Word, fingerprint: String, file: UInt64, suffix: String, target: String) {
      self.word = word
      self.fingerprint = fingerprint
      self.file = file
      self.suffix = suffix
      self.target = target
    }
  }

  /// The first 60 bits of what identifies a state.
  static func origin(_ fingerprint: String) -> Int64 { Int64(fingerprint.prefix(15), radix: 16) ?? 0 }

  init(sourcePrefix: String) { path = sourcePrefix + "_imported.txt" }

  /// The last import to this place, if it was not complete.
  func unfinished(at target: String) throws(ProfileImportError) -> Entry? {
    guard let last = try entries().last(where: { $0.target == target }), last.word == .begun else { return nil }
    return last
  }

  /// Throws if this state of the profile was imported. A note of an import that did not end does not count, unless the
  /// profile that it began is there.
  /// - Parameters:
  ///   - place: where this import goes, from the root.
  ///   - agentFile: the path of a profile's agent database.
  func verify(
    _ fingerprint: String, to place: String, agentFile: (String) -> String
  ) throws(ProfileImportError) {
    for entry in try entries() where entry.fingerprint == fingerprint {
      // What was begun here did not end, or this one would only finish it.
      let isThere = entry.target != place && DatabaseFile.number(agentFile(entry.target)) == entry.file
      if entry.word == .imported || isThere { throw .importedBefore(to: entry.target) }
    }
  }

  /// Adds a line, durably.
  func add(_ entry: Entry) throws(ProfileImportError) {
    do throws(FileError) {
      try WholeFile.replace(path, with: Array(((try WholeFile.text(path) ?? "") + entry.line).utf8))
    } catch {
      throw .file(error.description)
    }
  }

  // MARK: Beside the new databases

  /// The file that says where databases come from that are imported and still have their names.
  private static func mark(_ target: String) -> String { target + "_importing.txt" }

  /// Writes the source's prefix beside the new databases, durably, before they get their names.
  static func markUnfinished(_ target: String, from source: String, file: UInt64) throws(ProfileImportError) {
    do throws(FileError) {
      try WholeFile.replace(mark(target), with: Array("\(file) \(DatabaseFile.absolute(source))".utf8))
    } catch {
      throw .file(error.description)
    }
  }

  /// Removes that file.
  static func removeMark(_ target: String) { try? WholeFile.remove(mark(target)) }

  /// Where the databases were imported from that still have their names; nil where there are none.
  static func unfinishedSource(of target: String) -> String? {
    guard let parts = (try? WholeFile.text(mark(target)))?.split(separator: " ", maxSplits: 1), parts.count == 2,
      let file = UInt64(parts[0]), file != 0, DatabaseFile.number(target + SourceFiles.suffixes[1]) == file,
      DatabaseFile.exists(String(parts[1]) + SourceFiles.suffixes[1])
    else { return nil }
    return String(parts[1])
  }

  private func entries() throws(ProfileImportError) -> [Entry] {
    let text: String
    do throws(FileError) { text = try WholeFile.text(path) ?? "" } catch {
      guard !error.isMissing else { return [] }
      throw .file(error.description)
    }
    return text.split(separator: "\n").compactMap(Entry.init)
  }
}
