import AgentStore
import ChatAPI
import ChatLogic
import ChatStore
import FileAccess
import ProfileImport
import SQLiteKit
import SimplexCrypto
import ZipArchive

// Archives: both databases, encrypted as they are, with the files of messages and the pictures of themes.

extension ChatController {
  func performArchive(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiExportArchive(let config):
      return .response2(
        .archiveExported(archiveErrors: try await stopped { () async throws(ChatError) in try await export(config) }))
    case .apiImportArchive(let config):
      return .response2(
        .archiveImported(
          archiveErrors: try await stopped { () async throws(ChatError) in try await importArchive(config) }))
    case .apiDeleteStorage:
      try await stopped { () async throws(ChatError) in try await deleteStorage() }
      return .done()
    default: return nil
    }
  }

  /// Runs `body` while the chat is stopped, and stays so.
  private func stopped<Value: Sendable>(
    _ body: () async throws(ChatError) -> Value
  ) async throws(ChatError) -> Value {
    try await withLifecycleLock { () async throws(ChatError) in
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      return try await body()
    }
  }

  /// The databases and their names in archives.
  private var archivedDatabases: [(file: String, name: String)] {
    [(options.chatDatabase, "simplex_v1_chat.db"), (options.agentDatabase, "simplex_v1_agent.db")]
  }

  /// The folders and their names in archives.
  private var archivedFolders: [(folder: String, name: String)] {
    var folders: [(folder: String, name: String)] = []
    if let folder = session.filesFolder { folders.append((folder, "simplex_v1_files")) }
    if let folder = session.assetsFolder { folders.append((folder + "/wallpapers", "simplex_v1_assets/wallpapers")) }
    return folders
  }

  /// What the paths of the profile's databases and of its lock begin with. They are no files of messages, even in the
  /// same folder.
  private var ownFiles: [String] {
    (options.replacement.files + [options.lockFile]).map { file in
      "\(RealPath(Folder.parent(of: file) ?? ".").text)/\(FileRules.name(ofPath: file))"
    }
  }

  private static func isOwn(_ file: String, in place: RealPath, _ own: [String]) -> Bool {
    own.contains { "\(place.text)/\(file)".utf8.starts(with: $0.utf8) }
  }

  // MARK: Exporting

  private func export(_ config: ArchiveConfig) async throws(ChatError) -> [ArchiveError] {
    let (databases, folders, own, secret) = (archivedDatabases, archivedFolders, ownFiles, secret)
    return try await withClosedDatabases { () throws(ChatError) in
      // Copies, because a part of a database may still be in its log.
      defer { for database in databases { DatabaseFile.remove(Self.exportedCopy(of: database.file)) } }
      for database in databases { try Self.copy(database.file, secret) }
      do throws(ZipError) {
        return try Self.export(
          databases.map { (Self.exportedCopy(of: $0.file), $0.name) }, folders: folders, except: own, as: config)
      } catch {
        LocalFiles.removeFile(config.archivePath)
        throw .error(errorType: .exception(message: error.description))
      }
    }
  }

  private static func copy(_ database: String, _ secret: SecretBytes?) throws(ChatError) {
    let copy = exportedCopy(of: database)
    DatabaseFile.remove(copy)
    do throws(SQLiteKit.SQLiteError) {
      let connection = try SQLiteConnection(path: database, secret: secret)
      let key = try secret.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: copy)
      }
      try connection.export(to: copy, key: key)
    } catch {
      throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }

  private static func export(
    _ databases: [(file: String, name: String)], folders: [(folder: String, name: String)], except own: [String],
    as config: ArchiveConfig
  ) throws(ZipError) -> [ArchiveError] {
    let compresses = config.disableCompression != true
    var archive = try ZipWriter(path: config.archivePath)
    var errors: [ArchiveError] = []
    for database in databases { try archive.add(database.name, file: database.file, compresses: compresses) }
    // The archive may be in one of the folders: it would be read while it grows, for ever.
    let itself = DatabaseFile.identity(config.archivePath)
    for (folder, name) in folders {
      let place = RealPath(folder)
      for file in LocalFiles.names(in: folder) where !isOwn(file, in: place, own) {
        guard DatabaseFile.identity("\(folder)/\(file)") != itself else { continue }
        do throws(ZipError) {
          try archive.add("\(name)/\(file)", file: "\(folder)/\(file)", compresses: compresses)
        } catch {
          errors.append(.fileError(file: file, fileError: error.description))
        }
      }
    }
    try archive.finish()
    return errors
  }

  // MARK: Importing

  /// Replaces both databases by those of an archive. They are extracted and checked before anything is replaced; after
  /// a crash both are the old ones or both the new ones.
  private func importArchive(_ config: ArchiveConfig) async throws(ChatError) -> [ArchiveError] {
    let (databases, folders) = (archivedDatabases, archivedFolders)
    try takeLease()
    do throws(ChatError) {
      try finishReplacement()
      let archive = try Self.extract(databases, from: config.archivePath)
      try await replaceDatabases()
      releaseLease()
      return extract(folders, archive)
    } catch {
      options.replacement.discardUnlessCommitted()
      // It was closed before, or cannot be used any more.
      if agent == nil { releaseLease() }
      throw error
    }
  }

  private static func extract(
    _ databases: [(file: String, name: String)], from path: String
  ) throws(ChatError) -> ZipReader {
    do throws(ZipError) {
      let archive = try ZipReader(path: path)
      let entries = archive.entries
      for database in databases {
        guard let entry = entries.first(where: { $0.name == database.name }) else {
          throw .damaged("no \(database.name)")
        }
        try archive.extract(entry, to: DatabaseReplacement.new(database.file))
      }
      return archive
    } catch {
      throw .error(errorType: .exception(message: error.description))
    }
  }

  /// Extracts the files of messages and themes; what could not be extracted is listed.
  private func extract(
    _ folders: [(folder: String, name: String)], _ archive: borrowing ZipReader
  ) -> [ArchiveError] {
    let (entries, own) = (archive.entries, ownFiles)
    var errors: [ArchiveError] = []
    for (target, name) in folders {
      _ = try? makeFolder(target)
      let place = RealPath(target)
      for entry in entries {
        guard let file = Self.file(entry.name, in: name), !Self.isOwn(file, in: place, own) else { continue }
        do throws(ZipError) {
          try archive.extract(entry, to: "\(target)/\(file)")
        } catch {
          errors.append(.fileError(file: file, fileError: error.description))
        }
      }
    }
    return errors
  }

  /// The name of a file that is in a folder of an archive and nowhere else.
  private static func file(_ name: String, in folder: String) -> String? {
    // Bytes: with a mark after it, such as an accent, a slash would be part of another character.
    let start = "\(folder)/".utf8
    guard name.utf8.starts(with: start) else { return nil }
    let file = String(Substring(name.utf8.dropFirst(start.count)))
    let isPlain = !file.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }
    return isPlain && !file.isEmpty && file != "." && file != ".." ? file : nil
  }

  /// Checks the extracted databases and puts them in the place of the controller's, which it cannot use any more after
  /// that.
  private func replaceDatabases() async throws(ChatError) {
    let hasProfile = options.replacement.files.contains { DatabaseFile.hasContent($0) }
    let chat = try verifyExtracted(options.chatDatabase, mustOpen: hasProfile) {
      (path, key) throws(SQLiteKit.SQLiteError) in
      try ChatDatabase.verify(path, key: key)
    }
    let agent = try verifyExtracted(options.agentDatabase, mustOpen: hasProfile) {
      (path, key) throws(SQLiteKit.SQLiteError) in
      try AgentDatabase.verify(path, key: key)
    }
    guard chat == nil || agent == nil || chat == agent else {
      throw .errorDatabase(
        databaseError: .errorOpen(sqliteError: .error(dbError: "the databases were made by different programs")))
    }
    let (wasOpen, current) = (self.agent != nil, secret)
    await shutDown()
    do throws(SQLiteKit.SQLiteError) {
      try options.replacement.commit(.keep())
    } catch {
      if wasOpen, !options.replacement.isCommitted {
        session.isStoreChanged = false
        try await open(with: current)
      }
      throw .error(errorType: .exception(message: error.message))
    }
  }

  /// Checks that an extracted database is whole, ours, not newer, and opens with the key of the controller.
  ///
  /// An app that moves to this device imports before it asks for the passphrase. So where there is no profile that
  /// could be lost, a database that may be encrypted with another key is accepted; opening it reports a wrong key. A
  /// database of the reference is accepted then, too; it is imported when it is opened.
  /// - Returns: who made it; nil where that is not known yet.
  private func verifyExtracted(
    _ file: String, mustOpen: Bool, _ verify: (String, DatabaseKey?) throws(SQLiteKit.SQLiteError) -> Void
  ) throws(ChatError) -> DatabaseMaker? {
    let path = DatabaseReplacement.new(file)
    do throws(SQLiteKit.SQLiteError) {
      let key = try secret.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: path)
      }
      do throws(SQLiteKit.SQLiteError) {
        return try Self.verifyExtracted(path, key: key, acceptsReference: !mustOpen, using: verify)
      } catch  where error.kind == .notADatabase && !mustOpen {
        if DatabaseFile.mayBeEncrypted(path) { return nil }
        return try Self.verifyExtracted(path, key: nil, acceptsReference: true, using: verify)
      }
    } catch {
      throw .errorDatabase(
        databaseError: .errorOpen(sqliteError: ChatStoreOpenError(error, file: file).sqliteError))
    }
  }

  private static func verifyExtracted(
    _ path: String, key: DatabaseKey?, acceptsReference: Bool,
    using verify: (String, DatabaseKey?) throws(SQLiteKit.SQLiteError) -> Void
  ) throws(SQLiteKit.SQLiteError) -> DatabaseMaker {
    guard try DatabaseIdentity.read(path, key: key, checksIntegrity: true) != nil else {
      throw SQLiteKit.SQLiteError(.damaged, "the database is empty")
    }
    do throws(SQLiteKit.SQLiteError) { try verify(path, key) } catch {
      guard acceptsReference, case .foreign(.withMigrations) = error.kind else { throw error }
      return .reference
    }
    return .ours
  }

  /// Which implementation made a database.
  private enum DatabaseMaker { case ours, reference }

  // MARK: Deleting

  private func deleteStorage() async throws(ChatError) {
    try takeLease()
    await shutDown()
    options.replacement.abandon()
    for file in options.replacement.files {
      DatabaseFile.remove(file)
      DatabaseFile.remove(DatabaseReplacement.backup(file))
    }
    DatabaseFile.removeAll(ProfileImport.importedSuffix, of: options.replacement.files)
    for folder in [session.filesFolder, session.assetsFolder, session.tempFolder, options.transfersFolder] {
      if let folder { LocalFiles.remove(folder) }
    }
    // Removed while it is locked, so that nobody takes a lock on a file that goes away.
    LocalFiles.removeFile(options.lockFile)
    releaseLease()
  }
}
