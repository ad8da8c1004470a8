/// A part of the periodic work of a relay, which runs until the relay stops.
public struct UpkeepJob: Sendable {
  /// Between the end of one run and the beginning of the next.
  public let interval: Duration
  /// Whether it runs as soon as the relay starts; otherwise it waits for ``interval`` first.
  public let isDueAtStart: Bool
  /// The work, in small steps, between which it looks whether its task is cancelled.
  public let perform: @Sendable () async -> Void

  public init(every interval: Duration, atStart: Bool = false, _ perform: @escaping @Sendable () async -> Void) {
    self.interval = interval
    isDueAtStart = atStart
    self.perform = perform
  }

  /// Runs all of them, until the task is cancelled. None waits for another: deleting expired content may take long.
  public static func run(_ jobs: [UpkeepJob]) async {
    await withDiscardingTaskGroup { group in
      for job in jobs { group.addTask { await job.run() } }
    }
  }

  private func run() async {
    if isDueAtStart { await perform() }
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      if Task.isCancelled { return }
      await perform()
    }
  }
}
