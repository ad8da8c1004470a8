/// A figure in the text format of Prometheus.
public struct Metric: Hashable, Sendable {
  /// The name without the prefix of the program.
  public let name: String
  /// The labels as text; empty where there are none.
  public let labels: String
  /// The description.
  public let help: String
  /// Whether it only grows, until a restart.
  public let isCounter: Bool
  /// The value.
  public let value: Int64

  /// A figure, with labels in order.
  public init(_ name: String, help: String, labels: [(String, String)] = [], isCounter: Bool, value: Int64) {
    self.name = name
    let pairs = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    self.labels = pairs.isEmpty ? "" : "{\(pairs)}"
    self.help = help
    self.isCounter = isCounter
    self.value = value
  }
}

extension Metric {
  /// The figure under a name by the conventions of Prometheus: those of counters end in `_total`, those of others
  /// neither so nor in `_count`, and sizes name their unit. Nil for a second name of the same figure.
  var standard: Metric? {
    var name = name.replacing("subscribtion", with: "subscription").replacing("_nts_", with: "_ntf_")
    if isCounter {
      // A counter whose name ends in _total already counts queues.
      if name.hasSuffix("_total") { name = name.dropLast("_total".count) + "_queues" }
      name += "_total"
    } else {
      if name.hasSuffix("_total2") { return nil }
      for end in ["_total", "_total1", "_count"] where name.hasSuffix(end) { name = String(name.dropLast(end.count)) }
      if name.hasSuffix("_size") { name += "_bytes" }
    }
    return Metric(name: name, labels: labels, help: help, isCounter: isCounter, value: value)
  }

  private init(name: String, labels: String, help: String, isCounter: Bool, value: Int64) {
    (self.name, self.labels, self.help, self.isCounter, self.value) = (name, labels, help, isCounter, value)
  }
}

/// The text format of Prometheus.
public enum MetricsText {
  /// The text of figures under names by the conventions of Prometheus, for `promtool check metrics`.
  public static func standardText(of metrics: [Metric], prefix: String) -> String {
    text(of: metrics.compactMap(\.standard), prefix: prefix)
  }

  /// The text of figures, whose names begin with `prefix`. Figures of one name, with different labels, follow each
  /// other.
  public static func text(of metrics: [Metric], prefix: String) -> String {
    var lines: [String] = []
    var described: Set<String> = []
    for metric in metrics {
      let name = prefix + metric.name
      if described.insert(name).inserted {
        lines += ["# HELP \(name) \(metric.help)", "# TYPE \(name) \(metric.isCounter ? "counter" : "gauge")"]
      }
      lines.append("\(name)\(metric.labels) \(metric.value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
