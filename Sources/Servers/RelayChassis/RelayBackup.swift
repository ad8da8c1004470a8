import FileAccess

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder with a copy of a relay: its settings and keys in `configuration`, what it stores in `data`.
///
/// A backup has its name only when it is complete and durable: until then it ends in `.unfinished`.
public struct RelayBackup<Folders: RelayFolders> {
  /// The folder of the backup.
  public let path: String
  /// The files of the relay.
  let folders: Folders
  /// Files besides ``RelayFolders/ownFiles`` that are copied where they exist.
  let others: [String]

  /// - Parameters:
  ///   - path: the folder of the backup.
  ///   - folders: where the relay is, or is to be.
  ///   - others: files in ``RelayFolders/data`` besides the database and what every relay has.
  public init(_ path: String, of folders: Folders, others: [String] = []) {
    self.path = RealPath(path).text
    self.folders = folders
    self.others = others
  }

  /// The two parts of a backup whose name is `path`.
  static func parts(_ path: String) -> Folders {
    Folders(configuration: path + "/configuration", data: path + "/data")
  }

  /// The files that are copied as they are, where they exist: each file of the relay, and its place in a backup. The
  /// settings come last, because they make a relay of the others.
  private func files(_ backup: Folders) -> [(file: String, copy: String)] {
    let certificates = folders.certificates
    let data = others + [folders.statisticsFile, folders.countsFile]
    let configuration = [
      certificates.authorityCertificateFile, certificates.authorityKeyFile, certificates.serverCertificateFile,
      certificates.serverKeyFile, certificates.fingerprintFile, folders.iniFile,
    ]
    return data.map { ($0, backup.data + Self.name(of: $0)) }
      + configuration.map { ($0, backup.configuration + Self.name(of: $0)) }
  }

  /// The name of a file with the slash before it.
  private static func name(of file: String) -> Substring { file[(file.lastIndex(of: "/") ?? file.startIndex)...] }

  // MARK: Making one

  /// Makes the backup; `content` copies what the clients have stored to a folder.
  /// - Throws: Where there is something at the path, and where the relay cannot be copied; what was copied is left
  ///   then.
  public func make(_ content: (_ data: String) async throws -> Void) async throws {
    guard try WholeFile.text(folders.iniFile) != nil else {
      throw CommandFailure(description: "there is no server in \(folders.configuration)")
    }
    let draft = path + ".unfinished"
    guard access(path, F_OK) != 0 else {
      throw CommandFailure(description: "\(path) exists; a backup replaces nothing")
    }
    guard access(draft, F_OK) != 0 else {
      throw CommandFailure(
        description: "\(draft) exists: another backup is being made, or was interrupted; remove it if none is")
    }
    let parts = Self.parts(draft)
    do {
      try Folder.create(parts.configuration)
      try Folder.create(parts.data)
      try await content(parts.data)
      for (file, copy) in files(parts) where PathStatus.exists(file) { try WholeFile.copy(file, to: copy) }
      for folder in [parts.configuration, parts.data, draft] { try FileDescriptor.syncFolder(of: folder + "/.") }
      try WholeFile.move(draft, to: path)
    } catch {
      throw CommandFailure(description: "no backup was made: \(error); remove \(draft) before the next attempt")
    }
  }

  // MARK: Restoring one

  /// The text of the settings of the backup.
  public func settingsText() throws -> String {
    let file = Self.parts(path).iniFile
    guard let text = try WholeFile.text(file) else {
      throw CommandFailure(description: "\(path) is no backup of this server: there is no \(file)")
    }
    return text
  }

  /// Copies the backup to the folders of the relay; `content` does it with what the clients have stored.
  /// - Throws: Where the relay has files there already, and where one of them cannot be made; those that were made are
  ///   removed then, unless somebody else makes a relay there meanwhile.
  public func restore(_ content: (_ data: String) async throws -> Void) async throws {
    _ = try settingsText()
    let parts = Self.parts(path)
    // A file of another database of the name, such as a journal, would be taken for a part of this one.
    let besides = folders.dataFiles(named: "\(Folders.filePrefix).db-")
    let existing = (folders.ownFiles + others + besides).first { access($0, F_OK) == 0 }
    if let existing {
      throw CommandFailure(
        description: "\(existing) exists; a backup is restored where there is no server, and replaces nothing")
    }
    do {
      try Folder.create(folders.configuration)
      try Folder.create(folders.data)
      try await content(parts.data)
      for (file, copy) in files(parts) where PathStatus.exists(copy) { try WholeFile.copy(copy, to: file) }
      try FileDescriptor.syncFolder(of: folders.iniFile)
      try FileDescriptor.syncFolder(of: folders.databaseFile)
    } catch {
      // A file that is there now is of another restoration, and so may be the others.
      if (error as? FileError)?.code != EEXIST { for file in (folders.ownFiles + others) { unlink(file) } }
      throw CommandFailure(description: "nothing was restored: \(error)")
    }
  }
}
