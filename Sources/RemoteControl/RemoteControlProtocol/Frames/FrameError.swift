import SimplexJSON

/// Errors of the frames of a session, and of the commands and files in them. Source: the reference's type
/// `RemoteProtocolError`; a host answers a command with it in ``RemoteResponse/protocolError(_:)``.
public enum FrameError: Error, Hashable, Sendable {
  /// A length is above its limit, or the frame ends early.
  case invalidSize
  /// A command or response is no JSON of its type.
  case invalidJSON(String)
  /// The binary parts of a frame are malformed.
  case invalidBody(String)
  /// The frame belongs to another session, or the user entered another code.
  case sessionCode
  /// The peers write sums in JSON differently, and one of them cannot convert.
  case incompatibleEncoding
  /// A file where the command has none.
  case unexpectedFile
  /// No file where the command has one.
  case noFile
  /// The file does not have the declared size.
  case fileSize
  /// The file does not have the declared digest.
  case fileDigest
  /// The counter is this much above the last one; at most 256 are allowed.
  case manySkippedIDs(UInt32)
  /// The counter is this much below the last one, and its keys are not kept: used, or too old.
  case earlierID(UInt32)
  /// The counter is that of the last frame.
  case duplicateID
  /// The response is not one to the command.
  case unexpectedResponse(String)
  /// The file to be stored exists.
  case storedFileExists
  /// Signatures, encryption or decryption failed.
  case remoteControl(RemoteControlError)
  /// An error of HTTP/2.
  case http2(String)
  /// An error of the system.
  case exception(String)
}

extension FrameError: JSONDecodable, JSONEncodable {
  /// Reads the error, in any spelling of sums.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "invalidSize": self = .invalidSize
    case "invalidJSON": self = try .invalidJSON(fields.get("invalidJSON"))
    case "invalidBody": self = try .invalidBody(fields.get("invalidBody"))
    case "pRESessionCode": self = .sessionCode
    case "incompatibleEncoding": self = .incompatibleEncoding
    case "unexpectedFile": self = .unexpectedFile
    case "noFile": self = .noFile
    case "fileSize": self = .fileSize
    case "fileDigest": self = .fileDigest
    case "manySkippedIds": self = try .manySkippedIDs(fields.getPayload())
    case "pREEarlierId": self = try .earlierID(fields.getPayload())
    case "pREDuplicateId": self = .duplicateID
    case "unexpectedResponse": self = try .unexpectedResponse(fields.get("response"))
    case "storedFileExists": self = .storedFileExists
    case "pRERemoteControl": self = try .remoteControl(fields.get("rcError"))
    case "hTTP2": self = try .http2(fields.get("http2Error"))
    case "exception": self = try .exception(fields.get("someException"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the error with the reference's names.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .invalidSize: json.tag("invalidSize")
    case .invalidJSON(let text): json.sum("invalidJSON", "invalidJSON", text)
    case .invalidBody(let text): json.sum("invalidBody", "invalidBody", text)
    case .sessionCode: json.tag("pRESessionCode")
    case .incompatibleEncoding: json.tag("incompatibleEncoding")
    case .unexpectedFile: json.tag("unexpectedFile")
    case .noFile: json.tag("noFile")
    case .fileSize: json.tag("fileSize")
    case .fileDigest: json.tag("fileDigest")
    case .manySkippedIDs(let count): json.payload("manySkippedIds", count)
    case .earlierID(let count): json.payload("pREEarlierId", count)
    case .duplicateID: json.tag("pREDuplicateId")
    case .unexpectedResponse(let text): json.sum("unexpectedResponse", "response", text)
    case .storedFileExists: json.tag("storedFileExists")
    case .remoteControl(let error): json.sum("pRERemoteControl", "rcError", error)
    case .http2(let text): json.sum("hTTP2", "http2Error", text)
    case .exception(let text): json.sum("exception", "someException", text)
    }
  }
}
