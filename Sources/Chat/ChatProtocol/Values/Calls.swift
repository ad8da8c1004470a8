import ChatAPI
import SimplexCrypto
import SimplexJSON

/// An invitation to a call.
public struct CallInvitation: JSONCodable, Hashable, Sendable {
  /// Media and capabilities.
  public var callType: CallType
  /// The caller's key for the encryption of the call, if its device can encrypt calls.
  public var callDhPubKey: X25519.PublicKey?

  public init(callType: CallType, callDhPubKey: X25519.PublicKey? = nil) {
    self.callType = callType
    self.callDhPubKey = callDhPubKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    callType = try fields.get("callType")
    callDhPubKey = try fields.getIfPresent("callDhPubKey", X25519.PublicKey.textCodec)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("callType", callType)
    json.field("callDhPubKey", callDhPubKey, X25519.PublicKey.textCodec)
    json.endObject()
  }
}

/// The session that the invited party offers.
public struct CallOffer: JSONCodable, Hashable, Sendable {
  /// Media and capabilities.
  public var callType: CallType
  /// The session.
  public var rtcSession: WebRTCSession
  /// The invited party's key for the encryption of the call.
  public var callDhPubKey: X25519.PublicKey?

  public init(callType: CallType, rtcSession: WebRTCSession, callDhPubKey: X25519.PublicKey? = nil) {
    self.callType = callType
    self.rtcSession = rtcSession
    self.callDhPubKey = callDhPubKey
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    callType = try fields.get("callType")
    rtcSession = try fields.get("rtcSession")
    callDhPubKey = try fields.getIfPresent("callDhPubKey", X25519.PublicKey.textCodec)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("callType", callType)
    json.field("rtcSession", rtcSession)
    json.field("callDhPubKey", callDhPubKey, X25519.PublicKey.textCodec)
    json.endObject()
  }
}

/// The caller's answer to the offered session.
public struct CallAnswer: JSONCodable, Hashable, Sendable {
  /// The session.
  public var rtcSession: WebRTCSession

  /// An answer with this session.
  public init(rtcSession: WebRTCSession) { self.rtcSession = rtcSession }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rtcSession = try fields.get("rtcSession")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rtcSession", rtcSession)
    json.endObject()
  }
}

/// Further ways to reach the sender in a call.
public struct CallExtraInfo: JSONCodable, Hashable, Sendable {
  /// Candidates.
  public var rtcExtraInfo: WebRTCExtraInfo

  /// Information with these candidates.
  public init(rtcExtraInfo: WebRTCExtraInfo) { self.rtcExtraInfo = rtcExtraInfo }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rtcExtraInfo = try fields.get("rtcExtraInfo")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rtcExtraInfo", rtcExtraInfo)
    json.endObject()
  }
}
