import ArgumentParser
import QueueStore
import SMPServer

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
    commandName: "delete", abstract: "Delete the server with all its queues. This cannot be undone.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() async throws {
    let folders = SMPServerCommand.folders
    guard files(folders).contains(where: { access($0, F_OK) == 0 }) else {
      throw SMPServerCommand.fail(
        "nothing to delete: there is no server in \(folders.configuration) and \(folders.data)")
    }
    try await requireStopped(folders)
    if !yes {
      print("All queues and messages are lost, and the server's identity with them.")
      guard try SMPServerCommand.ask("Type Y to delete:") == "Y" else {
        throw SMPServerCommand.fail("nothing was deleted")
      }
    }
    for file in files(folders) where unlink(file) != 0 && errno != ENOENT {
      throw SMPServerCommand.fail("\(file): \(String(cString: strerror(errno)))")
    }
    rmdir(folders.configuration)
    rmdir(folders.data)
    print("Deleted the server's files in \(folders.configuration) and \(folders.data)")
  }

  /// A running server would go on without its files.
  private func requireStopped(_ folders: ServerFolders) async throws {
    guard access(folders.databaseFile, F_OK) == 0 else { return }
    do { await (try SQLiteQueueStore(path: folders.databaseFile)).close() } catch {
      guard error == .unavailable else { return }
      throw SMPServerCommand.fail("nothing was deleted: the server is running; stop it first")
    }
  }

  /// What the server makes; the folders may hold other files.
  private func files(_ folders: ServerFolders) -> [String] {
    let certificates = folders.certificates
    return [
      folders.iniFile, certificates.authorityCertificateFile, certificates.authorityKeyFile,
      certificates.serverCertificateFile, certificates.serverKeyFile, certificates.fingerprintFile,
      folders.databaseFile, folders.databaseFile + "-wal", folders.databaseFile + "-shm",
      folders.databaseFile + "-messages", folders.statisticsFile,
      folders.countsFile, folders.metricsFile, folders.notificationsFile,
    ]
  }
}
