import FileAccess

/// The figures of a relay, under the names of the reference server, so that the same dashboards work.
public protocol MetricsSource: Sendable {
  /// The beginning of the names, such as `simplex_smp_`.
  var prefix: String { get }

  /// The figures now.
  func metrics() async throws -> [Metric]
}

extension MetricsSource {
  /// The figures in the text format of Prometheus, with the names of the reference server.
  public func text() async throws -> String { MetricsText.text(of: try await metrics(), prefix: prefix) }
}

/// Writes the figures to a file.
struct MetricsWriter: Sendable {
  /// The figures.
  let source: any MetricsSource
  /// The file.
  let path: String
  /// Seconds between writing it.
  let interval: Int64

  /// Runs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(interval))
      // A failure shows in the age of the file.
      guard let text = try? await source.text() else { continue }
      try? WholeFile.replace(path, with: text.utf8)
    }
  }
}
