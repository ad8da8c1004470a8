import ChatAPI

// The words of the core for features and preferences: they stand in items, and terminals show them. Apps have words of
// their own (`ChatFeature.text` and others).

extension ChatFeature {
  /// The feature in the core's words.
  public var coreText: String {
    switch self {
    case .timedMessages: "Disappearing messages"
    case .fullDelete: "Full deletion"
    case .reactions: "Message reactions"
    case .voice: "Voice messages"
    case .files: "Files and media"
    case .calls: "Audio/video calls"
    case .sessions: "Chat sessions"
    }
  }

  private func time(_ param: Int?) -> String {
    guard self == .timedMessages, let param else { return "" }
    return " (\(TimeToLive.text(param)))"
  }

  /// For whom the feature is on: `enabled`, `enabled for you`, `enabled for contact` or `off`.
  /// - Parameter param: the time after which messages disappear, in seconds; without one they may, but do not.
  public func stateText(_ enabled: FeatureEnabled, param: Int?) -> String {
    let state = self == .timedMessages && param == nil ? "allowed" : "enabled"
    return switch (enabled.forUser, enabled.forContact) {
    case (true, true): state
    case (true, false): state + " for you"
    case (false, true): state + " for contact"
    case (false, false): "off"
    }
  }

  /// The feature and for whom it is on, as items show it.
  public func itemText(_ enabled: FeatureEnabled, param: Int?) -> String {
    "\(coreText): \(stateText(enabled, param: param))\(enabled.forUser ? time(param) : "")"
  }

  /// That the feature was offered or is no longer.
  public func offerText(_ allowed: FeatureAllowed, param: Int?) -> String {
    allowed == .no ? "cancelled \(coreText)" : "offered \(coreText)\(time(param))"
  }

  /// Whether the feature is allowed: `yes`, `always` or `no`, and for how long.
  public func text(of preference: some Preference) -> String {
    let ttl = (preference as? TimedMessagesPreference)?.ttl
    return preference.allow.rawValue + (preference.allow == .no ? "" : time(ttl))
  }
}

extension GroupFeature {
  /// The feature in the core's words.
  public var coreText: String {
    switch self {
    case .timedMessages: "Disappearing messages"
    case .directMessages: "Direct messages"
    case .fullDelete: "Full deletion"
    case .reactions: "Message reactions"
    case .voice: "Voice messages"
    case .files: "Files and media"
    case .simplexLinks: "SimpleX links"
    case .reports: "Member reports"
    case .history: "Recent history"
    case .support: "Chat with admins"
    case .sessions: "Chat sessions"
    case .comments: "Comments"
    default: text
    }
  }

  /// The feature, whether it is on, and for whom, as items show it.
  public func itemText(_ preference: GroupPreference, param: Int?, role: GroupMemberRole?) -> String {
    let time = param.map(TimeToLive.text)
    let note: String
    switch (self, preference.enable, time) {
    case (.timedMessages, .on, let time?): note = " (\(time))"
    case (.comments, .on, let time?): note = " (close after \(time))"
    default: note = ""
    }
    return "\(coreText): \(preference.enable.rawValue)\(note)" + (role.map { " for \($0.rawValue)s" } ?? "")
  }
}

/// Times after which messages disappear.
public enum TimeToLive {
  /// A time in seconds in the core's words: `1 day 2 hours`; months have thirty days.
  public static func text(_ seconds: Int) -> String {
    guard seconds > 0 else { return "0 sec" }
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
    let parts = [
      words(days / 30, "month"), dayWords(days % 30), words(hours % 24, "hour"),
      minutes % 60 == 0 ? nil : "\(minutes % 60) min", seconds % 60 == 0 ? nil : "\(seconds % 60) sec",
    ]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  private static func words(_ count: Int, _ unit: String) -> String? {
    count == 0 ? nil : count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
  }

  private static func dayWords(_ count: Int) -> String? {
    count == 7 ? "1 week" : count == 14 ? "2 weeks" : words(count, "day")
  }
}
