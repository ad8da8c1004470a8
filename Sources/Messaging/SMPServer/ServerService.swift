import QueueStore
import SMPServerCore
import Synchronization

/// A relay with its services: daily statistics, metrics, the control port.
public final class ServerService: Sendable {
  /// The relay.
  public let server: RelayServer
  private let tasks: [Task<Void, Never>]
  private let control: ControlPort?
  /// The file for counts while the relay is stopped; nil if statistics are off.
  private let counts: StatisticsFile?
  /// The files of the relay.
  let folders: ServerFolders
  private let current: CurrentSettings

  private init(
    server: RelayServer, tasks: [Task<Void, Never>], control: ControlPort?, counts: StatisticsFile?,
    folders: ServerFolders, settings: CurrentSettings
  ) {
    self.server = server
    self.folders = folders
    current = settings
    self.tasks = tasks
    self.control = control
    self.counts = counts
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { control?.port }

  /// The current settings.
  public var settings: ServerSettings { current.value }

  /// Applies the settings and certificates that can change while the relay runs; the others are unchanged.
  ///
  /// - Returns: The settings that have changed.
  /// - Throws: Where the certificates cannot be used; then nothing is changed.
  public func reload(_ new: ServerSettings) throws(SMPServerError) -> SettingsChanges {
    var (settings, changes) = try current.value.reloaded(from: new)
    try server.update(settings.server)
    settings = Self.writingPages(settings)
    current.value = settings
    if let problem = settings.pagesProblem {
      changes.problems.append("Pages for browsers cannot be written: \(problem)")
    }
    return changes
  }

  /// Writes the pages for browsers, and returns settings that say whether that failed: clients are served nevertheless.
  private static func writingPages(_ settings: ServerSettings) -> ServerSettings {
    var settings = settings
    settings.pagesProblem = nil
    guard let folder = settings.webFolder else { return settings }
    do { try settings.site.write(to: folder) } catch { settings.pagesProblem = "\(error)" }
    return settings
  }

  /// Starts all services that the settings enable.
  public static func start(
    _ settings: ServerSettings, _ folders: ServerFolders, store: any RelayStore
  ) async throws(SMPServerError) -> ServerService {
    let server = try await RelayServer.start(settings.server, store: store)
    var tasks: [Task<Void, Never>] = []
    let counts = settings.logsStatistics ? StatisticsFile(path: folders.countsFile) : nil
    if let counts {
      // The relay works without the counts of this day.
      if let day = try? counts.restore(server.statistics) { server.statistics.day.store(day, ordering: .relaxed) }
      tasks.append(Task { await StatisticsLog(relay: server.relay, path: folders.statisticsFile).run() })
    }
    if let interval = settings.metricsInterval {
      tasks.append(Task { await MetricsFile(server: server, path: folders.metricsFile, interval: interval).run() })
    }
    do {
      let current = CurrentSettings(writingPages(settings))
      let access = ControlAccess()
      let control = try await ControlPort.start(
        port: settings.controlPort, greeting: "SMP server control port\n'help' for supported commands"
      ) { ControlSession(current, server, access: access) }
      return ServerService(
        server: server, tasks: tasks, control: control, counts: counts, folders: folders, settings: current)
    } catch {
      for task in tasks { task.cancel() }
      await server.stop()
      throw error
    }
  }

  /// Stops everything, in order.
  public func stop() async {
    for task in tasks { task.cancel() }
    // A line of the daily statistics that is being written has the counts, and the file gets what comes after it.
    for task in tasks { await task.value }
    await control?.stop()
    await server.stop()
    // A full disk loses the counts; no caller is left to receive the error.
    try? counts?.save(server.statistics, day: server.statistics.day.load(ordering: .relaxed))
  }
}

/// The current settings of a relay, which a reload replaces.
final class CurrentSettings: Sendable {
  private let state: Mutex<ServerSettings>

  init(_ settings: ServerSettings) { state = Mutex(settings) }

  var value: ServerSettings {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
