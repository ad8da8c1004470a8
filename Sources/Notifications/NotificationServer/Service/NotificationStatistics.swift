import NotificationServerCore
import NotificationStore
import RelayChassis

/// The daily statistics: counts of the whole server, nothing about any device.
struct NotificationStatisticsLog: DailyLog {
  let hub: ServerHub
  let path: String

  var counts: EventCounts<NotificationEvent> { hub.counts }

  /// The columns of the reference server's log: tokens are those that were used in a day, a week and a month;
  /// subscriptions are not counted by time, so their three columns are empty.
  func line(of day: Int64) async throws -> String {
    let firstOfMonth = CalendarDay.firstOfMonth(day)
    let active = try await hub.store.perform { (records) throws(NotificationStoreError) in
      (
        day: try records.usedTokens(since: day), week: try records.usedTokens(since: day - 6),
        month: try records.usedTokens(since: firstOfMonth)
      )
    }
    let events = counts.reset()
    let count = { (event: NotificationEvent) in String(events[event] ?? 0) }
    var fields = [CalendarDay.text(day)]
    fields += [
      NotificationEvent.tokenCreated, .tokenVerified, .tokenDeleted, .subscriptionCreated, .subscriptionDeleted,
      .received, .delivered,
    ].map(count)
    fields += [
      String(active.day), CalendarDay.endsWeek(day) ? String(active.week) : "",
      CalendarDay.endsMonth(day) ? String(active.month) : "", "", "", "",
    ]
    fields += [
      NotificationEvent.tokenReplaced, .failed, .checkDelivered, .checkFailed, .verificationQueued,
      .verificationDelivered, .verificationFailed, .verificationInvalidToken,
    ].map(count)
    return fields.joined(separator: ",") + "\n"
  }
}

/// The current figures for Prometheus.
struct NotificationMetrics: MetricsSource {
  let server: PushServer

  var prefix: String { "simplex_ntf_" }

  func metrics() async throws -> [Metric] {
    let hub = server.hub
    let counters: [(String, String, NotificationEvent)] = [
      ("tokens_created", "Created tokens", .tokenCreated),
      ("tokens_verified", "Verified tokens", .tokenVerified),
      ("tokens_deleted", "Deleted tokens", .tokenDeleted),
      ("tokens_replaced", "Replaced tokens", .tokenReplaced),
      ("subscriptions_created", "Created subscriptions", .subscriptionCreated),
      ("subscriptions_deleted", "Deleted subscriptions", .subscriptionDeleted),
      ("notifications_received", "Received notifications", .received),
      ("notifications_received_auth", "Received notifications without active token", .receivedAuth),
      ("notifications_delivered", "Delivered pushes with notifications", .delivered),
      ("notifications_failed", "Refused pushes with notifications", .failed),
      ("notifications_periodic_delivered", "Delivered periodic pushes", .checkDelivered),
      ("notifications_periodic_failed", "Refused periodic pushes", .checkFailed),
      ("notifications_verification_queued", "Codes to push", .verificationQueued),
      ("notifications_verification_delivered", "Delivered codes", .verificationDelivered),
      ("notifications_verification_failed", "Codes that were not pushed", .verificationFailed),
      ("notifications_verification_invalid_tkn", "Codes for invalid tokens", .verificationInvalidToken),
    ]
    let usage = try await server.usage()
    let relays = await hub.subscriber.relayCounts
    let pushes = await hub.pusher.load
    let gauges: [(String, String, Int)] = [
      ("tokens_total", "Tokens", usage.tokens),
      ("subscriptions_approx_total", "Subscriptions", usage.subscriptions),
      ("notifications_total", "Stored notifications", usage.notifications),
      ("smp_agent_clients_total", "Clients of relays", relays.known),
      ("smp_sessions_count", "Connections to relays", relays.connected),
      ("apns_push_queue_length", "Tokens with a push that waits", pushes.waiting),
    ]
    let own: [(String, String, NotificationEvent)] = [
      ("notifications_received_own", "Received notifications of own relays", .received),
      ("notifications_received_auth_own", "The same without active token", .receivedAuth),
    ]
    return counters.map { Metric($0.0, help: $0.1, isCounter: true, value: Int64(hub.counts.value($0.2))) }
      + own.map { Metric($0.0, help: $0.1, isCounter: true, value: Int64(hub.ownCounts.value($0.2))) }
      + gauges.map { Metric($0.0, help: $0.1, isCounter: false, value: Int64($0.2)) } + hub.storeHealth.metrics
  }
}
