import RelayChassis

/// The files of a file relay, except the chunks.
public struct FileServerFolders: RelayFolders {
  public static let filePrefix = "file-server"
  public let configuration: String
  public let data: String

  public init(configuration: String, data: String) {
    self.configuration = configuration
    self.data = data
  }

  /// The log of the reference server's store.
  public var referenceLog: String { data + "/file-server-store.log" }
}
