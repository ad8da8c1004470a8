import ArgumentParser
import SMPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Deletes the identity, the settings and everything that is stored.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete the server with all its queues. This cannot be undone.")

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  func run() throws {
    let folders = SMPServerCommand.folders
    if !yes {
      print("All queues become inaccessible, because the server's identity is deleted with them.")
      guard try SMPServerCommand.ask("Type Y to delete:") == "Y" else {
        throw SMPServerCommand.fail("nothing was deleted")
      }
    }
    // Only what the server makes: the folders may hold other files.
    let certificates = folders.certificates
    let files = [
      folders.iniFile, certificates.authorityCertificateFile, certificates.authorityKeyFile,
      certificates.serverCertificateFile, certificates.serverKeyFile, certificates.fingerprintFile,
      folders.databaseFile, folders.databaseFile + "-wal", folders.databaseFile + "-shm",
      folders.databaseFile + "-messages", folders.statisticsFile,
      folders.countsFile, folders.metricsFile, folders.notificationsFile,
    ]
    for file in files where unlink(file) != 0 && errno != ENOENT {
      throw SMPServerCommand.fail("\(file): \(String(cString: strerror(errno)))")
    }
    rmdir(folders.configuration)
    rmdir(folders.data)
    print("Deleted the server's files in \(folders.configuration) and \(folders.data)")
  }
}
