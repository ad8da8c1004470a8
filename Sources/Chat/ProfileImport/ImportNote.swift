import FileAccess
import SQLiteKit

/// The file beside the databases of the reference app that says where they were imported to, so that the same state is
/// not used twice.
struct ImportNote {
  /// The path of the note of a profile.
  let path: String

  private enum Word: String {
    case begun
    case imported
  }

  init(sourcePrefix: String) { path = sourcePrefix + "_imported.txt" }

  /// Throws if this state of the profile was imported. A note of an import that did not end does not count, unless the
  /// profile that it began is there.
  /// - Parameter chatFile: the path of a profile's chat database.
  func verify(_ fingerprint: String, chatFile: (String) -> String) throws(ProfileImportError) {
    let text: String
    do throws(FileError) { text = try WholeFile.text(path) ?? "" } catch {
      guard !error.isMissing else { return }
      throw .file(error.description)
    }
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, parts[1] == fingerprint, let word = Word(rawValue: String(parts[0])) else { continue }
      let target = String(parts[2])
      guard word == .imported || DatabaseFile.exists(chatFile(target)) else { continue }
      throw .importedBefore(to: target)
    }
  }

  /// Notes that an import begins.
  func begin(_ fingerprint: String, target: String) throws(ProfileImportError) {
    try append(.begun, fingerprint, target: target)
  }

  /// Notes that an import is complete.
  func finish(_ fingerprint: String, target: String) throws(ProfileImportError) {
    try append(.imported, fingerprint, target: target)
  }

  private func append(_ word: Word, _ fingerprint: String, target: String) throws(ProfileImportError) {
    do throws(FileError) {
      try WholeFile.append("\(word.rawValue) \(fingerprint) \(target)\n", to: path)
    } catch {
      throw .file(error.description)
    }
  }
}
