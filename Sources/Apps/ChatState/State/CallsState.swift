import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far a call is.
public enum CallState: Hashable, Sendable {
  /// An outgoing call asks the engine for its capabilities.
  case waitCapabilities
  /// An outgoing call was announced.
  case invitationSent
  /// An incoming call was accepted.
  case invitationAccepted
  /// An incoming call has offered a session.
  case offerSent
  /// An outgoing call was offered a session.
  case offerReceived
  /// An incoming call was answered.
  case answerReceived
  /// Both sides agree.
  case negotiated
  /// Sound or video passes.
  case connected
  /// It is over.
  case ended
}

/// A call under way.
public struct Call: Hashable, Sendable {
  /// Whether the user called.
  public var isOutgoing: Bool
  /// With whom.
  public var contact: Contact
  /// The id that the system's call screen knows it by.
  public var callUUID: String?
  /// With what it began.
  public var initialCallType: CallMediaType
  /// How far it is.
  public var callState: CallState
  /// Key of the additional encryption of media.
  public var sharedKey: String?

  /// A call that begins.
  public init(
    isOutgoing: Bool, contact: Contact, callUUID: String? = nil, initialCallType: CallMediaType,
    callState: CallState, sharedKey: String? = nil
  ) {
    self.isOutgoing = isOutgoing
    self.contact = contact
    self.callUUID = callUUID
    self.initialCallType = initialCallType
    self.callState = callState
    self.sharedKey = sharedKey
  }
}

/// A command for an engine for WebRTC.
public enum WebRTCCommand: Hashable, Sendable {
  /// Answer an offer with a session.
  case offer(session: WebRTCSession, media: CallMediaType, sharedKey: String?)
  /// Take an answer.
  case answer(session: WebRTCSession)
  /// Take further candidates.
  case ice(iceCandidates: String)
  /// End the call.
  case end
}

/// What a notification about a call lets one do.
public enum NtfCallAction: Hashable, Sendable {
  case accept, reject
}

/// Calls: waiting invitations, and the call under way.
public struct CallsState: Sendable {
  /// Invitations that wait for an answer, by chat.
  public var callInvitations: [ChatId: RcvCallInvitation] = [:]
  /// The call under way.
  public var activeCall: Call?
  /// The commands for the engine, in order; the engine removes them.
  public var callCommands: [WebRTCCommand] = []
  /// Whether the call fills the screen.
  public var showCallView = false
  /// Whether the call is shown small.
  public var activeCallViewIsCollapsed = false
  /// The identifiers (`callUUID`) of calls that were missed and that the core still has.
  var missed: Set<String> = []
  /// When contacts last made the device ring, by chat.
  var rung: [ChatId: Date] = [:]

  /// Minimum number of seconds between two rings for one contact.
  static let ringInterval: Double = 3
  /// Seconds after `callTs` in which a call can be answered.
  static let answerTime: Double = 180

  /// When a call cannot be answered any more.
  static func end(of invitation: RcvCallInvitation) -> Date { invitation.callTs.addingTimeInterval(answerTime) }

  /// When the first of the waiting invitations cannot be answered any more; nil where there are none.
  var firstEnd: Date? { callInvitations.values.map(Self.end).min() }

  /// No calls.
  public init() {}
}
