import FileAccess

/// The store log of a stopped reference server, whose content a database is to get.
///
/// An import writes a draft of the database, which gets its final name when it is complete, so that an interrupted
/// import can be repeated. Then the log is renamed, with the suffix `.bak`.
public struct ReferenceLog: Hashable, Sendable {
  /// Where it is.
  public let path: String
  /// The database that takes its place.
  public let databaseFile: String

  public init(_ path: String, databaseFile: String) {
    self.path = path
    self.databaseFile = databaseFile
  }

  /// The database until it is complete.
  public var draft: String { databaseFile + "-import" }

  /// Whether there is a log and no database.
  public var isNeeded: Bool { PathStatus.exists(path) && !PathStatus.exists(databaseFile) }

  /// Fails where nothing can be imported: there is a database already, no log, or one that is not complete.
  public func requireImportable() throws(RelayError) {
    guard !PathStatus.exists(databaseFile) else { throw .file("\(databaseFile) exists already") }
    guard PathStatus.exists(path) else { throw .file("there is no \(path)") }
    guard !PathStatus.exists(path + ".start") else {
      throw .file("\(path).start: the reference server ended while it started; start and stop it once more")
    }
  }
}

/// The lines of a file of the reference server, with their positions. Used by one task.
public final class ReferenceLines {
  private let path: String
  private let file: LineReader
  private var number = 0

  /// - Throws: where the file cannot be opened.
  public init(_ path: String) throws(RelayError) {
    self.path = path
    do { file = try LineReader(path) } catch { throw RelayError(error) }
  }

  /// The next line; nil at the end of the file.
  public func next() throws(RelayError) -> String? {
    number += 1
    do { return try file.next() } catch { throw RelayError(error) }
  }

  /// Where the line is that was read last; what it contains may be secret.
  public var position: String { "\(path), line \(number)" }
}
