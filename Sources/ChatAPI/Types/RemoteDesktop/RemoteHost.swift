import SimplexJSON

/// A mobile device that this one controls.
public struct RemoteHostInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the mobile device.
  public var remoteHostId: Int64
  /// Name of the mobile device.
  public var hostDeviceName: String
  /// Folder of the host's files.
  public var storePath: String
  /// Address the host connects from.
  public var bindAddress_: RCCtrlAddress?
  /// Port the host connects from.
  public var bindPort_: UInt16?
  /// How far the session is.
  public var sessionState: RemoteHostSessionState?

  /// A value of its members.
  public init(
    remoteHostId: Int64, hostDeviceName: String, storePath: String, bindAddress_: RCCtrlAddress? = nil,
    bindPort_: UInt16? = nil, sessionState: RemoteHostSessionState? = nil
  ) {
    self.remoteHostId = remoteHostId
    self.hostDeviceName = hostDeviceName
    self.storePath = storePath
    self.bindAddress_ = bindAddress_
    self.bindPort_ = bindPort_
    self.sessionState = sessionState
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    remoteHostId = try fields.get("remoteHostId")
    hostDeviceName = try fields.get("hostDeviceName")
    storePath = try fields.get("storePath")
    bindAddress_ = try fields.get("bindAddress_")
    bindPort_ = try fields.get("bindPort_")
    sessionState = try fields.get("sessionState")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("remoteHostId", remoteHostId)
    json.field("hostDeviceName", hostDeviceName)
    json.field("storePath", storePath)
    json.field("bindAddress_", bindAddress_)
    json.field("bindPort_", bindPort_)
    json.field("sessionState", sessionState)
    json.endObject()
  }
}

/// How far the session with a mobile device is.
public enum RemoteHostSessionState: JSONCodable, Hashable, Sendable {
  case starting
  case connecting(invitation: String)
  case pendingConfirmation(sessionCode: String)
  case confirmed(sessionCode: String)
  case connected(sessionCode: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "starting": self = .starting
    case "connecting": self = try .connecting(invitation: fields.get("invitation"))
    case "pendingConfirmation": self = try .pendingConfirmation(sessionCode: fields.get("sessionCode"))
    case "confirmed": self = try .confirmed(sessionCode: fields.get("sessionCode"))
    case "connected": self = try .connected(sessionCode: fields.get("sessionCode"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .starting: json.tag("starting")
    case .connecting(let invitation): json.sum("connecting", "invitation", invitation)
    case .pendingConfirmation(let sessionCode): json.sum("pendingConfirmation", "sessionCode", sessionCode)
    case .confirmed(let sessionCode): json.sum("confirmed", "sessionCode", sessionCode)
    case .connected(let sessionCode): json.sum("connected", "sessionCode", sessionCode)
    }
  }
}

/// Why the session with a mobile device ended.
public indirect enum RemoteHostStopReason: JSONCodable, Hashable, Sendable {
  case connectionFailed(chatError: ChatError)
  case crashed(chatError: ChatError)
  case disconnected

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "connectionFailed": self = try .connectionFailed(chatError: fields.get("chatError"))
    case "crashed": self = try .crashed(chatError: fields.get("chatError"))
    case "disconnected": self = .disconnected
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .connectionFailed(let chatError): json.sum("connectionFailed", "chatError", chatError)
    case .crashed(let chatError): json.sum("crashed", "chatError", chatError)
    case .disconnected: json.tag("disconnected")
    }
  }
}

/// An address this device can be reached at.
public struct RCCtrlAddress: JSONCodable, Hashable, Sendable {
  /// IP address of the interface.
  public var address: String
  /// Name of the network interface.
  public var interface: String

  /// A value of its members.
  public init(
    address: String, interface: String
  ) {
    self.address = address
    self.interface = interface
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    address = try fields.get("address")
    interface = try fields.get("interface")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("address", address)
    json.field("interface", interface)
    json.endObject()
  }
}

/// A file on a remote host.
public struct RemoteFile: JSONCodable, Hashable, Sendable {
  /// Database id of the user.
  public var userId: Int64
  /// Database id of the file.
  public var fileId: Int64
  /// Whether the file is a sent one.
  public var sent: Bool
  /// The local file.
  public var fileSource: CryptoFile

  /// A value of its members.
  public init(
    userId: Int64, fileId: Int64, sent: Bool, fileSource: CryptoFile
  ) {
    self.userId = userId
    self.fileId = fileId
    self.sent = sent
    self.fileSource = fileSource
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userId = try fields.get("userId")
    fileId = try fields.get("fileId")
    sent = try fields.get("sent")
    fileSource = try fields.get("fileSource")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userId", userId)
    json.field("fileId", fileId)
    json.field("sent", sent)
    json.field("fileSource", fileSource)
    json.endObject()
  }
}

/// Which remote host is meant.
public enum RHKey: JSONCodable, Hashable, Sendable {
  case new
  case id(remoteHostId: Int64)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "new": self = .new
    case "id": self = try .id(remoteHostId: fields.get("remoteHostId"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .new: json.tag("new")
    case .id(let remoteHostId): json.sum("id", "remoteHostId", remoteHostId)
    }
  }
}

/// What writing an encrypted file gave.
public indirect enum WriteFileResult: JSONCodable, Hashable, Sendable {
  case result(cryptoArgs: CryptoFileArgs)
  case error(writeError: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "result": self = try .result(cryptoArgs: fields.get("cryptoArgs"))
    case "error": self = try .error(writeError: fields.get("writeError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .result(let cryptoArgs): json.sum("result", "cryptoArgs", cryptoArgs)
    case .error(let writeError): json.sum("error", "writeError", writeError)
    }
  }
}
