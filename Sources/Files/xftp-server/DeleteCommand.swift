import ArgumentParser
import ChunkStore
import FileAccess
import RelayChassis
import XFTPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Deletes the identity, the settings and everything that is stored.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete the server with all its files. This cannot be undone.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = XFTPServerCommand.folders
    let settings = try? XFTPServerCommand.settings()
    var store: DiskChunkStore?
    try await folders.delete(
      asking: yes ? nil : "All files are lost, and the server's identity with them."
    ) {
      guard let settings else { return }
      do throws(ChunkStoreError) {
        store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: nil)
      } catch {
        // A damaged store does not prevent deleting it.
        if error == .inUse {
          let holder = LockHolder.note(of: folders.databaseFile + ".lock")
          throw XFTPServerCommand.fail("nothing was deleted: the server is running\(holder); stop it first")
        }
      }
    } removeContent: {
      if let store {
        while let count = try? await store.deleteChunks(createdBefore: .max, limit: 500), count > 0 {}
        await store.close()
      }
      guard let settings else { return }
      for folder in DiskChunkStore.asideFolders(in: settings.filesFolder) {
        for name in (Folder.names(in: folder) ?? []).filter(DiskChunkStore.isChunkName) { unlink("\(folder)/\(name)") }
        rmdir(folder)
      }
      rmdir(settings.filesFolder)
    }
  }
}
