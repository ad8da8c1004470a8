import ChatAPI
import SQLiteKit
import SimplexCrypto
import ZipArchive

// Archives: both databases, as they are encrypted, with the files of messages and the pictures of themes.

extension ChatController {
  func performArchive(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiExportArchive(let config):
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      return .response2(.archiveExported(archiveErrors: try await export(config)))
    case .apiImportArchive(let config):
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      return .response2(.archiveImported(archiveErrors: try await importArchive(config)))
    case .apiDeleteStorage:
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      try await deleteStorage()
      return .done()
    default: return nil
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

  // MARK: Exporting

  private func export(_ config: ArchiveConfig) async throws(ChatError) -> [ArchiveError] {
    let (databases, folders, secret) = (archivedDatabases, archivedFolders, secret)
    return try await closed { () throws(ChatError) in
      // Copies, because a part of a database may still be in its log.
      defer { for database in databases { DatabaseFile.remove(Self.copy(of: database.file)) } }
      for database in databases { try Self.copy(database.file, secret) }
      do throws(ZipError) {
        return try Self.export(databases.map { (Self.copy(of: $0.file), $0.name) }, folders, config)
      } catch {
        LocalFiles.removeFile(config.archivePath)
        throw .error(errorType: .exception(message: error.description))
      }
    }
  }

  private static func copy(of database: String) -> String { database + ".exported" }

  private static func copy(_ database: String, _ secret: SecretBytes?) throws(ChatError) {
    let copy = copy(of: database)
    DatabaseFile.remove(copy)
    do throws(SQLiteKit.SQLiteError) {
      let connection: SQLiteConnection =
        if let secret {
          try SQLiteConnection(path: database, passphrase: secret)
        } else {
          try SQLiteConnection(path: database)
        }
      let key = try secret.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: copy)
      }
      try connection.export(to: copy, key: key)
    } catch {
      throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }

  private static func export(
    _ databases: [(file: String, name: String)], _ folders: [(folder: String, name: String)], _ config: ArchiveConfig
  ) throws(ZipError) -> [ArchiveError] {
    let compresses = config.disableCompression != true
    var archive = try ZipWriter(path: config.archivePath)
    var errors: [ArchiveError] = []
    for database in databases { try archive.add(database.name, file: database.file, compresses: compresses) }
    for (folder, name) in folders {
      for file in LocalFiles.names(in: folder) {
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

  private func importArchive(_ config: ArchiveConfig) async throws(ChatError) -> [ArchiveError] {
    let (databases, folders) = (archivedDatabases, archivedFolders)
    do throws(ZipError) {
      let archive = try ZipReader(path: config.archivePath)
      let entries = archive.entries
      // Nothing is touched before both databases were read whole.
      do throws(ZipError) {
        for database in databases {
          guard let entry = entries.first(where: { $0.name == database.name }) else {
            throw .damaged("no \(database.name)")
          }
          try archive.extract(entry, to: Self.imported(database.file))
        }
      } catch {
        for database in databases { LocalFiles.remove(Self.imported(database.file)) }
        throw error
      }
      try await replaceDatabases()
      var errors: [ArchiveError] = []
      for (target, name) in folders {
        _ = try? makeFolder(target)
        for entry in entries {
          guard let file = Self.file(entry.name, in: name) else { continue }
          do throws(ZipError) {
            try archive.extract(entry, to: "\(target)/\(file)")
          } catch {
            errors.append(.fileError(file: file, fileError: error.description))
          }
        }
      }
      return errors
    } catch {
      throw .error(errorType: .exception(message: error.description))
    }
  }

  /// Where a database is put before it takes the place of the present one.
  private static func imported(_ database: String) -> String { database + ".imported" }

  /// The name of a file that is in a folder of an archive and nowhere else.
  private static func file(_ name: String, in folder: String) -> String? {
    guard name.hasPrefix(folder + "/") else { return nil }
    let file = String(name.dropFirst(folder.count + 1))
    let isPlain = !file.contains { $0 == "/" || $0 == "\\" || $0 == "\0" }
    return isPlain && !file.isEmpty && file != "." && file != ".." ? file : nil
  }

  /// Puts the imported databases in the place of the controller's, which it cannot use any more after that.
  private func replaceDatabases() async throws(ZipError) {
    await closeForGood()
    for (file, _) in archivedDatabases {
      guard DatabaseFile.exists(file) else {
        try LocalFiles.rename(Self.imported(file), to: file)
        continue
      }
      do throws(SQLiteKit.SQLiteError) {
        try DatabaseFile.replace(file, by: Self.imported(file), keeping: file + ".bak")
      } catch {
        throw .file(path: file, reason: error.message)
      }
    }
  }

  private func closeForGood() async {
    session.isStoreChanged = true
    await agent?.close()
    agent = nil
    store.close()
  }

  private func deleteStorage() async throws(ChatError) {
    await closeForGood()
    for (file, _) in archivedDatabases { DatabaseFile.remove(file) }
    for folder in [session.filesFolder, session.assetsFolder, session.tempFolder] {
      if let folder { LocalFiles.remove(folder) }
    }
  }
}
