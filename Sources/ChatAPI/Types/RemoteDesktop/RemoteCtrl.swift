import SimplexJSON

/// A desktop that controls this device.
public struct RemoteCtrlInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the desktop.
  public var remoteCtrlId: Int64
  /// Name of the desktop.
  public var ctrlDeviceName: String
  /// How far the session is.
  public var sessionState: RemoteCtrlSessionState?

  /// A value of its members.
  public init(
    remoteCtrlId: Int64, ctrlDeviceName: String, sessionState: RemoteCtrlSessionState? = nil
  ) {
    self.remoteCtrlId = remoteCtrlId
    self.ctrlDeviceName = ctrlDeviceName
    self.sessionState = sessionState
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    remoteCtrlId = try fields.get("remoteCtrlId")
    ctrlDeviceName = try fields.get("ctrlDeviceName")
    sessionState = try fields.get("sessionState")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("remoteCtrlId", remoteCtrlId)
    json.field("ctrlDeviceName", ctrlDeviceName)
    json.field("sessionState", sessionState)
    json.endObject()
  }
}

/// How far the session with a desktop is.
public enum RemoteCtrlSessionState: JSONCodable, Hashable, Sendable {
  case starting
  case searching
  case connecting
  case pendingConfirmation(sessionCode: String)
  case connected(sessionCode: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "starting": self = .starting
    case "searching": self = .searching
    case "connecting": self = .connecting
    case "pendingConfirmation": self = try .pendingConfirmation(sessionCode: fields.get("sessionCode"))
    case "connected": self = try .connected(sessionCode: fields.get("sessionCode"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .starting: json.tag("starting")
    case .searching: json.tag("searching")
    case .connecting: json.tag("connecting")
    case .pendingConfirmation(let sessionCode): json.sum("pendingConfirmation", "sessionCode", sessionCode)
    case .connected(let sessionCode): json.sum("connected", "sessionCode", sessionCode)
    }
  }
}

/// Why the session with a desktop ended.
public indirect enum RemoteCtrlStopReason: JSONCodable, Hashable, Sendable {
  case discoveryFailed(chatError: ChatError)
  case connectionFailed(chatError: ChatError)
  case setupFailed(chatError: ChatError)
  case disconnected

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "discoveryFailed": self = try .discoveryFailed(chatError: fields.get("chatError"))
    case "connectionFailed": self = try .connectionFailed(chatError: fields.get("chatError"))
    case "setupFailed": self = try .setupFailed(chatError: fields.get("chatError"))
    case "disconnected": self = .disconnected
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .discoveryFailed(let chatError): json.sum("discoveryFailed", "chatError", chatError)
    case .connectionFailed(let chatError): json.sum("connectionFailed", "chatError", chatError)
    case .setupFailed(let chatError): json.sum("setupFailed", "chatError", chatError)
    case .disconnected: json.tag("disconnected")
    }
  }
}

/// The desktop's app.
public struct CtrlAppInfo: JSONCodable, Hashable, Sendable {
  /// The versions of the app that can work together.
  public var appVersionRange: AppVersionRange
  /// Name of the device.
  public var deviceName: String
  /// Whether the session compresses.
  public var compression: Bool

  /// A value of its members.
  public init(
    appVersionRange: AppVersionRange, deviceName: String, compression: Bool = false
  ) {
    self.appVersionRange = appVersionRange
    self.deviceName = deviceName
    self.compression = compression
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    appVersionRange = try fields.get("appVersionRange")
    deviceName = try fields.get("deviceName")
    compression = try fields.get("compression", default: false)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("appVersionRange", appVersionRange)
    json.field("deviceName", deviceName)
    json.field("compression", compression)
    json.endObject()
  }
}

/// Versions of the app that can work together.
public struct AppVersionRange: JSONCodable, Hashable, Sendable {
  /// The lowest version.
  public var minVersion: String
  /// The highest version.
  public var maxVersion: String

  /// A value of its members.
  public init(
    minVersion: String, maxVersion: String
  ) {
    self.minVersion = minVersion
    self.maxVersion = maxVersion
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    minVersion = try fields.get("minVersion")
    maxVersion = try fields.get("maxVersion")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("minVersion", minVersion)
    json.field("maxVersion", maxVersion)
    json.endObject()
  }
}
