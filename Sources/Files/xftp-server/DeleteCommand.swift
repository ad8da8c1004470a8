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
    guard files(folders).contains(where: { access($0, F_OK) == 0 }) else {
      throw XFTPServerCommand.fail(
        "nothing to delete: there is no server in \(folders.configuration) and \(folders.data)")
    }
    let settings = try? XFTPServerCommand.settings()
    // Fails while the server runs, which would go on without its files.
    var store: DiskChunkStore?
    if let settings {
      do throws(ChunkStoreError) {
        store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: nil)
      } catch {
        // A damaged store does not prevent deleting it.
        if error == .inUse {
          throw XFTPServerCommand.fail("nothing was deleted: the server is running; stop it first")
        }
      }
    }
    if !yes {
      print("All files are lost, and the server's identity with them.")
      guard try ServerConsole.ask("Type Y to delete:") == "Y" else {
        throw XFTPServerCommand.fail("nothing was deleted")
      }
    }
    if let store {
      while let count = try? await store.deleteChunks(createdBefore: .max, limit: 500), count > 0 {}
      await store.close()
    }
    for file in files(folders) where unlink(file) != 0 && errno != ENOENT {
      throw XFTPServerCommand.fail("\(file): \(String(cString: strerror(errno)))")
    }
    if let settings { rmdir(settings.filesFolder) }
    rmdir(folders.configuration)
    rmdir(folders.data)
    print("Deleted the server's files in \(folders.configuration) and \(folders.data)")
  }

  /// What the server makes besides chunks; the folders may hold other files.
  private func files(_ folders: FileServerFolders) -> [String] {
    let certificates = folders.certificates
    return [
      folders.iniFile, certificates.authorityCertificateFile, certificates.authorityKeyFile,
      certificates.serverCertificateFile, certificates.serverKeyFile, certificates.fingerprintFile,
      folders.databaseFile, folders.databaseFile + "-wal", folders.databaseFile + "-shm", folders.statisticsFile,
      folders.countsFile, folders.metricsFile,
    ]
  }
}
