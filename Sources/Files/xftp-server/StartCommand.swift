import ArgumentParser
import ChunkStore
import FileAccess
import RelayChassis
import XFTPServer

/// Runs the relay until SIGINT or SIGTERM. SIGHUP makes it read its certificates, its pages
/// and its rules for new files again.
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Run the server.",
    discussion: """
      SIGINT and SIGTERM stop it in order, a second one at once. SIGHUP makes it read the certificates, the pages \
      for browsers, new_files and create_password again, and print what has changed and what needs a restart.
      """)

  @Option(name: .long, help: "Accepted for compatibility; no effect: the database is migrated when it is opened.")
  var confirmMigrations: String?

  @Flag(name: .long, help: "Delete what is too old by the clock, also where it is days ahead of the last run.")
  var trustClock = false
  @Flag(name: .long, help: "Let the system write a core dump, which contains keys, when the server crashes.")
  var coreDumps = false

  func run() async throws {
    guard try await RelayProgram.runLoggingFailure(serve) else { throw ExitCode.failure }
  }

  private func serve() async throws {
    let folders = XFTPServerCommand.folders
    let program = RelayProgram()
    var settings = try XFTPServerCommand.settings()
    RelayProgram.warn(settings.warnings, folders)
    if let files = try raiseFileLimit() {
      // Each transfer has a file besides its connection.
      let transfers = min(settings.server.transferLimit, max(1, Int(files) / 4))
      settings.server.transferLimit = transfers
      settings.server.connectionLimit = min(
        settings.server.connectionLimit, connectionLimit(files: files - transfers))
    }
    guard !folders.referenceLog.isNeeded else {
      throw XFTPServerCommand.fail(
        "\(folders.referenceLog.path) is the store of the reference server; import it first: xftp-server import")
    }
    if settings.logsTLSErrors {
      settings.server.handshakeFailed = { ServerConsole.log("TLS handshake failed: \($0)") }
    }
    settings.server.report = { ServerConsole.log($0) }
    let store: DiskChunkStore
    do {
      store = try DiskChunkStore(
        databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: settings.quota)
      let aside = try await store.removeStrayFiles()
      if aside > 0 {
        ServerConsole.log(
          "Warning: \(aside) files in \(settings.filesFolder) belong to no file in \(folders.databaseFile), which may be"
            + " an older copy; they were moved to \(store.asideFolder)")
      }
    } catch {
      let lock = folders.databaseFile + ".lock"
      let holder = error == .inUse ? LockHolder.note(of: lock) : ""
      throw XFTPServerCommand.fail("the store \(folders.databaseFile) cannot be opened: \(error)\(holder)")
    }
    let service: FileServerService
    do { service = try await FileServerService.start(settings, folders, store: store) } catch {
      await store.close()
      throw XFTPServerCommand.fail("\(error)")
    }
    if trustClock { service.server.trustClock() }
    await program.run(version: XFTPServerCommand.configuration.version, summary: service.summary) {
      try Self.reload(service)
    } stop: {
      await service.stop()
    }
  }

  /// Reads the settings and certificates again. Where they cannot be used, everything stays as it was.
  private static func reload(_ service: FileServerService) throws -> [String] {
    let settings = try XFTPServerCommand.settings()
    let changes = try service.reload(settings)
    RelayProgram.warn(settings.warnings, XFTPServerCommand.folders)
    return changes.lines
  }
}
