import SimplexTransport

/// The files of a relay.
public struct ServerFolders: Hashable, Sendable {
  /// Certificates and the ini file.
  public let configuration: String
  /// The database, statistics and metrics.
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// The settings.
  public var iniFile: String { configuration + "/smp-server.ini" }
  /// Certificates and keys.
  public var certificates: RelayCertificates { RelayCertificates(folder: configuration) }
  /// The queues and messages.
  public var databaseFile: String { data + "/smp-server.db" }
  /// Waiting notifications while the relay is stopped.
  public var notificationsFile: String { data + "/smp-server-notifications.txt" }
  /// One line of statistics per day.
  public var statisticsFile: String { data + "/smp-server-stats.daily.log" }
  /// The counts of the day while the relay is stopped.
  public var countsFile: String { data + "/smp-server-stats.counts.txt" }
  /// The current figures, for Prometheus.
  public var metricsFile: String { data + "/smp-server-metrics.txt" }
}
