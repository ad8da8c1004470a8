import ArgumentParser
import ProgramSupport
import QueueStore
import SMPServer

/// Runs the relay until SIGINT or SIGTERM.
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "start", abstract: "Run the server.")

  /// Where queues are kept.
  enum Store: String, ExpressibleByArgument, CaseIterable {
    case database, memory
  }

  @Option(
    name: .long, help: "Where queues are kept: database or memory (for tests). The ini file decides unless given.")
  var store: Store?
  @Flag(name: [.customShort("m"), .long], help: "Open the store, check it, and stop.")
  var maintenance = false
  @Flag(name: .long, help: "Accepted and not needed: nothing has to be compacted.")
  var compactLog = false
  @Flag(name: .long, help: "Accepted and not needed: no warning keeps the server from starting.")
  var skipWarnings = false
  @Option(name: .long, help: "Accepted and not used: what there is to say is always said.")
  var logLevel: String?
  @Option(name: .long, help: "Accepted and not used: the database is upgraded when it is opened.")
  var confirmMigrations: String?

  func run() async throws {
    let folders = SMPServerCommand.folders
    var settings = try SMPServerCommand.settings()
    for warning in settings.warnings { print("Warning: \(warning)") }
    let signals = StopSignals()
    if let files = raiseFileLimit() {
      settings.server.connectionLimit = min(settings.server.connectionLimit, connectionLimit(files: files))
    }
    let keepsQueues = store.map { $0 == .database } ?? settings.keepsQueues
    if keepsQueues, ReferenceImport(folders).isNeeded {
      throw SMPServerCommand.fail("\(folders.data) has queues of the reference server; run: smp-server import")
    }
    let queues: any QueueStore
    do {
      queues =
        try keepsQueues
        ? SQLiteQueueStore(path: folders.databaseFile) : MemoryQueueStore()
    } catch {
      throw SMPServerCommand.fail("the store \(folders.databaseFile) cannot be used: \(error)")
    }
    if maintenance {
      let counts = try queues.counts()
      print("Stored: \(counts.queues) queues, \(counts.messages) messages, \(counts.notifiers) notifiers")
      return await queues.close()
    }
    if settings.logsTLSErrors {
      settings.server.handshakeFailed = { error in
        print("TLS handshake failed: \(error)")
        flushOutput()
      }
    }
    let service: ServerService
    do { service = try await ServerService.start(settings, folders, store: queues) } catch {
      await queues.close()
      throw SMPServerCommand.fail("cannot start: \(error)")
    }
    print("Server address: \(settings.address(fingerprint: service.server.fingerprint))")
    let host = settings.server.host ?? "all addresses"
    print("Listening on \(host), port \(service.server.ports.map(String.init).joined(separator: ", "))")
    if !settings.information.text.isEmpty { print(settings.information.text) }
    if settings.server.basicAuth == nil { print("Anybody may create queues") }
    flushOutput()
    await signals.wait()
    print("Stopping")
    await service.stop()
    print("Stopped")
  }
}
