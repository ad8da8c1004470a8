import ArgumentParser
import FileAccess
import NotificationServer
import NotificationStore
import RelayChassis

/// Runs the server until SIGINT or SIGTERM. SIGHUP makes it read its certificates again.
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Run the server.",
    discussion: """
      SIGINT and SIGTERM stop it in order, a second one at once. SIGHUP makes it read the certificates again, and print \
      what has changed and what needs a restart.
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
    let folders = NtfServerCommand.folders
    let program = RelayProgram()
    var settings = try NtfServerCommand.settings()
    RelayProgram.warn(settings.warnings, folders)
    if let files = try raiseFileLimit() {
      // Relays and the push service have connections, too.
      settings.server.connectionLimit = min(settings.server.connectionLimit, connectionLimit(files: files / 2))
    }
    if settings.logsTLSErrors {
      settings.server.handshakeFailed = { ServerConsole.log("TLS handshake failed: \($0)") }
    }
    settings.server.report = { ServerConsole.log($0) }
    let store: SQLiteNotificationStore
    do { store = try SQLiteNotificationStore(databaseFile: folders.databaseFile) } catch {
      let holder = error == .inUse ? LockHolder.note(of: folders.databaseFile + ".lock") : ""
      throw NtfServerCommand.fail("the store \(folders.databaseFile) cannot be opened: \(error)\(holder)")
    }
    let service: NotificationServerService
    do { service = try await NotificationServerService.start(settings, folders, store: store) } catch {
      await store.close()
      throw NtfServerCommand.fail("\(error)")
    }
    if trustClock { service.server.trustClock() }
    await program.run(version: NtfServerCommand.configuration.version, summary: service.summary) {
      try Self.reload(service)
    } stop: {
      await service.stop()
    }
  }

  /// Reads the settings and certificates again. Where they cannot be used, everything stays as it was.
  private static func reload(_ service: NotificationServerService) throws -> [String] {
    let settings = try NtfServerCommand.settings()
    let changes = try service.reload(settings)
    RelayProgram.warn(settings.warnings, NtfServerCommand.folders)
    return changes.lines
  }
}
