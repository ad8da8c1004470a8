import ArgumentParser
import FileAccess
import QueueStore
import SMPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs the relay until SIGINT or SIGTERM. SIGHUP makes it read its settings and certificates again.
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Run the server.",
    discussion: """
      SIGINT and SIGTERM stop it in order, a second one at once. SIGHUP makes it read the ini file and the certificates \
      again, and print what has changed and what needs a restart.
      """)

  /// The kind of the store.
  enum Store: String, ExpressibleByArgument, CaseIterable {
    case database, memory
  }

  @Option(
    name: .long, help: "Store of the queues: database or memory, for tests (default: as in the ini file).")
  var store: Store?
  @Flag(
    name: [.customShort("m"), .long],
    help: "Open the store, migrating it, print its totals, and end; check verifies it.")
  var maintenance = false
  @Flag(name: .long, help: "Delete what is too old by the clock, also where it is days ahead of the last run.")
  var trustClock = false
  @Flag(name: .long, help: "Let the system write a core dump, which contains keys, when the server crashes.")
  var coreDumps = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: the store needs no compaction.")
  var compactLog = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: warnings never prevent the start.")
  var skipWarnings = false
  @Option(name: .long, help: "Accepted for compatibility; no effect: there is one log level.")
  var logLevel: String?
  @Option(name: .long, help: "Accepted for compatibility; no effect: the database is migrated when it is opened.")
  var confirmMigrations: String?

  func run() async throws {
    guard try await RelayProgram.runLoggingFailure(serve) else { throw ExitCode.failure }
  }

  private func serve() async throws {
    let folders = SMPServerCommand.folders
    let program = RelayProgram()
    var settings = try SMPServerCommand.settings()
    RelayProgram.warn(settings.warnings, folders)
    if let files = try raiseFileLimit() {
      settings.server.connectionLimit = min(settings.server.connectionLimit, connectionLimit(files: files))
      if let limit = settings.server.proxy?.connectionLimit {
        settings.server.proxy?.connectionLimit = min(limit, relayLimit(files: files))
      }
    }
    if let store { settings.keepQueues(store == .database, folders) }
    let keepsQueues = settings.keepsQueues
    if keepsQueues, ReferenceImport(folders).isNeeded {
      throw SMPServerCommand.fail("\(folders.data) has queues of the reference server; run: smp-server import")
    }
    if keepsQueues { try requireWritable(folders) }
    let queues: any RelayStore
    do {
      if keepsQueues {
        let store = try SQLiteQueueStore(path: folders.databaseFile)
        for notice in store.notices { ServerConsole.log("Warning: \(notice)") }
        queues = store
      } else {
        queues = MemoryQueueStore()
      }
    } catch {
      let holder = error == .unavailable ? LockHolder.note(of: folders.databaseFile + "-messages") : ""
      throw SMPServerCommand.fail("the database \(folders.databaseFile) cannot be opened: \(error.sentence)\(holder)")
    }
    if maintenance {
      do {
        let counts = try await queues.counts()
        ServerConsole.log(
          "Stored: \(counts.queues) queues, \(counts.messages) messages, \(counts.notifiers) notifiers")
      } catch {
        await queues.close()
        throw SMPServerCommand.fail("the database \(folders.databaseFile) cannot be read: \(error.sentence)")
      }
      return await queues.close()
    }
    if settings.logsTLSErrors {
      settings.server.handshakeFailed = { ServerConsole.log("TLS handshake failed: \($0)") }
    }
    settings.server.report = { ServerConsole.log($0) }
    let service: ServerService
    do { service = try await ServerService.start(settings, folders, store: queues) } catch {
      await queues.close()
      throw SMPServerCommand.fail("\(error)")
    }
    if trustClock { service.server.trustClock() }
    await program.run(
      version: SMPServerCommand.configuration.version,
      summary: service.summary(database: keepsQueues ? folders.databaseFile : nil)
    ) {
      try Self.reload(service, folders)
    } stop: {
      await service.stop()
    }
  }

  /// Reads the settings and certificates again. Where they cannot be used, everything stays as it was.
  private static func reload(_ service: ServerService, _ folders: ServerFolders) throws -> [String] {
    let settings = try SMPServerCommand.settings()
    let known = service.settings.ignored
    let changes = try service.reload(settings)
    RelayProgram.warn(settings.ignored.filter { !known.contains($0) }, folders)
    return changes.lines
  }

  /// Fails if a file of the database, or its folder, cannot be written. Not all of the files exist at all times.
  private func requireWritable(_ folders: ServerFolders) throws {
    let database = folders.databaseFile
    for file in [folders.data, database, database + "-wal", database + "-messages"]
    where access(file, F_OK) == 0 && access(file, W_OK) != 0 {
      throw SMPServerCommand.fail("\(file) cannot be written: check its owner and permissions")
    }
  }
}
