import SMPServerCore

/// Writes the current figures in the text form of Prometheus.
struct MetricsFile {
  let server: RelayServer
  let path: String
  let interval: Int64

  /// Runs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(interval))
      // A failure is visible: the file gets old.
      try? TextFile.write(text(), to: path)
    }
  }

  func text() -> String {
    var lines: [String] = []
    let gauges = Gauges(server)
    func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
      lines += [
        "# HELP simplex_smp_\(name) \(help)", "# TYPE simplex_smp_\(name) \(type)", "simplex_smp_\(name) \(value)",
      ]
    }
    for event in ServerEvent.allCases {
      add("\(event.metricName)_total", "counter", event.metricName, server.statistics.value(event))
    }
    add("queues", "gauge", "Stored queues", gauges.stored.queues)
    add("messages", "gauge", "Messages that wait", gauges.stored.messages)
    add("notifiers", "gauge", "Queues with a notifier", gauges.stored.notifiers)
    add("services", "gauge", "Known services", gauges.stored.services)
    add("connections", "gauge", "Open connections", gauges.connections)
    add("subscriptions", "gauge", "Subscribed queues", gauges.subscriptions)
    add("notifier_subscriptions", "gauge", "Queues subscribed by notifiers", gauges.notifierSubscriptions)
    add("notifications", "gauge", "Notifications that wait", gauges.notifications)
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Figures of a moment.
struct Gauges {
  let stored: StoreCounts
  let connections: Int
  let subscriptions: Int
  let notifierSubscriptions: Int
  let notifications: Int

  init(_ server: RelayServer) {
    stored = (try? server.relay.store.counts()) ?? StoreCounts()
    connections = server.connectionCounts.reduce(0) { $0 + $1.open }
    subscriptions = server.relay.withShards { $0.subscriptionCount }.reduce(0, +)
    notifierSubscriptions = server.relay.withShards { $0.notifierCount }.reduce(0, +)
    notifications = server.relay.withShards { $0.notificationCount }.reduce(0, +)
  }
}

extension ServerEvent {
  /// The name in words with underscores.
  var metricName: String {
    "\(self)".reduce(into: "") { name, character in
      name += character.isUppercase ? "_" + character.lowercased() : String(character)
    }
  }
}
