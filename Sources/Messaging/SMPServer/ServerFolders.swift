import RelayChassis

/// The files of a relay.
public struct ServerFolders: RelayFolders {
  public static let filePrefix = "smp-server"
  public let configuration: String
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// Waiting notifications while the relay is stopped.
  public var notificationsFile: String { data + "/smp-server-notifications.txt" }
}
