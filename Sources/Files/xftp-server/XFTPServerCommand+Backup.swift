import ChunkStore
import FileAccess
import RelayChassis
import RelayCommands
import XFTPServer

extension XFTPServerCommand: BackedUpRelay {
  static var restoreConsequence: String {
    "What was uploaded since the backup is lost; what was deleted since is there again until it expires."
  }

  private static func databaseName(in data: String) -> String {
    FileServerFolders(configuration: folders.configuration, data: data).databaseFile
  }

  static func backUpContent(to data: String) async throws -> [String] {
    let database = folders.databaseFile
    let settings = try settings()
    guard PathStatus.exists(database) else { return ["There are no stored files."] }
    let copy: ChunkStoreCopy
    do {
      copy = try ChunkStoreCopy(
        databaseFile: database, folder: settings.filesFolder, toDatabase: databaseName(in: data),
        folder: filesFolder(in: data))
    } catch {
      throw fail("\(database) cannot be copied: \(error)")
    }
    return ["Copied \(copy.usage.chunks) parts of files, \(copy.usage.bytes) bytes"]
  }

  private static func filesFolder(in data: String) -> String { data + "/files" }

  static func restoreContent(from data: String, settings: ServerINI) async throws {
    guard let folder = settings.text("FILES", "path"), !folder.isEmpty else {
      throw fail("[FILES] path, the folder for files, is not set in the backup")
    }
    guard Folder.names(in: folder)?.contains(where: DiskChunkStore.isChunkName) != true else {
      throw fail("\(folder) has parts of files; [FILES] path of the backup's settings may be changed before restoring")
    }
    let copy = databaseName(in: data)
    guard PathStatus.exists(copy) else { return }
    try Folder.create(folder)
    let names = (Folder.names(in: filesFolder(in: data)) ?? []).filter(DiskChunkStore.isChunkName)
    var made: [String] = []
    do {
      for name in names {
        try WholeFile.copy("\(filesFolder(in: data))/\(name)", to: "\(folder)/\(name)")
        made.append(name)
      }
      try FileDescriptor.syncFolder(of: folder + "/.")
      try WholeFile.copy(copy, to: folders.databaseFile)
    } catch {
      for name in made { try? WholeFile.remove("\(folder)/\(name)") }
      throw error
    }
  }
}
