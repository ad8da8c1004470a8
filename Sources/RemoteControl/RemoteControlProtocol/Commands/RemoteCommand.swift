import SimplexJSON
import WireCodec

/// A request of the controller. Source: the reference's type `RemoteCommand`; always a tagged object in JSON.
public enum RemoteCommand: Hashable, Sendable {
  /// Execute the text of a command of the API.
  case send(command: String, retryNumber: Int)
  /// Wait for the next event, at most this long.
  case recv(microseconds: Int)
  /// Store the file that follows the frame.
  case storeFile(name: String, size: UInt32, digest: FileDigest)
  /// Send a file.
  case getFile(RemoteFileReference)
}

/// The SHA-512 digest of a file as it is stored: 64 bytes, base64url in JSON.
public struct FileDigest: Hashable, Sendable, JSONCodable {
  /// The size in bytes.
  public static let size = 64

  /// The digest.
  public let bytes: [UInt8]

  /// A digest; nil unless there are 64 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  /// Reads the text.
  public init(json: JSONNode) throws(JSONError) {
    guard let digest = Base64URL.decode(try json.string()).flatMap({ FileDigest($0) }) else {
      throw JSONError(.invalidText(type: "FileDigest"))
    }
    self = digest
  }

  /// Writes the text.
  public func encode(to json: inout JSONWriter) { json.string(Base64URL.string(bytes)) }
}

/// A file of the host that the controller asks for: its exact record. Source: the reference's type `RemoteFile`.
public struct RemoteFileReference: Hashable, Sendable {
  /// The key of a file that is encrypted in the host's storage, as texts that are not interpreted.
  public struct Encryption: Hashable, Sendable {
    /// The key.
    public var fileKey: String
    /// The nonce.
    public var fileNonce: String

    public init(fileKey: String, fileNonce: String) {
      self.fileKey = fileKey
      self.fileNonce = fileNonce
    }
  }

  /// The user, who has to be the active one.
  public var userID: Int64
  /// The file.
  public var fileID: Int64
  /// Whether the user sent it.
  public var isSent: Bool
  /// Its path; not trustworthy.
  public var path: String
  /// Its key; nil if it is not encrypted.
  public var encryption: Encryption?

  /// A reference of its parts.
  public init(userID: Int64, fileID: Int64, isSent: Bool, path: String, encryption: Encryption? = nil) {
    self.userID = userID
    self.fileID = fileID
    self.isSent = isSent
    self.path = path
    self.encryption = encryption
  }
}

extension RemoteFileReference.Encryption: JSONDecodable, JSONEncodable {
  /// Reads both texts.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    fileKey = try fields.get("fileKey")
    fileNonce = try fields.get("fileNonce")
  }

  /// Writes both texts.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("fileKey", fileKey)
    json.field("fileNonce", fileNonce)
    json.endObject()
  }
}

extension RemoteFileReference: JSONDecodable, JSONEncodable {
  private struct Source: JSONCodable {
    var path: String
    var encryption: Encryption?

    init(path: String, encryption: Encryption?) {
      self.path = path
      self.encryption = encryption
    }

    init(json: JSONNode) throws(JSONError) {
      var fields = try json.fields()
      path = try fields.get("filePath")
      encryption = try fields.get("cryptoArgs")
    }

    func encode(to json: inout JSONWriter) {
      json.beginObject()
      json.field("filePath", path)
      json.field("cryptoArgs", encryption)
      json.endObject()
    }
  }

  /// Reads the record.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userID = try fields.get("userId")
    fileID = try fields.get("fileId")
    isSent = try fields.get("sent")
    let source: Source = try fields.get("fileSource")
    path = source.path
    encryption = source.encryption
  }

  /// Writes the record.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userId", userID)
    json.field("fileId", fileID)
    json.field("sent", isSent)
    json.field("fileSource", Source(path: path, encryption: encryption))
    json.endObject()
  }
}

extension RemoteCommand {
  /// The command in the content of a request.
  /// - Throws: `invalidJSON`.
  public init(content json: [UInt8]) throws(FrameError) {
    do throws(JSONError) {
      // Commands are short: the memory of their values is that of their text, whatever its length.
      var limits = FrameContent.limits(of: json)
      limits.isProportional = true
      try self.init(jsonBytes: json, limits: limits)
    } catch {
      throw .invalidJSON(error.description)
    }
  }
}

extension RemoteCommand: JSONDecodable, JSONEncodable {
  /// Reads the command.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "send": self = try .send(command: fields.get("command"), retryNumber: fields.get("retryNumber"))
    case "recv": self = try .recv(microseconds: fields.get("wait"))
    case "storeFile":
      self = try .storeFile(
        name: fields.get("fileName"), size: fields.get("fileSize"), digest: fields.get("fileDigest"))
    case "getFile": self = try .getFile(fields.get("file"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the command as a tagged object.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .send(let command, let retryNumber):
      json.beginTagged("send")
      json.field("command", command)
      json.field("retryNumber", retryNumber)
    case .recv(let microseconds):
      json.beginTagged("recv")
      json.field("wait", microseconds)
    case .storeFile(let name, let size, let digest):
      json.beginTagged("storeFile")
      json.field("fileName", name)
      json.field("fileSize", size)
      json.field("fileDigest", digest)
    case .getFile(let file):
      json.beginTagged("getFile")
      json.field("file", file)
    }
    json.endObject()
  }
}
