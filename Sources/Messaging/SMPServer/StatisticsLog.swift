import QueueStore
import RelayChassis
import SMPServerCore

/// The daily statistics: nothing about any queue.
struct StatisticsLog: DailyLog {
  let relay: Relay
  let path: String

  var counts: ServerStatistics { relay.statistics }

  /// The columns of the reference server's log. Columns that it no longer counts itself are 0, and so are resolved
  /// names, names not found, and failures of a resolver. Resets the counters.
  ///
  /// - Throws: where the totals cannot be read; then the counters are not reset.
  func line(of day: Int64) async throws -> String {
    let stored = try await relay.store.counts()
    let events = relay.statistics.reset()
    let count = { (event: ServerEvent) in String(events[event] ?? 0) }
    let waiting = relay.withShards { $0.notificationCount }.reduce(0, +)
    let deleted = (events[.queueDeletedNew] ?? 0) + (events[.queueDeletedSecured] ?? 0)
    let active = activeQueues(of: day)
    let proxying = [ProxyEvents.relays, .ownRelays, .forwards, .ownForwards].flatMap(\.all)
    let fields: [String] =
      [CalendarDay.text(day), count(.queueCreated), count(.queueSecured), String(deleted), count(.messageSent)]
      + [count(.messageReceived)] + active.map(\.active)
      + [count(.messageSentNotified), count(.messageReceivedNotified)] + active.map(\.notified)
      + [String(stored.queues), String(stored.messages), count(.messageExpired)]
      + [count(.queueDeletedNew), count(.queueDeletedSecured)]
      + proxying.map(count)
      + [
        .forwardedReceived, .subscribed, .subscribedUnauthorized, .subscribedAgain, .subscribedProhibited,
        .messageSentUnauthorized, .messageSentQuota, .messageSentLarge, .notificationSent,
      ].map(count)
      + ["0", count(.notificationLost), "0"]
      + [
        .messageReceivedByReading, .messageRead, .messageReadNone, .messageReadUnauthorized, .messageReadAgain,
        .messageReadProhibited,
      ].map(count)
      + ["0", "0", "0", String(stored.queues)]
      + [
        .notifierCreated, .notifierDeleted, .notifierSubscribed, .notifierSubscribedUnauthorized,
        .notifierSubscribedAgain,
      ].map(count)
      + [String(stored.notifiers)]
      + [
        .queueDeletedBatch, .subscribedBatch, .subscriptionEnded, .subscriptionEndedBatch, .notifierDeletedBatch,
        .notifierSubscribedBatch, .notificationSentBatch, .notificationExpired,
      ].map(count)
      + [String(waiting)]
      + [
        stored.recipientServices.services, stored.notifierServices.services, stored.recipientServices.queues,
        stored.notifierServices.queues,
      ].map(String.init)
      + [ServiceSide.recipients, .notifiers].flatMap { services(.of($0), count) }
      + [count(.nameRequested), "0", "0", "0", count(.nameWithoutResolver)]
    return fields.joined(separator: ",") + "\n"
  }

  /// The counts of services. Repeated subscriptions, for which the reference server has a column, do not occur.
  private func services(_ events: ServiceEvents, _ count: (ServerEvent) -> String) -> [String] {
    [events.joined, events.again, events.moved, events.left, events.subscribed].map(count) + ["0"]
      + [events.queues, events.ended].map(count)
  }

  /// The numbers of queues active on the day, and, at the end of a week or a month, in that; empty otherwise.
  private func activeQueues(of day: Int64) -> [(active: String, notified: String)] {
    let periods: [Int64?] = [
      day, CalendarDay.endsWeek(day) ? day - 6 : nil,
      CalendarDay.endsMonth(day) ? CalendarDay.firstOfMonth(day) : nil,
    ]
    let counts = periods.map { first -> (String, String) in
      guard let first else { return ("", "") }
      let counts = relay.withShards { $0.activity.counts(since: first) }
      return (String(counts.reduce(0) { $0 + $1.active }), String(counts.reduce(0) { $0 + $1.notified }))
    }
    // Weeks and months that continue tomorrow.
    let oldest = min(CalendarDay.firstOfMonth(day + 1), day - 6)
    _ = relay.withShards { $0.forgetActivity(before: oldest) }
    return counts.map { (active: $0.0, notified: $0.1) }
  }
}
