/// The services beside a relay: daily statistics, metrics, the control port.
public final class RelayServices: Sendable {
  private let tasks: [Task<Void, Never>]
  private let control: ControlPort?
  private let metrics: MetricsPort?
  /// The daily statistics, and the file for counts while the relay is stopped; nil if they are off.
  private let statistics: (log: any DailyLog, counts: CountsFile)?

  private init(
    tasks: [Task<Void, Never>], control: ControlPort?, metrics: MetricsPort?,
    statistics: (any DailyLog, CountsFile)?
  ) {
    self.tasks = tasks
    self.control = control
    self.metrics = metrics
    self.statistics = statistics
  }

  /// Starts the services that the settings enable. `commands` makes the session of a connection to the control port.
  ///
  /// - Throws: Where a port cannot be opened; then nothing runs.
  public static func start(
    _ settings: CommonSettings, _ folders: some RelayFolders, statistics log: any DailyLog,
    metrics source: any MetricsSource, greeting: String, commands: @escaping @Sendable () -> any ControlCommands
  ) async throws(RelayError) -> RelayServices {
    let statistics = settings.logsStatistics ? (log: log, counts: CountsFile(path: folders.countsFile)) : nil
    let control = try await ControlPort.start(
      port: settings.controlPort, greeting: "\(greeting)\n'help' for supported commands", makeCommands: commands)
    let metrics: MetricsPort?
    do throws(RelayError) { metrics = try await MetricsPort.start(port: settings.metricsPort, source: source) } catch {
      await control?.stop()
      throw error
    }
    var tasks: [Task<Void, Never>] = []
    if let (log, counts) = statistics {
      // The relay works without the counts of this day.
      try? log.restoreCounts(counts)
      tasks.append(Task { await log.run() })
    }
    if let interval = settings.metricsInterval {
      let writer = MetricsWriter(source: source, path: folders.metricsFile, interval: interval)
      tasks.append(Task { await writer.run() })
    }
    return RelayServices(tasks: tasks, control: control, metrics: metrics, statistics: statistics)
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { control?.port }

  /// The port of the metrics; nil where there is none.
  public var metricsPort: Int? { metrics?.port }

  /// Stops everything, in order; `stopRelay` stops the relay itself.
  public func stop(_ stopRelay: () async -> Void) async {
    for task in tasks { task.cancel() }
    // A line of the daily statistics that is being written has the counts, and the file gets what comes after it.
    for task in tasks { await task.value }
    await control?.stop()
    await metrics?.stop()
    await stopRelay()
    // A full disk loses the counts; no caller is left to receive the error.
    if let (log, counts) = statistics { try? log.saveCounts(counts) }
  }
}
