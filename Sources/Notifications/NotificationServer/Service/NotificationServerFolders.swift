import RelayChassis

/// The files of a notification server.
public struct NotificationServerFolders: RelayFolders {
  /// What the names of its files begin with.
  public static let filePrefix = "ntf-server"
  /// The folder of certificates and the ini file.
  public let configuration: String
  /// The folder of the database, statistics and metrics.
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }
}
