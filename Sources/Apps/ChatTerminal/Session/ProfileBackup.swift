import ChatAPI
import FileAccess
import SimpleXChat
import ZipArchive

/// Backups of profiles outside of a session: archives, as `/db export` makes them.
public struct ProfileBackup: Sendable {
  /// The outcome of a backup or a restoration.
  public struct Result: Sendable {
    /// The lines to print.
    public var lines: [String]
    /// A sentence about each file that is missing.
    public var problems: [String]
  }

  /// The name in archives of the folder of files.
  private static let filesFolder = "simplex_v1_files/"

  private let options: TerminalOptions
  private let archive: String

  /// - Parameters:
  ///   - options: the databases, their passphrase and the folder of files; the passphrase is asked for where it is
  ///     missing, or read from the input where that is no terminal.
  ///   - archive: the path of the archive.
  public init(_ options: TerminalOptions, archive: String) {
    var options = options
    options.readsKey = true
    self.options = options
    self.archive = RealPath(archive).text
  }

  private var databases: [String] { ["_chat.db", "_agent.db"].map { options.databasePrefix + $0 } }

  // MARK: Making one

  /// Makes the archive of a profile that no program uses. It has its name when it is complete.
  public func make() async throws(TerminalApp.Failure) -> Result {
    guard !Self.exists(archive) else { throw .init(["\(archive) exists; a backup replaces nothing."]) }
    guard options.isProfileThere else { throw .init(["There is no profile at \(options.databasePrefix)."]) }
    var options = options
    let core = try await TerminalApp.open(&options)
    let draft = archive + ".unfinished"
    do throws(TerminalApp.Failure) {
      try await Self.useFiles(of: options, core)
      let result = await core.send(.apiExportArchive(config: ArchiveConfig(archivePath: draft)))
      try await Self.close(core)
      guard case .result(.response2(.archiveExported(let errors))) = result else {
        throw .init(ChatView().lines(result))
      }
      do throws(FileAccess.FileError) { try WholeFile.move(draft, to: archive) } catch {
        throw .init([StyledText("\(error)")])
      }
      let secret = options.key.isEmpty ? "not encrypted" : "encrypted with the passphrase of the profile"
      var lines = ["Backup: \(archive)", "The databases in it are \(secret), files are stored as they are."]
      if options.filesFolder == nil { lines.append("It contains no files: --files-folder was not given.") }
      return Result(lines: lines + [Self.rule], problems: errors.map(Self.text))
    } catch {
      try? await core.close()
      try? WholeFile.remove(draft)
      throw error
    }
  }

  /// The rule about copies of a profile, for people.
  private static let rule =
    "Only one copy of a profile may be used: a second one, and one older than the last use, breaks its conversations."

  // MARK: Restoring one

  /// Makes a profile of the archive, where there is none. The databases are made beside their place, opened, and get
  /// their names at the end.
  public func restore() async throws(TerminalApp.Failure) -> Result {
    let hasFiles = try hasFiles()
    if let file = databases.first(where: Self.exists) {
      throw .init(["\(file) exists; a backup is restored where there is no profile, and replaces nothing."])
    }
    if let folder = options.filesFolder, Folder.names(in: folder)?.isEmpty == false {
      throw .init(["\(folder) has files; they are restored into an empty or new folder."])
    }
    let folder = options.databasePrefix + ".restoring"
    do throws(TerminalApp.Failure) {
      let result = try await restore(in: folder, hasFiles: hasFiles)
      Self.remove(folder)
      return result
    } catch {
      Self.remove(folder)
      // The folder of files was empty before, or not there, and has to be so for another attempt.
      if let files = options.filesFolder { Self.remove(files) }
      throw error
    }
  }

  private func restore(in folder: String, hasFiles: Bool) async throws(TerminalApp.Failure) -> Result {
    Self.remove(folder)
    do throws(FileAccess.FileError) { try Folder.create(folder) } catch { throw .init([StyledText("\(error)")]) }
    var inside = options
    inside.databasePrefix = folder + "/simplex_v1"
    let problems = try await importArchive(to: inside)
    // Shows that it opens, and asks for its passphrase.
    let restored = try await TerminalApp.open(&inside)
    try await Self.close(restored)
    do throws(FileAccess.FileError) {
      for suffix in ["_agent.db", "_chat.db"] {
        try WholeFile.move(inside.databasePrefix + suffix, to: options.databasePrefix + suffix)
      }
    } catch { throw .init([StyledText("\(error)")]) }
    var lines = ["Restored to \(databases.joined(separator: " and "))"]
    if let files = options.filesFolder {
      lines.append("Files: \(files); give --files-folder at every start.")
    } else if hasFiles {
      lines.append("The files of the backup were left out: --files-folder was not given.")
    }
    return Result(lines: lines + [Self.rule], problems: problems)
  }

  /// Replaces new, empty databases by those of the archive.
  private func importArchive(to inside: TerminalOptions) async throws(TerminalApp.Failure) -> [String] {
    var empty = inside
    empty.key = ""
    let core = try await TerminalApp.open(&empty)
    do throws(TerminalApp.Failure) {
      try await Self.useFiles(of: inside, core)
      let deleted = await core.send(.apiDeleteStorage)
      if case .error = deleted { throw .init(ChatView().lines(deleted)) }
      let result = await core.send(.apiImportArchive(config: ArchiveConfig(archivePath: archive)))
      try? await core.close()
      guard case .result(.response2(.archiveImported(let errors))) = result else {
        throw .init(ChatView().lines(result))
      }
      return errors.map(Self.text)
    } catch {
      try? await core.close()
      throw error
    }
  }

  /// Whether the archive has files of messages; throws where it is none.
  private func hasFiles() throws(TerminalApp.Failure) -> Bool {
    do throws(ZipError) {
      return try ZipReader(path: archive).entries.contains { $0.name.hasPrefix(Self.filesFolder) }
    } catch { throw .init([StyledText("\(archive) cannot be read: \(error.description)")]) }
  }

  // MARK: Parts

  private static func useFiles(of options: TerminalOptions, _ core: ChatController) async throws(TerminalApp.Failure) {
    guard let folder = options.filesFolder else { return }
    let result = await core.sendText("/_files_folder \(folder)")
    if case .error = result { throw .init(ChatView().lines(result)) }
  }

  private static func close(_ core: ChatController) async throws(TerminalApp.Failure) {
    do { try await core.close() } catch { throw .init([StyledText("The databases cannot be closed: \(error)")]) }
  }

  private static func text(_ error: ArchiveError) -> String {
    switch error {
    case .import(let text): text
    case .fileError(let file, let reason): "The file \(file) is missing: \(reason)"
    }
  }

  private static func exists(_ path: String) -> Bool { PathStatus.exists(path) || PathStatus.isLink(path) }

  /// Removes a folder with databases.
  private static func remove(_ folder: String) {
    for name in Folder.names(in: folder) ?? [] {
      let path = "\(folder)/\(name)"
      if PathStatus.exists(path) { try? WholeFile.remove(path) } else { remove(path) }
    }
    Folder.removeIfEmpty(folder)
  }
}
