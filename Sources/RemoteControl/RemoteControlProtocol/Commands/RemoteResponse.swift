import SimplexJSON

/// A response of the host. Source: the reference's type `RemoteResponse`; always a tagged object in JSON.
public enum RemoteResponse: Hashable, Sendable {
  /// The result of a command.
  case chatResponse(RemoteResult)
  /// The next event; nil if there was none in time.
  case chatEvent(RemoteResult?)
  /// A file was stored under this path: a bare name if the host has a folder for files.
  case fileStored(path: String)
  /// The file that follows the frame.
  case file(size: UInt32, digest: FileDigest)
  /// The command was not understood, or its file was not received.
  case protocolError(FrameError)
}

/// A value of the host's API or an error, as JSON in the host's spelling of sums (``HostAppInfo/Encoding``). It is not
/// interpreted.
public enum RemoteResult: Hashable, Sendable {
  /// A response or an event.
  case result(json: String)
  /// An error of the API.
  case error(json: String)
}

extension RemoteResult: JSONDecodable, JSONEncodable {
  /// Reads the member `result` or `error`.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    if fields.has("result") {
      self = .result(json: try fields.node("result").sourceText)
    } else {
      self = .error(json: try fields.node("error").sourceText)
    }
  }

  /// Writes the one member.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    switch self {
    case .result(let text):
      json.key("result")
      json.verbatim(text)
    case .error(let text):
      json.key("error")
      json.verbatim(text)
    }
    json.endObject()
  }
}

extension RemoteResponse {
  /// The response in the content of a frame.
  /// - Throws: `invalidJSON`.
  public init(content json: [UInt8]) throws(FrameError) {
    do throws(JSONError) {
      try self.init(jsonBytes: json, limits: FrameContent.limits(of: json))
    } catch {
      throw .invalidJSON(error.description)
    }
  }
}

extension RemoteResponse: JSONDecodable, JSONEncodable {
  /// Reads the response.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "chatResponse": self = try .chatResponse(fields.get("chatResponse"))
    case "chatEvent": self = try .chatEvent(fields.get("chatEvent"))
    case "fileStored": self = try .fileStored(path: fields.get("filePath"))
    case "file": self = try .file(size: fields.get("fileSize"), digest: fields.get("fileDigest"))
    // The name is spelled so.
    case "protocolError": self = try .protocolError(fields.get("remoteProcotolError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the response as a tagged object; only the error inside follows the writer's spelling of sums.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .chatResponse(let result):
      json.beginTagged("chatResponse")
      json.field("chatResponse", result)
    case .chatEvent(let result):
      json.beginTagged("chatEvent")
      json.field("chatEvent", result)
    case .fileStored(let path):
      json.beginTagged("fileStored")
      json.field("filePath", path)
    case .file(let size, let digest):
      json.beginTagged("file")
      json.field("fileSize", size)
      json.field("fileDigest", digest)
    case .protocolError(let error):
      json.beginTagged("protocolError")
      json.field("remoteProcotolError", error)
    }
    json.endObject()
  }
}
