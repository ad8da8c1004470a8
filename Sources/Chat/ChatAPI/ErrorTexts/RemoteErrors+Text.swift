extension RCErrorType {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .internal(let message): "Internal error of the remote session: \(message)"
    case .identity: "The other device is not the expected one"
    case .noLocalAddress: "This device has no address in the local network"
    case .newController: "The desktop is not known to this device"
    case .notDiscovered: "No desktop was found in the local network"
    case .tLSStartFailed: "The secure connection could not be started"
    case .exception(let message): "Unexpected error: \(message)"
    case .ctrlAuth: "The desktop is not authorized"
    case .ctrlNotFound: "The desktop is not found"
    case .ctrlError(let message): "Error of the desktop: \(message)"
    case .invitation: "The link is not valid"
    case .version: "The other device uses a version that is not supported"
    case .encrypt: "A message could not be encrypted"
    case .decrypt: "A message could not be decrypted"
    case .blockSize: "A message has a wrong size"
    case .syntax(let message): "A message could not be read: \(message)"
    }
  }
}

extension RemoteCtrlError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .inactive: "There is no session with a desktop"
    case .badState: "Not possible in this state of the session"
    case .busy: "There is a session with a desktop already"
    case .timeout: "The desktop did not respond in time"
    case .noKnownControllers: "No desktop is known to this device"
    case .badController: "This is not the expected desktop"
    case .disconnected(_, let reason): "The desktop disconnected: \(reason)"
    case .badInvitation: "The link is not valid"
    case .badVersion(let appVersion): "The desktop has the version \(appVersion), which is not supported"
    case .hTTP2Error(let message): "Error of the connection: \(message)"
    case .protocolError(let error): error.text
    }
  }
}

extension RemoteHostError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .missing: "The mobile device is not known"
    case .inactive: "There is no session with the mobile device"
    case .busy: "There is a session with the mobile device already"
    case .timeout: "The mobile device did not respond in time"
    case .badState: "Not possible in this state of the session"
    case .badVersion(let appVersion): "The mobile device has the version \(appVersion), which is not supported"
    case .localCommand: "The command is for this device only"
    case .disconnected(let reason): "The mobile device disconnected: \(reason)"
    case .protocolError(let error): error.text
    }
  }
}

extension RemoteProtocolError {
  /// The error, described for users.
  public var text: String {
    switch self {
    case .invalidSize: "A message has a wrong size"
    case .invalidJSON(let message): "A message could not be read: \(message)"
    case .invalidBody(let message): "The body of a message could not be read: \(message)"
    case .pRESessionCode: "The session codes differ"
    case .incompatibleEncoding: "The devices use different encodings of JSON"
    case .unexpectedFile: "A file was not expected"
    case .noFile: "A file is missing"
    case .fileSize: "The file has a wrong size"
    case .fileDigest: "The file is not the announced one"
    case .manySkippedIds(let count): "\(count) messages are missing"
    case .pREEarlierId(let id): "Message \(id) is too old"
    case .pREDuplicateId: "A message was received again"
    case .unexpectedResponse(let response): "Unexpected response: \(response)"
    case .storedFileExists: "The file exists already"
    case .pRERemoteControl(let error): error.text
    case .hTTP2(let message): "Error of the connection: \(message)"
    case .exception(let message): "Unexpected error: \(message)"
    }
  }
}
