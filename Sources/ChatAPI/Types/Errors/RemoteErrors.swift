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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "internal": self = try .internal(internalErr: fields.get("internalErr"))
    case "identity": self = .identity
    case "noLocalAddress": self = .noLocalAddress
    case "newController": self = .newController
    case "notDiscovered": self = .notDiscovered
    case "tLSStartFailed": self = .tLSStartFailed
    case "exception": self = try .exception(exception: fields.get("exception"))
    case "ctrlAuth": self = .ctrlAuth
    case "ctrlNotFound": self = .ctrlNotFound
    case "ctrlError": self = try .ctrlError(ctrlErr: fields.get("ctrlErr"))
    case "invitation": self = .invitation
    case "version": self = .version
    case "encrypt": self = .encrypt
    case "decrypt": self = .decrypt
    case "blockSize": self = .blockSize
    case "syntax": self = try .syntax(syntaxErr: fields.get("syntaxErr"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .internal(let internalErr): json.sum("internal", "internalErr", internalErr)
    case .identity: json.tag("identity")
    case .noLocalAddress: json.tag("noLocalAddress")
    case .newController: json.tag("newController")
    case .notDiscovered: json.tag("notDiscovered")
    case .tLSStartFailed: json.tag("tLSStartFailed")
    case .exception(let exception): json.sum("exception", "exception", exception)
    case .ctrlAuth: json.tag("ctrlAuth")
    case .ctrlNotFound: json.tag("ctrlNotFound")
    case .ctrlError(let ctrlErr): json.sum("ctrlError", "ctrlErr", ctrlErr)
    case .invitation: json.tag("invitation")
    case .version: json.tag("version")
    case .encrypt: json.tag("encrypt")
    case .decrypt: json.tag("decrypt")
    case .blockSize: json.tag("blockSize")
    case .syntax(let syntaxErr): json.sum("syntax", "syntaxErr", syntaxErr)
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "inactive": self = .inactive
    case "badState": self = .badState
    case "busy": self = .busy
    case "timeout": self = .timeout
    case "noKnownControllers": self = .noKnownControllers
    case "badController": self = .badController
    case "disconnected":
      self = try .disconnected(
        remoteCtrlId: fields.get("remoteCtrlId"), reason: fields.get("reason"))
    case "badInvitation": self = .badInvitation
    case "badVersion": self = try .badVersion(appVersion: fields.get("appVersion"))
    case "hTTP2Error": self = try .hTTP2Error(http2Error: fields.get("http2Error"))
    case "protocolError": self = try .protocolError(protocolError: fields.get("protocolError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .inactive: json.tag("inactive")
    case .badState: json.tag("badState")
    case .busy: json.tag("busy")
    case .timeout: json.tag("timeout")
    case .noKnownControllers: json.tag("noKnownControllers")
    case .badController: json.tag("badController")
    case .disconnected(let remoteCtrlId, let reason):
      json.sum("disconnected", "remoteCtrlId", remoteCtrlId, "reason", reason)
    case .badInvitation: json.tag("badInvitation")
    case .badVersion(let appVersion): json.sum("badVersion", "appVersion", appVersion)
    case .hTTP2Error(let http2Error): json.sum("hTTP2Error", "http2Error", http2Error)
    case .protocolError(let protocolError): json.sum("protocolError", "protocolError", protocolError)
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "missing": self = .missing
    case "inactive": self = .inactive
    case "busy": self = .busy
    case "timeout": self = .timeout
    case "badState": self = .badState
    case "badVersion": self = try .badVersion(appVersion: fields.get("appVersion"))
    case "localCommand": self = .localCommand
    case "disconnected": self = try .disconnected(reason: fields.get("reason"))
    case "protocolError": self = .protocolError(try fields.getPayload())
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .missing: json.tag("missing")
    case .inactive: json.tag("inactive")
    case .busy: json.tag("busy")
    case .timeout: json.tag("timeout")
    case .badState: json.tag("badState")
    case .badVersion(let appVersion): json.sum("badVersion", "appVersion", appVersion)
    case .localCommand: json.tag("localCommand")
    case .disconnected(let reason): json.sum("disconnected", "reason", reason)
    case .protocolError(let value): json.payload("protocolError", value)
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "invalidSize": self = .invalidSize
    case "invalidJSON": self = try .invalidJSON(invalidJSON: fields.get("invalidJSON"))
    case "invalidBody": self = try .invalidBody(invalidBody: fields.get("invalidBody"))
    case "pRESessionCode": self = .pRESessionCode
    case "incompatibleEncoding": self = .incompatibleEncoding
    case "unexpectedFile": self = .unexpectedFile
    case "noFile": self = .noFile
    case "fileSize": self = .fileSize
    case "fileDigest": self = .fileDigest
    case "manySkippedIds": self = .manySkippedIds(try fields.getPayload())
    case "pREEarlierId": self = .pREEarlierId(try fields.getPayload())
    case "pREDuplicateId": self = .pREDuplicateId
    case "unexpectedResponse": self = try .unexpectedResponse(response: fields.get("response"))
    case "storedFileExists": self = .storedFileExists
    case "pRERemoteControl": self = try .pRERemoteControl(rcError: fields.get("rcError"))
    case "hTTP2": self = try .hTTP2(http2Error: fields.get("http2Error"))
    case "exception": self = try .exception(someException: fields.get("someException"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .invalidSize: json.tag("invalidSize")
    case .invalidJSON(let invalidJSON): json.sum("invalidJSON", "invalidJSON", invalidJSON)
    case .invalidBody(let invalidBody): json.sum("invalidBody", "invalidBody", invalidBody)
    case .pRESessionCode: json.tag("pRESessionCode")
    case .incompatibleEncoding: json.tag("incompatibleEncoding")
    case .unexpectedFile: json.tag("unexpectedFile")
    case .noFile: json.tag("noFile")
    case .fileSize: json.tag("fileSize")
    case .fileDigest: json.tag("fileDigest")
    case .manySkippedIds(let value): json.payload("manySkippedIds", value)
    case .pREEarlierId(let value): json.payload("pREEarlierId", value)
    case .pREDuplicateId: json.tag("pREDuplicateId")
    case .unexpectedResponse(let response): json.sum("unexpectedResponse", "response", response)
    case .storedFileExists: json.tag("storedFileExists")
    case .pRERemoteControl(let rcError): json.sum("pRERemoteControl", "rcError", rcError)
    case .hTTP2(let http2Error): json.sum("hTTP2", "http2Error", http2Error)
    case .exception(let someException): json.sum("exception", "someException", someException)
    }
  }
}
