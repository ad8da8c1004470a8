/// What runs beside a relay: daily statistics, metrics, the control port.
public final class RelayServices: Sendable {
  private let tasks: [Task<Void, Never>]
  private let control: ControlPort?
  /// The daily statistics, and the file for counts while the relay is stopped; nil if they are off.
  private let statistics: (log: any DailyLog, counts: CountsFile)?

  private init(tasks: [Task<Void, Never>], control: ControlPort?, statistics: (any DailyLog, CountsFile)?) {
    self.tasks = tasks
    self.control = control
    self.statistics = statistics
  }

  /// Starts the services that are given; nil for those that the settings do not enable. `commands` makes the session of
  /// a connection to the control port.
  ///
  /// - Throws: Where the control port cannot be opened; then nothing runs.
  public static func start(
    statistics: (log: any DailyLog, counts: CountsFile)?, metrics: (any MetricsWriter)?, controlPort: Int?,
    greeting: String, commands: @escaping @Sendable () -> any ControlCommands
  ) async throws(RelayError) -> RelayServices {
    let control = try await ControlPort.start(
      port: controlPort, greeting: "\(greeting)\n'help' for supported commands", makeCommands: commands)
    var tasks: [Task<Void, Never>] = []
    if let (log, counts) = statistics {
      // The relay works without the counts of this day.
      try? log.restoreCounts(counts)
      tasks.append(Task { await log.run() })
    }
    if let metrics { tasks.append(Task { await metrics.run() }) }
    return RelayServices(tasks: tasks, control: control, statistics: statistics)
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { control?.port }

  /// Stops everything, in order; `stopRelay` stops the relay itself.
  public func stop(_ stopRelay: () async -> Void) async {
    for task in tasks { task.cancel() }
    // A line of the daily statistics that is being written has the counts, and the file gets what comes after it.
    for task in tasks { await task.value }
    await control?.stop()
    await stopRelay()
    // A full disk loses the counts; no caller is left to receive the error.
    if let (log, counts) = statistics { try? log.saveCounts(counts) }
  }
}
