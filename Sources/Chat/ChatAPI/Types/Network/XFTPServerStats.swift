import SimplexJSON

/// Statistics of file servers.
public struct XFTPServersSummary: JSONCodable, Hashable, Sendable {
  /// Totals of all servers.
  public var xftpTotals: XFTPTotals
  /// Servers in use.
  public var currentlyUsedXFTPServers: [XFTPServerSummary]
  /// Servers no longer in use.
  public var previouslyUsedXFTPServers: [XFTPServerSummary]
}

/// Totals of file servers.
public struct XFTPTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Counts since the statistics began.
  public var stats: AgentXFTPServerStatsData
}

/// Statistics of a file server.
public struct XFTPServerSummary: JSONCodable, Hashable, Sendable {
  /// Address of the server.
  public var xftpServer: String
  /// Whether the server is one of the user's.
  public var known: Bool?
  /// Connections to the server.
  public var sessions: ServerSessions?
  /// Counts since the statistics began.
  public var stats: AgentXFTPServerStatsData?
  /// Whether files are being received.
  public var rcvInProgress: Bool
  /// Whether files are being sent.
  public var sndInProgress: Bool
  /// Whether files are being deleted.
  public var delInProgress: Bool
}

/// Counts of work with a file server.
public struct AgentXFTPServerStatsData: JSONCodable, Hashable, Sendable {
  /// Uploaded chunks.
  public var _uploads: Int
  /// Uploaded kilobytes.
  public var _uploadsSize: Int64
  /// Attempts to upload.
  public var _uploadAttempts: Int
  /// Errors of uploading.
  public var _uploadErrs: Int
  /// Downloaded chunks.
  public var _downloads: Int
  /// Downloaded kilobytes.
  public var _downloadsSize: Int64
  /// Attempts to download.
  public var _downloadAttempts: Int
  /// Downloads of chunks no longer there.
  public var _downloadAuthErrs: Int
  /// Other errors of downloading.
  public var _downloadErrs: Int
  /// Deleted chunks.
  public var _deletions: Int
  /// Attempts to delete.
  public var _deleteAttempts: Int
  /// Errors of deleting.
  public var _deleteErrs: Int
}
