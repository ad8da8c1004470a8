import QueueStore
import RelayChassis
import SMPServerCore

/// The current figures for Prometheus. Figures that we do not count are left out.
struct ServerMetrics: MetricsSource {
  let server: RelayServer

  var prefix: String { "simplex_smp_" }

  func metrics() async -> [Metric] {
    let health = server.relay.storeHealth
    let stored: StoreCounts?
    do { stored = try await server.relay.store.counts() } catch { stored = nil }
    // Where the store cannot be read, what it contains is left out: zeros would look like a lost store.
    let present = stored.map { gauges(Gauges(server, stored: $0)) } ?? []
    return counters + health.metrics + present
  }

  // MARK: What is counted

  private var counters: [Metric] {
    let count = { (event: ServerEvent) in Int64(server.statistics.value(event)) }
    let counter = { (name: String, help: String, event: ServerEvent) in
      Metric(name, help: help, isCounter: true, value: count(event))
    }
    let typed = { (name: String, help: String, events: KeyValuePairs<String, ServerEvent>) in
      events.map { Metric(name, help: help, labels: [("type", $0.key)], isCounter: true, value: count($0.value)) }
    }
    let deleted = count(.queueDeletedNew) + count(.queueDeletedSecured)
    var metrics = [
      counter("queues_created", "Created queues", .queueCreated),
      counter("queues_secured", "Secured queues", .queueSecured),
      Metric("queues_deleted", help: "Deleted queues", labels: [("type", "all")], isCounter: true, value: deleted),
    ]
    metrics += typed("queues_deleted", "Deleted queues", ["new": .queueDeletedNew, "secured": .queueDeletedSecured])
    metrics += [
      counter("subscribtion_successes", "Subscriptions", .subscribed),
      counter("queues_deleted_batch", "Blocks with commands to delete queues", .queueDeletedBatch),
      counter("subscribtion_successes_batch", "Blocks with subscriptions", .subscribedBatch),
      counter("subscribtion_end", "Subscriptions that ended", .subscriptionEnded),
      counter("subscribtion_end_batch", "Blocks that ended subscriptions", .subscriptionEndedBatch),
    ]
    metrics += typed(
      "subscribtion_errors", "Subscriptions that were refused or repeated",
      ["auth": .subscribedUnauthorized, "duplicate": .subscribedAgain, "prohibited": .subscribedProhibited])
    metrics.append(counter("messages_sent", "Messages that senders sent", .messageSent))
    metrics += typed(
      "messages_sent_errors", "Messages that were refused",
      ["auth": .messageSentUnauthorized, "quota": .messageSentQuota, "large": .messageSentLarge])
    metrics += [
      counter("messages_received", "Messages that recipients acknowledged", .messageReceived),
      counter("messages_expired", "Messages that expired before they were received", .messageExpired),
      counter("messages_notify_sent", "Messages with notification that were sent", .messageSentNotified),
      counter("messages_notify_received", "Messages with notification that were received", .messageReceivedNotified),
      counter("messages_notify_get_sent", "Messages read with GET", .messageRead),
      counter("messages_notify_get_received", "Messages read with GET and acknowledged", .messageReceivedByReading),
    ]
    metrics += typed(
      "messages_notify_get_errors", "GET without a message",
      [
        "nomsg": .messageReadNone, "auth": .messageReadUnauthorized, "duplicate": .messageReadAgain,
        "prohibited": .messageReadProhibited,
      ])
    metrics += [
      counter("queues_notify_created", "Created notifiers", .notifierCreated),
      counter("queues_notify_deleted", "Deleted notifiers", .notifierDeleted),
      counter("queues_notify_deleted_batch", "Blocks with commands to delete notifiers", .notifierDeletedBatch),
      counter("messages_ntf_successes", "Notifications that were sent", .notificationSent),
      counter("messages_ntf_successes_batch", "Blocks with notifications", .notificationSentBatch),
    ]
    metrics += typed(
      "messages_ntf_errors", "Notifications that were not sent",
      ["lost": .notificationLost, "expired": .notificationExpired])
    metrics += [
      counter("subscription_ntf_requests", "Subscriptions of notifiers", .notifierSubscribed),
      counter("subscription_ntf_requests_batch", "Blocks with subscriptions of notifiers", .notifierSubscribedBatch),
    ]
    metrics += typed(
      "subscribtion_ntf_errors", "Subscriptions of notifiers that were refused or repeated",
      ["auth": .notifierSubscribedUnauthorized, "duplicate": .notifierSubscribedAgain])
    for (prefix, side) in [("rcv", ServiceSide.recipients), ("ntf", .notifiers)] {
      let events = ServiceEvents.of(side)
      metrics += [
        ("assoc_new", "Queues associated with a service", events.joined),
        ("assoc_duplicate", "Queues that a service subscribed to again", events.again),
        ("assoc_updated", "Queues associated with another service", events.moved),
        ("assoc_removed", "Queues removed from a service", events.left),
        ("sub_count", "Services that subscribed to a queue", events.subscribed),
        ("sub_queues", "Queues that services subscribed to", events.queues),
        ("sub_end", "Services that another connection took over", events.ended),
        ("sub_ok", "Services whose queues matched the expected set", events.same),
        ("sub_more", "Services with more queues than expected", events.more),
        ("sub_fewer", "Services with fewer queues than expected", events.fewer),
        ("sub_diff", "Services with other queues than expected", events.others),
        ("sub_more_total", "Queues that services did not expect", events.moreQueues),
        ("sub_fewer_total", "Queues that services missed", events.fewerQueues),
      ].map { counter("\(prefix)_services_\($0.0)", $0.1, $0.2) }
    }
    return metrics + proxying("relay_sessions", all: .relays, own: .ownRelays)
      + proxying("relay_messages", all: .forwards, own: .ownForwards)
      + [
        counter("relay_messages_received", "Messages that proxies forwarded", .forwardedReceived),
        counter("names_reqs", "Requests to resolve names", .nameRequested),
        counter("names_disabled", "Requests to resolve names without a resolver", .nameWithoutResolver),
      ]
  }

  private func proxying(_ name: String, all: ProxyEvents, own: ProxyEvents) -> [Metric] {
    let sources = [("all", all), ("own", own)]
    let metrics = { (name: String, help: String, type: String?, event: KeyPath<ProxyEvents, ServerEvent>) in
      sources.map { source, events in
        let labels = [("source", source)] + (type.map { [("type", $0)] } ?? [])
        return Metric(
          name, help: help, labels: labels, isCounter: true,
          value: Int64(server.statistics.value(events[keyPath: event])))
      }
    }
    let errors = "Failed requests to other servers"
    return metrics("\(name)_requests", "Requests to other servers", nil, \.requests)
      + metrics("\(name)_successes", "Successful requests to other servers", nil, \.successes)
      + metrics("\(name)_errors", errors, "connect", \.connectErrors)
      + metrics("\(name)_errors", errors, "compat", \.compatibilityErrors)
      + metrics("\(name)_errors", errors, "other", \.otherErrors)
  }

  // MARK: What there is

  private func gauges(_ now: Gauges) -> [Metric] {
    let gauge = { (name: String, help: String, value: Int64) in Metric(name, help: help, isCounter: false, value: value)
    }
    var metrics = [
      gauge("queues_total1", "Stored queues", Int64(now.stored.queues)),
      gauge("queues_total2", "Stored queues", Int64(now.stored.queues)),
      gauge("messages_total", "Stored messages", Int64(now.stored.messages)),
      gauge("queues_notify_total1", "Queues with a notifier", Int64(now.stored.notifiers)),
      gauge("queues_notify_total2", "Queues with a notifier", Int64(now.stored.notifiers)),
      gauge("subscribtion_total", "Subscribed queues", Int64(now.subscriptions)),
      gauge("subscription_ntf_total", "Queues subscribed by notifiers", Int64(now.notifierSubscriptions)),
      gauge("clients_total", "Open connections", Int64(now.connections)),
    ]
    for (name, period, start) in activityPeriods {
      let counts = server.relay.withShards { $0.activity.counts(since: start) }
      let (active, notified) = counts.reduce((0, 0)) { ($0.0 + $1.active, $0.1 + $1.notified) }
      metrics.append(gauge("queues_\(name)", "Queues with messages \(period)", Int64(active)))
      metrics.append(gauge("queues_notify_\(name)", "Queues with notifications \(period)", Int64(notified)))
    }
    for (prefix, side, subscribed) in [
      ("rcv", ServiceSide.recipients, ("subscribtion_services", "subscribtion_service_subs")),
      ("ntf", .notifiers, ("subscribtion_nts_services", "subscription_ntf_service_subs")),
    ] {
      let stored = side == .recipients ? now.stored.recipientServices : now.stored.notifierServices
      let (services, queues) = server.relay.services.withLock { $0.counts(of: side) }
      metrics += [
        gauge("\(prefix)_services_count", "Known services", Int64(stored.services)),
        gauge("\(prefix)_services_queues_count", "Queues of services", Int64(stored.queues)),
        gauge("\(subscribed.0)_total", "Subscribed services", Int64(services)),
        gauge("\(subscribed.1)_total", "Queues subscribed by services", queues),
      ]
    }
    for (port, counts) in zip(server.ports, server.connectionCounts) {
      for (name, count) in [
        ("accepted", counts.accepted), ("closed", counts.accepted - counts.open), ("active", counts.open),
      ] {
        metrics.append(
          Metric(
            "sockets_\(name)", help: "Sockets", labels: [("port", String(port))], isCounter: false, value: Int64(count))
        )
      }
    }
    return metrics.sorted { $0.name < $1.name }
  }

  /// Today, the last seven days, and the month; nothing older is kept.
  private var activityPeriods: [(name: String, period: String, start: Int64)] {
    let today = currentDay()
    return [
      ("daily", "today", today), ("weekly", "in the last 7 days", today - 6),
      ("monthly", "this month", min(today, CalendarDay.firstOfMonth(today))),
    ]
  }
}

/// A snapshot of figures.
struct Gauges {
  let stored: StoreCounts
  let connections: Int
  let subscriptions: Int
  let notifierSubscriptions: Int
  let notifications: Int

  /// The figures now, with what is stored.
  init(_ server: RelayServer, stored: StoreCounts) {
    self.stored = stored
    connections = server.connectionCounts.reduce(0) { $0 + $1.open }
    subscriptions = server.relay.withShards { $0.subscriptionCount }.reduce(0, +)
    notifierSubscriptions = server.relay.withShards { $0.notifierCount }.reduce(0, +)
    notifications = server.relay.withShards { $0.notificationCount }.reduce(0, +)
  }
}
