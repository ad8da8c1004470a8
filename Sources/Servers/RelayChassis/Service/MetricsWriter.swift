import FileAccess

/// Writes the current figures in the text format of Prometheus, under the names of the reference server, so that the
/// same dashboards work.
public protocol MetricsWriter: Sendable {
  /// The file.
  var path: String { get }
  /// Seconds between writing it.
  var interval: Int64 { get }

  /// The figures now, as ``MetricsText``.
  func text() async throws -> String
}

extension MetricsWriter {
  /// Runs until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(interval))
      // A failure shows in the age of the file.
      guard let text = try? await text() else { continue }
      try? WholeFile.replace(path, with: text.utf8)
    }
  }
}
