import RelayChassis

/// The files of a relay.
public struct ServerFolders: RelayFolders {
  /// What the names of its files begin with.
  public static let filePrefix = "smp-server"
  /// The folder of certificates and the ini file.
  public let configuration: String
  /// The folder of the database, statistics and metrics.
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// Waiting notifications while the relay is stopped.
  public var notificationsFile: String { data + "/smp-server-notifications.txt" }
}
