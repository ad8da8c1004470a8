import NotificationProtocol
import WireCodec

/// The result of a push at the service of the device.
public enum PushOutcome: Hashable, Sendable {
  /// Accepted.
  case delivered
  /// The service refuses the token of the device; in milliseconds since 1970 when it became invalid, where the service
  /// reports it.
  case invalidToken(TokenInvalidReason, since: Int64?)
  /// The service accepts no pushes for this device now.
  case deviceBusy
  /// The service cannot be reached or is overloaded.
  case serviceUnavailable(String)
  /// The service refuses this push for good; the text is for the log.
  case refused(String)
}

extension PushOutcome {
  /// The meaning of a response of Apple's service: its status, and the members `reason` and `timestamp` of its body.
  /// Nil where the authorization has expired, and the push has to be sent once more with a new one.
  public init?(appleStatus status: Int, reason: String?, timestamp: Int64?) {
    switch (status, reason) {
    case (200, _): self = .delivered
    case (400, "BadDeviceToken"): self = .invalidToken(.bad, since: nil)
    case (400, "DeviceTokenNotForTopic"): self = .invalidToken(.topic, since: nil)
    case (403, "ExpiredProviderToken"): return nil
    case (410, "ExpiredToken"): self = .invalidToken(.expired, since: timestamp)
    case (410, _): self = .invalidToken(.unregistered, since: timestamp)
    case (429, "TooManyProviderTokenUpdates"): self = .serviceUnavailable("429 TooManyProviderTokenUpdates")
    case (429, _): self = .deviceBusy
    case (500..., _), (0, _): self = .serviceUnavailable("\(status) \(reason ?? "")")
    // The key of this server is refused, for all devices.
    case (403, let reason): self = .serviceUnavailable("403 \(reason ?? "")")
    default: self = .refused("\(status) \(reason ?? "")")
    }
  }
}

/// What a token has a push for.
public enum PushKind: Int, Hashable, Sendable, CaseIterable {
  /// Its code.
  case verification
  /// Notifications.
  case messages
  /// The time of a periodic push.
  case check
}

/// The push of a token, as prepared for its service.
public struct PreparedPush: Equatable, Sendable {
  /// The token.
  public let token: StoredToken
  /// Its purpose.
  public let kind: PushKind
  /// Its content.
  public let content: PushContent
  /// The number of the last notification in it; 0 for other kinds.
  public let lastNumber: Int64

  /// The push that a token needs; nil where it needs none any more. Of several kinds the first one is returned.
  public static func prepare(
    _ number: TokenNumber, _ kinds: Set<PushKind>, in records: any NotificationRecords
  ) throws(NotificationStoreError) -> PreparedPush? {
    guard let token = try records.token(number) else { return nil }
    let status = token.record.status
    if kinds.contains(.verification), token.record.isCodeDue, status.allowsVerification {
      return PreparedPush(
        token: token, kind: .verification, content: .verification(token.record.code), lastNumber: 0)
    }
    guard status == .active else { return nil }
    if kinds.contains(.messages) {
      let stored = try records.notifications(of: number, limit: PushText.entryLimit)
      if let last = stored.last, stored.contains(where: { !$0.isSent }) {
        return PreparedPush(
          token: token, kind: .messages, content: .messages(stored.map(\.message)), lastNumber: last.number)
      }
    }
    return kinds.contains(.check) ? PreparedPush(token: token, kind: .check, content: .check, lastNumber: 0) : nil
  }

  /// Stores the outcome of the push.
  /// - Returns: what the schedule has to know.
  public func finish(
    _ outcome: PushOutcome, in records: any NotificationRecords
  ) throws(NotificationStoreError) -> PushResult {
    guard var current = try records.token(token.number) else { return .done }
    switch outcome {
    case .delivered, .refused:
      switch kind {
      case .verification:
        // Another code may be due since.
        if current.record.code == token.record.code { current.record.isCodeDue = false }
        if outcome == .delivered, current.record.status == .registered { current.record.status = .confirmed }
      case .messages: try records.markSent(upTo: lastNumber, of: token.number)
      case .check: break
      }
    case .invalidToken(let reason, let since):
      // A report about an earlier registration of the same token, or about a device that was replaced meanwhile.
      guard current.record.device == token.record.device else { return .again }
      if let since, since / 1000 < current.record.registeredAt { return .deviceBusy }
      current.record.status = .invalid(reason)
      current.record.isCodeDue = false
    case .deviceBusy: return .deviceBusy
    case .serviceUnavailable: return .serviceUnavailable
    }
    if current.record != token.record { try records.update(current) }
    return .done
  }
}

/// What the outcome of a push means for further pushes.
public enum PushResult: Hashable, Sendable {
  /// The push is done, successfully or not.
  case done
  /// It is to be repeated at once.
  case again
  /// It is to be repeated later, because of the device.
  case deviceBusy
  /// It is to be repeated later, because of the service.
  case serviceUnavailable
}
