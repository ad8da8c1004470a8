import FoundationTypes
import SimplexJSON

/// An incoming call that was not answered yet.
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
}

/// Media and capabilities of a call.
public struct CallType: JSONCodable, Hashable, Sendable {
  /// Audio or video.
  public var media: CallMediaType
  /// What the caller's device supports.
  public var capabilities: CallCapabilities
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
}

/// A session description with candidates.
public struct WebRTCSession: JSONCodable, Hashable, Sendable {
  /// SDP session, compressed text.
  public var rtcSession: String
  /// ICE candidates, compressed text.
  public var rtcIceCandidates: String
}

/// Further candidates.
public struct WebRTCExtraInfo: JSONCodable, Hashable, Sendable {
  /// ICE candidates, compressed text.
  public var rtcIceCandidates: String
}
