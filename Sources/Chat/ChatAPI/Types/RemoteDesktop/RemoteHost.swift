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
  /// The state of the session.
  public var sessionState: RemoteHostSessionState?
}

/// The state of the session with a mobile device.
public enum RemoteHostSessionState: JSONCodable, Hashable, Sendable {
  case starting
  case connecting(invitation: String)
  case pendingConfirmation(sessionCode: String)
  case confirmed(sessionCode: String)
  case connected(sessionCode: String)
}

/// Why the session with a mobile device ended.
public indirect enum RemoteHostStopReason: JSONCodable, Hashable, Sendable {
  case connectionFailed(chatError: ChatError)
  case crashed(chatError: ChatError)
  case disconnected
}

/// An address this device can be reached at.
public struct RCCtrlAddress: JSONCodable, Hashable, Sendable {
  /// IP address of the interface.
  public var address: String
  /// Name of the network interface.
  public var interface: String
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
}

/// Which remote host is meant.
public enum RHKey: JSONCodable, Hashable, Sendable {
  case new
  case id(remoteHostId: Int64)
}

/// The result of writing an encrypted file.
public indirect enum WriteFileResult: JSONCodable, Hashable, Sendable {
  case result(cryptoArgs: CryptoFileArgs)
  case error(writeError: String)
}
