import SimplexJSON

/// Statistics of file servers.
public struct XFTPServersSummary: JSONCodable, Hashable, Sendable {
  /// Totals of all servers.
  public var xftpTotals: XFTPTotals
  /// Servers in use.
  public var currentlyUsedXFTPServers: [XFTPServerSummary]
  /// Servers no longer in use.
  public var previouslyUsedXFTPServers: [XFTPServerSummary]

  /// A value of its members.
  public init(
    xftpTotals: XFTPTotals, currentlyUsedXFTPServers: [XFTPServerSummary],
    previouslyUsedXFTPServers: [XFTPServerSummary]
  ) {
    self.xftpTotals = xftpTotals
    self.currentlyUsedXFTPServers = currentlyUsedXFTPServers
    self.previouslyUsedXFTPServers = previouslyUsedXFTPServers
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    xftpTotals = try fields.get("xftpTotals")
    currentlyUsedXFTPServers = try fields.get("currentlyUsedXFTPServers")
    previouslyUsedXFTPServers = try fields.get("previouslyUsedXFTPServers")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("xftpTotals", xftpTotals)
    json.field("currentlyUsedXFTPServers", currentlyUsedXFTPServers)
    json.field("previouslyUsedXFTPServers", previouslyUsedXFTPServers)
    json.endObject()
  }
}

/// Totals of file servers.
public struct XFTPTotals: JSONCodable, Hashable, Sendable {
  /// Connections to the servers.
  public var sessions: ServerSessions
  /// Counts since the statistics began.
  public var stats: AgentXFTPServerStatsData

  /// A value of its members.
  public init(
    sessions: ServerSessions, stats: AgentXFTPServerStatsData
  ) {
    self.sessions = sessions
    self.stats = stats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    sessions = try fields.get("sessions")
    stats = try fields.get("stats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("sessions", sessions)
    json.field("stats", stats)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    xftpServer: String, known: Bool? = nil, sessions: ServerSessions? = nil, stats: AgentXFTPServerStatsData? = nil,
    rcvInProgress: Bool, sndInProgress: Bool, delInProgress: Bool
  ) {
    self.xftpServer = xftpServer
    self.known = known
    self.sessions = sessions
    self.stats = stats
    self.rcvInProgress = rcvInProgress
    self.sndInProgress = sndInProgress
    self.delInProgress = delInProgress
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    xftpServer = try fields.get("xftpServer")
    known = try fields.get("known")
    sessions = try fields.get("sessions")
    stats = try fields.get("stats")
    rcvInProgress = try fields.get("rcvInProgress")
    sndInProgress = try fields.get("sndInProgress")
    delInProgress = try fields.get("delInProgress")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("xftpServer", xftpServer)
    json.field("known", known)
    json.field("sessions", sessions)
    json.field("stats", stats)
    json.field("rcvInProgress", rcvInProgress)
    json.field("sndInProgress", sndInProgress)
    json.field("delInProgress", delInProgress)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    _uploads: Int, _uploadsSize: Int64, _uploadAttempts: Int, _uploadErrs: Int, _downloads: Int, _downloadsSize: Int64,
    _downloadAttempts: Int, _downloadAuthErrs: Int, _downloadErrs: Int, _deletions: Int, _deleteAttempts: Int,
    _deleteErrs: Int
  ) {
    self._uploads = _uploads
    self._uploadsSize = _uploadsSize
    self._uploadAttempts = _uploadAttempts
    self._uploadErrs = _uploadErrs
    self._downloads = _downloads
    self._downloadsSize = _downloadsSize
    self._downloadAttempts = _downloadAttempts
    self._downloadAuthErrs = _downloadAuthErrs
    self._downloadErrs = _downloadErrs
    self._deletions = _deletions
    self._deleteAttempts = _deleteAttempts
    self._deleteErrs = _deleteErrs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    _uploads = try fields.get("_uploads")
    _uploadsSize = try fields.get("_uploadsSize")
    _uploadAttempts = try fields.get("_uploadAttempts")
    _uploadErrs = try fields.get("_uploadErrs")
    _downloads = try fields.get("_downloads")
    _downloadsSize = try fields.get("_downloadsSize")
    _downloadAttempts = try fields.get("_downloadAttempts")
    _downloadAuthErrs = try fields.get("_downloadAuthErrs")
    _downloadErrs = try fields.get("_downloadErrs")
    _deletions = try fields.get("_deletions")
    _deleteAttempts = try fields.get("_deleteAttempts")
    _deleteErrs = try fields.get("_deleteErrs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("_uploads", _uploads)
    json.field("_uploadsSize", _uploadsSize)
    json.field("_uploadAttempts", _uploadAttempts)
    json.field("_uploadErrs", _uploadErrs)
    json.field("_downloads", _downloads)
    json.field("_downloadsSize", _downloadsSize)
    json.field("_downloadAttempts", _downloadAttempts)
    json.field("_downloadAuthErrs", _downloadAuthErrs)
    json.field("_downloadErrs", _downloadErrs)
    json.field("_deletions", _deletions)
    json.field("_deleteAttempts", _deleteAttempts)
    json.field("_deleteErrs", _deleteErrs)
    json.endObject()
  }
}
