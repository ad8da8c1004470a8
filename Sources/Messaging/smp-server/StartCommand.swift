import ArgumentParser
import ProgramSupport
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
  @Flag(name: [.customShort("m"), .long], help: "Open the store, check it, and stop.")
  var maintenance = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: the store needs no compaction.")
  var compactLog = false
  @Flag(name: .long, help: "Accepted for compatibility; no effect: warnings never prevent the start.")
  var skipWarnings = false
  @Option(name: .long, help: "Accepted for compatibility; no effect: there is one log level.")
  var logLevel: String?
  @Option(name: .long, help: "Accepted for compatibility; no effect: the database is migrated when it is opened.")
  var confirmMigrations: String?

  func run() async throws {
    do { try await serve() } catch let failure as CommandFailure {
      // The time precedes it, as in everything that the running server prints.
      SMPServerCommand.log("Error: \(failure)", isError: true)
      throw ExitCode.failure
    }
  }

  private func serve() async throws {
    let folders = SMPServerCommand.folders
    let reloads = ReloadSignals()
    let signals = StopSignals()
    var settings = try SMPServerCommand.settings()
    warn(settings.warnings + readableKeys(folders))
    if let files = raiseFileLimit() {
      settings.server.connectionLimit = min(settings.server.connectionLimit, connectionLimit(files: files))
      if let limit = settings.server.proxy?.connectionLimit {
        settings.server.proxy?.connectionLimit = min(limit, relayLimit(files: files))
      }
    }
    let keepsQueues = store.map { $0 == .database } ?? settings.keepsQueues
    if keepsQueues, ReferenceImport(folders).isNeeded {
      throw SMPServerCommand.fail("\(folders.data) has queues of the reference server; run: smp-server import")
    }
    if keepsQueues { try requireWritable(folders) }
    let queues: any RelayStore
    do {
      queues =
        try keepsQueues
        ? SQLiteQueueStore(path: folders.databaseFile) : MemoryQueueStore()
    } catch {
      throw SMPServerCommand.fail("the database \(folders.databaseFile) cannot be opened: \(error.sentence)")
    }
    if maintenance {
      do {
        let counts = try await queues.counts()
        log("Stored: \(counts.queues) queues, \(counts.messages) messages, \(counts.notifiers) notifiers")
      } catch {
        await queues.close()
        throw SMPServerCommand.fail("the database \(folders.databaseFile) cannot be read: \(error.sentence)")
      }
      return await queues.close()
    }
    if settings.logsTLSErrors {
      settings.server.handshakeFailed = { SMPServerCommand.log("TLS handshake failed: \($0)") }
    }
    let service: ServerService
    do { service = try await ServerService.start(settings, folders, store: queues) } catch {
      await queues.close()
      throw SMPServerCommand.fail("\(error)")
    }
    log("\(SMPServerCommand.configuration.version) started, process \(getpid())")
    for line in service.summary(database: keepsQueues ? folders.databaseFile : nil) { log(line) }
    let reloading = Task { for await _ in reloads.arrivals { reload(service, folders) } }
    await signals.wait()
    reloading.cancel()
    log("Stopping")
    await service.stop()
    log("Stopped")
  }

  /// Reads the settings and certificates again. Where they cannot be used, everything stays as it was.
  private func reload(_ service: ServerService, _ folders: ServerFolders) {
    do {
      let settings = try SMPServerCommand.settings()
      let known = service.settings.ignored
      let changes = try service.reload(settings)
      warn(settings.ignored.filter { !known.contains($0) } + readableKeys(folders))
      for line in changes.lines { log(line) }
    } catch {
      log("Not reloaded, the settings stay as they were: \(error)")
    }
  }

  private func warn(_ warnings: [String]) { for warning in warnings { log("Warning: \(warning)") } }

  private func log(_ text: String) { SMPServerCommand.log(text) }

  /// Fails if a file of the database, or its folder, cannot be written. Not all of the files exist at all times.
  private func requireWritable(_ folders: ServerFolders) throws {
    let database = folders.databaseFile
    for file in [folders.data, database, database + "-wal", database + "-messages"]
    where access(file, F_OK) == 0 && access(file, W_OK) != 0 {
      throw SMPServerCommand.fail("\(file) cannot be written: check its owner and permissions")
    }
  }

  /// Keys that others than their owner can read.
  private func readableKeys(_ folders: ServerFolders) -> [String] {
    let certificates = folders.certificates
    return ServerConsole.readableKeys([certificates.authorityKeyFile, certificates.serverKeyFile, folders.iniFile])
  }
}
