import SQLiteKit

/// Why a profile was not imported. Nothing was changed then, except for ``notRetired(target:reason:)`` and
/// ``notNoted(target:reason:)``.
public enum ProfileImportError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing(file: String)
  /// The file is a symbolic link to this one. Renaming it would leave a database that the old app can open.
  case link(file: String, target: String)
  /// The file is encrypted with another key, or is not a database.
  case notADatabase(file: String)
  /// The file is not a database of the reference implementation.
  case notReference(file: String)
  /// The schema is older than the oldest that is accepted; its last step has this name.
  case older(file: String, migration: String)
  /// The schema is newer than this program; its first unknown step has this name.
  case newer(file: String, migration: String)
  /// The schema has, or lacks, a step that no released version does, as a beta may.
  case unknownVersion(file: String, migration: String)
  /// A value that the file holds cannot be what the column is for.
  case value(table: String, column: String, row: String, reason: String)
  /// The file was written while it was read.
  case inUse(file: String)
  /// The profile has what would be lost; see ``ImportReport/losses``.
  case wouldLose(ImportReport)
  /// There is a profile where this one would go.
  case targetExists(file: String)
  /// The profile to import and the one to write are the same files under two names.
  case sameFiles(source: String, target: String)
  /// The profile was imported, but the original databases still have their names. Importing again finishes that.
  case notRetired(target: String, reason: String)
  /// The profile was imported, and the original databases have other names, but the note of that was not written.
  /// Importing again finishes that.
  case notNoted(target: String, reason: String)
  /// The same state of this profile was imported before, to this place.
  case importedBefore(to: String)
  /// The profile was exported before, to this archive on this day, and is sealed.
  case exportedBefore(to: String, day: String)
  /// The profile is sealed and its archive complete, under another name. Exporting again finishes that.
  case sealed(archive: String, reason: String)
  /// The file to export is a database of the reference app, not of ours.
  case notOurs(file: String)
  /// A file cannot be read or written.
  case file(String)
  /// A database cannot be read or written.
  case database(file: String, SQLiteError)
}

extension ProfileImportError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .missing(let file): "there is no \(file)"
    case .link(let file, let target): "\(file) is a link: import from \(target)"
    case .notADatabase(let file): "\(file) is encrypted with another key, or is not a database"
    case .notReference(let file): "\(file) is not a database of the reference app"
    case .older(let file, let migration):
      "\(file) is older than version 6.3 (its last step is \(migration)): update the app first"
    case .newer(let file, let migration): "\(file) is newer than this program, which does not know \(migration)"
    case .unknownVersion(let file, let migration):
      "\(file) is of a version that was not released, such as a beta: it has, or lacks, \(migration)"
    case .value(let table, let column, let row, let reason):
      "a value cannot be used: \(reason) (table \(table), column \(column), row \(row))"
    case .inUse(let file): "\(file) was changed meanwhile: stop the app first"
    case .wouldLose: "some things would be lost"
    case .targetExists(let file):
      "there is a profile already: \(file) (one that was exported is replaced only if -k is its passphrase and its export is"
        + " finished; otherwise choose another -d)"
    case .sameFiles(let source, let target):
      "\(source) and \(target) are the same files: use one name for both to import in place"
    case .notRetired(let target, let reason):
      "imported to \(target), but the old files still have their names (\(reason)): do not open them with the old app;"
        + " import again to finish, or remove them"
    case .notNoted(let target, let reason):
      "imported to \(target), and the old files have other names, but that could not be noted (\(reason)):"
        + " import again to finish"
    case .importedBefore(let target):
      "this state of the profile was imported before, to \(target): used twice, it would break the encryption"
    case .exportedBefore(let archive, let day):
      "this profile was exported to \(archive) on \(day) and cannot be opened any more: if that archive is not there,"
        + " repeat the export without --report; to use the profile here again, import the databases of the reference app"
    case .sealed(let archive, let reason):
      "the profile is sealed and its archive is complete, but still named \(archive) (\(reason)):"
        + " repeat the export to finish, do not rename it"
    case .notOurs(let file): "\(file) is a database of the reference app already"
    case .file(let reason): reason
    case .database(let file, let error): "\(file): \(error.message)"
    }
  }
}
