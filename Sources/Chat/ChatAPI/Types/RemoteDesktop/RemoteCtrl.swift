import SimplexJSON

/// A desktop that controls this device.
public struct RemoteCtrlInfo: JSONCodable, Hashable, Sendable {
  /// Database id of the desktop.
  public var remoteCtrlId: Int64
  /// Name of the desktop.
  public var ctrlDeviceName: String
  /// The state of the session.
  public var sessionState: RemoteCtrlSessionState?
}

/// The state of the session with a desktop.
public enum RemoteCtrlSessionState: JSONCodable, Hashable, Sendable {
  case starting
  case searching
  case connecting
  case pendingConfirmation(sessionCode: String)
  case connected(sessionCode: String)
}

/// Why the session with a desktop ended.
public indirect enum RemoteCtrlStopReason: JSONCodable, Hashable, Sendable {
  case discoveryFailed(chatError: ChatError)
  case connectionFailed(chatError: ChatError)
  case setupFailed(chatError: ChatError)
  case disconnected
}

/// The desktop's app.
public struct CtrlAppInfo: JSONCodable, Hashable, Sendable {
  /// The versions of the app that can work together.
  public var appVersionRange: AppVersionRange
  /// Name of the device.
  public var deviceName: String
  /// Whether the session compresses.
  public var compression: Bool = false
}

/// Versions of the app that can work together.
public struct AppVersionRange: JSONCodable, Hashable, Sendable {
  /// The lowest version.
  public var minVersion: String
  /// The highest version.
  public var maxVersion: String
}
