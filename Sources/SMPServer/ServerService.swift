import QueueStore
import SMPServerCore

/// A relay with what runs beside it: daily statistics, metrics, the control port.
public final class ServerService: Sendable {
  /// The relay.
  public let server: RelayServer
  private let tasks: [Task<Void, Never>]
  private let control: ControlPort?
  /// Where counts are kept while the relay is stopped; nil where nobody wants them.
  private let counts: StatisticsFile?

  private init(
    server: RelayServer, tasks: [Task<Void, Never>], control: ControlPort?, counts: StatisticsFile?
  ) {
    self.server = server
    self.tasks = tasks
    self.control = control
    self.counts = counts
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { control?.port }

  /// Starts everything that the settings ask for.
  public static func start(
    _ settings: ServerSettings, _ folders: ServerFolders, store: any QueueStore
  ) async throws(SMPServerError) -> ServerService {
    let server = try await RelayServer.start(settings.server, store: store)
    var tasks: [Task<Void, Never>] = []
    let counts = settings.logsStatistics ? StatisticsFile(path: folders.countsFile) : nil
    if let counts {
      // Without the counts of this day the relay works as well.
      let day = (try? counts.restore(server.statistics)) ?? currentDay()
      tasks.append(Task { await StatisticsLog(relay: server.relay, path: folders.statisticsFile).run(from: day) })
    }
    if let interval = settings.metricsInterval {
      tasks.append(Task { await MetricsFile(server: server, path: folders.metricsFile, interval: interval).run() })
    }
    do {
      let control = try await ControlPort.start(settings, server)
      return ServerService(server: server, tasks: tasks, control: control, counts: counts)
    } catch {
      for task in tasks { task.cancel() }
      await server.stop()
      throw error
    }
  }

  /// Stops everything, in order.
  public func stop() async {
    for task in tasks { task.cancel() }
    await control?.stop()
    await server.stop()
    // A full disk costs the counts; there is nobody left to tell.
    try? counts?.save(server.statistics, day: currentDay())
  }
}
