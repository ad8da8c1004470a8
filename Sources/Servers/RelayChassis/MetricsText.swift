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

/// The text format of Prometheus.
public enum MetricsText {
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
