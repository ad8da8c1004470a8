import SimplexJSON

/// Errors of remote control.
public enum RCErrorType: JSONCodable, Hashable, Sendable, Error {
  case `internal`(internalErr: String)
  case identity
  case noLocalAddress
  case newController
  case notDiscovered
  case tLSStartFailed
  case exception(exception: String)
  case ctrlAuth
  case ctrlNotFound
  case ctrlError(ctrlErr: String)
  case invitation
  case version
  case encrypt
  case decrypt
  case blockSize
  case syntax(syntaxErr: String)
}

/// Errors of the session with a desktop.
public indirect enum RemoteCtrlError: JSONCodable, Hashable, Sendable, Error {
  case inactive
  case badState
  case busy
  case timeout
  case noKnownControllers
  case badController
  case disconnected(remoteCtrlId: Int64, reason: String)
  case badInvitation
  case badVersion(appVersion: String)
  case hTTP2Error(http2Error: String)
  case protocolError(protocolError: RemoteProtocolError)
}

/// Errors of the session with a mobile device.
public indirect enum RemoteHostError: JSONCodable, Hashable, Sendable, Error {
  case missing
  case inactive
  case busy
  case timeout
  case badState
  case badVersion(appVersion: String)
  case localCommand
  case disconnected(reason: String)
  case protocolError(RemoteProtocolError)
}

/// Errors of the protocol between devices.
public indirect enum RemoteProtocolError: JSONCodable, Hashable, Sendable, Error {
  case invalidSize
  case invalidJSON(invalidJSON: String)
  case invalidBody(invalidBody: String)
  case pRESessionCode
  case incompatibleEncoding
  case unexpectedFile
  case noFile
  case fileSize
  case fileDigest
  case manySkippedIds(UInt32)
  case pREEarlierId(UInt32)
  case pREDuplicateId
  case unexpectedResponse(response: String)
  case storedFileExists
  case pRERemoteControl(rcError: RCErrorType)
  case hTTP2(http2Error: String)
  case exception(someException: String)
}
