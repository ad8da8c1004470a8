import ChatAPI

// The status of a call's item, and the steps that a call's state allows.

extension CICallStatus {
  /// Whether nothing more happens to the call: its item may disappear then.
  public var isFinal: Bool {
    switch self {
    case .missed, .rejected, .ended, .error: true
    case .pending, .accepted, .negotiated, .progress: false
    }
  }

  /// The status of an item after the connection of its call changed; nil where that changes nothing.
  public func after(_ connection: WebRTCCallStatus) -> CICallStatus? {
    let next: CICallStatus? =
      switch (self, connection) {
      case (.ended, _), (.error, _), (.progress, .connected): nil
      case (_, .connecting): .negotiated
      case (_, .connected): .progress
      case (.progress, _): .ended
      case (.pending, .disconnected): .missed
      case (_, .disconnected): .ended
      case (_, .failed): .error
      }
    return next == self ? nil : next
  }
}

/// A step of a call: a command of the user, or a message of the contact.
public enum CallStep: CaseIterable, Sendable {
  /// The user rejects, offers or answers, or sends candidates.
  case reject, offer, answer, extra
  /// The contact offered or answered, or sent candidates.
  case offered, answered, extraReceived

  /// Whether a call in this state allows the step.
  public func isAllowed(in state: CallStateTag) -> Bool {
    switch self {
    case .reject, .offer: state == .invitationReceived
    case .answer: state == .offerReceived
    case .extra: state == .offerSent || state == .negotiated
    case .offered: state == .invitationSent
    case .answered: state == .offerSent
    case .extraReceived: state == .offerReceived || state == .negotiated
    }
  }

  /// The state after the step; nil where the call is over.
  public func state(after state: CallStateTag) -> CallStateTag? {
    switch self {
    case .reject: nil
    case .offer: .offerSent
    case .offered: .offerReceived
    case .answer, .answered: .negotiated
    case .extra, .extraReceived: state
    }
  }
}

extension CallStateTag {
  /// The state as texts of errors name it.
  public var errorName: String { "CSTCall" + rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Whether the media of a call in this state are lost with the process that had them.
  public var hasMedia: Bool {
    switch self {
    case .invitationSent, .invitationReceived: false
    case .offerSent, .offerReceived, .negotiated: true
    }
  }
}

extension CIContent {
  /// The status of the call that it shows; nil for anything else.
  public var callStatus: CICallStatus? {
    switch self {
    case .sndCall(let status, _), .rcvCall(let status, _): status
    default: nil
    }
  }

  /// The content of a call's item with another status; anything else stays as it is.
  /// - Parameter duration: how long the call took, in seconds.
  public func withCallStatus(_ status: CICallStatus, duration: Int) -> CIContent {
    switch self {
    case .sndCall: .sndCall(status: status, duration: duration)
    case .rcvCall: .rcvCall(status: status, duration: duration)
    default: self
    }
  }
}
