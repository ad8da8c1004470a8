import SMPServerCore
import WireCodec

/// Adds a line to the daily statistics at midnight (UTC): only counts of the whole relay, nothing of any queue.
struct StatisticsLog {
  let relay: Relay
  let path: String

  /// Runs until the task is cancelled.
  func run() async {
    var day = currentDay()
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(30))
      guard currentDay() > day else { continue }
      // The next attempt is tomorrow's: a full disk must not stop the relay.
      try? TextFile.append(line(of: day), to: path)
      day = currentDay()
    }
  }

  /// The columns of the reference server's log up to `qDeletedSecured`; counts of active queues are not kept and 0.
  func line(of day: Int64) -> String {
    let events = relay.statistics.reset()
    let count = { (event: ServerEvent) in String(events[event] ?? 0) }
    let stored = (try? relay.store.counts()) ?? StoreCounts()
    let deleted = (events[.queueDeletedNew] ?? 0) + (events[.queueDeletedSecured] ?? 0)
    let date = UTCTime(seconds: day * 86_400)?.description.prefix(10) ?? ""
    let fields: [String] = [
      String(date), count(.queueCreated), count(.queueSecured), String(deleted), count(.messageSent),
      count(.messageReceived), "0", "0", "0", count(.messageSentNotified), count(.messageReceivedNotified), "0", "0",
      "0", String(stored.queues), String(stored.messages), count(.messageExpired), count(.queueDeletedNew),
      count(.queueDeletedSecured),
    ]
    return fields.joined(separator: ",") + "\n"
  }
}
