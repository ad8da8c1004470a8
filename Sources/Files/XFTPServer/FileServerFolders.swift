import SimplexTransport

/// The files of a file relay, except the chunks.
public struct FileServerFolders: Hashable, Sendable {
  /// Certificates and the ini file.
  public let configuration: String
  /// The database, statistics and metrics.
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// The settings.
  public var iniFile: String { configuration + "/file-server.ini" }
  /// Certificates and keys.
  public var certificates: RelayCertificates { RelayCertificates(folder: configuration) }
  /// What is known about chunks.
  public var databaseFile: String { data + "/file-server.db" }
  /// One line of statistics per day.
  public var statisticsFile: String { data + "/file-server-stats.daily.log" }
  /// The counts of the day while the relay is stopped.
  public var countsFile: String { data + "/file-server-stats.counts.txt" }
  /// The current figures, for Prometheus.
  public var metricsFile: String { data + "/file-server-metrics.txt" }
  /// The log of the reference server's store.
  public var referenceLog: String { data + "/file-server-store.log" }
}
