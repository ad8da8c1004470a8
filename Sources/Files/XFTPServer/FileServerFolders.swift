import RelayChassis

/// The files of a file relay, except the chunks.
public struct FileServerFolders: RelayFolders {
  /// What the names of its files begin with.
  public static let filePrefix = "file-server"
  /// The folder of certificates and the ini file.
  public let configuration: String
  /// The folder of the database, statistics and metrics.
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// The log of the reference server's store.
  public var referenceLog: ReferenceLog { ReferenceLog(data + "/file-server-store.log", databaseFile: databaseFile) }
}
