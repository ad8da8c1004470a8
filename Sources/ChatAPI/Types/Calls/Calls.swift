import FoundationTypes

import SimplexJSON

/// A call that waits for an answer.
public struct RcvCallInvitation: JSONCodable, Hashable, Sendable {
  /// The user.
  public var user: User
  /// The contact.
  public var contact: Contact
  /// Media and capabilities of the call.
  public var callType: CallType
  /// Key of the call's encryption, base64url.
  public var sharedKey: String?
  /// Identifier of the call for the system's call screen.
  public var callUUID: String
  /// When the invitation was received.
  public var callTs: Date

  /// A value of its members.
  public init(
    user: User, contact: Contact, callType: CallType, sharedKey: String? = nil, callUUID: String, callTs: Date
  ) {
    self.user = user
    self.contact = contact
    self.callType = callType
    self.sharedKey = sharedKey
    self.callUUID = callUUID
    self.callTs = callTs
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    user = try fields.get("user")
    contact = try fields.get("contact")
    callType = try fields.get("callType")
    sharedKey = try fields.get("sharedKey")
    callUUID = try fields.get("callUUID")
    callTs = try fields.get("callTs")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("user", user)
    json.field("contact", contact)
    json.field("callType", callType)
    json.field("sharedKey", sharedKey)
    json.field("callUUID", callUUID)
    json.field("callTs", callTs)
    json.endObject()
  }
}

/// Media and capabilities of a call.
public struct CallType: JSONCodable, Hashable, Sendable {
  /// Audio or video.
  public var media: CallMediaType
  /// What the caller's device supports.
  public var capabilities: CallCapabilities

  /// A value of its members.
  public init(
    media: CallMediaType, capabilities: CallCapabilities
  ) {
    self.media = media
    self.capabilities = capabilities
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    media = try fields.get("media")
    capabilities = try fields.get("capabilities")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("media", media)
    json.field("capabilities", capabilities)
    json.endObject()
  }
}

/// Audio or video.
public enum CallMediaType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case audio
  case video
}

/// What a device supports in calls.
public struct CallCapabilities: JSONCodable, Hashable, Sendable {
  /// Whether end-to-end encryption is supported.
  public var encryption: Bool

  /// A value of its members.
  public init(
    encryption: Bool
  ) {
    self.encryption = encryption
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    encryption = try fields.get("encryption")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("encryption", encryption)
    json.endObject()
  }
}

/// State of a call.
public enum CallStateTag: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case invitationSent
  case invitationReceived
  case offerSent
  case offerReceived
  case negotiated
}

/// An offered session.
public struct WebRTCCallOffer: JSONCodable, Hashable, Sendable {
  /// Media and capabilities of the call.
  public var callType: CallType
  /// The offered session.
  public var rtcSession: WebRTCSession

  /// A value of its members.
  public init(
    callType: CallType, rtcSession: WebRTCSession
  ) {
    self.callType = callType
    self.rtcSession = rtcSession
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    callType = try fields.get("callType")
    rtcSession = try fields.get("rtcSession")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("callType", callType)
    json.field("rtcSession", rtcSession)
    json.endObject()
  }
}

/// A session description with candidates.
public struct WebRTCSession: JSONCodable, Hashable, Sendable {
  /// SDP session, compressed text.
  public var rtcSession: String
  /// ICE candidates, compressed text.
  public var rtcIceCandidates: String

  /// A value of its members.
  public init(
    rtcSession: String, rtcIceCandidates: String
  ) {
    self.rtcSession = rtcSession
    self.rtcIceCandidates = rtcIceCandidates
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rtcSession = try fields.get("rtcSession")
    rtcIceCandidates = try fields.get("rtcIceCandidates")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rtcSession", rtcSession)
    json.field("rtcIceCandidates", rtcIceCandidates)
    json.endObject()
  }
}

/// Further candidates.
public struct WebRTCExtraInfo: JSONCodable, Hashable, Sendable {
  /// ICE candidates, compressed text.
  public var rtcIceCandidates: String

  /// A value of its members.
  public init(
    rtcIceCandidates: String
  ) {
    self.rtcIceCandidates = rtcIceCandidates
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rtcIceCandidates = try fields.get("rtcIceCandidates")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rtcIceCandidates", rtcIceCandidates)
    json.endObject()
  }
}
