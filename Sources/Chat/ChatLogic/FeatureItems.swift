import ChatAPI

/// Items that show for whom a feature of a chat is on.
public enum FeatureItems {
  /// For whom a feature is on, and its parameter where it is on for somebody.
  struct State: Hashable {
    var enabled: FeatureEnabled
    var param: Int?
  }

  private struct Offer: Hashable {
    var allowed: FeatureAllowed
    var param: Int?
  }

  /// Features that user interfaces show.
  private static let shown: [ChatFeature] = [.timedMessages, .fullDelete, .reactions, .voice, .calls]

  /// The items of a new chat.
  public static func initial(_ preferences: ContactUserPreferences) -> [CIContent] {
    shown
      .map { feature in
        let state = state(feature, preferences)
        return .rcvChatFeature(feature: feature, enabled: state.enabled, param: state.param)
      }
  }

  /// The items of a change. What the contact allows is shown if the feature is not on for anybody new.
  /// - Parameter isSent: whether the user made the change.
  public static func changed(
    from old: ContactUserPreferences, to new: ContactUserPreferences, isSent: Bool, offers: Side
  ) -> [CIContent] {
    shown
      .compactMap { feature in
        let state = state(feature, new)
        if state != self.state(feature, old) {
          return isSent
            ? .sndChatFeature(feature: feature, enabled: state.enabled, param: state.param)
            : .rcvChatFeature(feature: feature, enabled: state.enabled, param: state.param)
        }
        let offer = offer(feature, in: new, by: offers)
        guard offer != self.offer(feature, in: old, by: offers) else { return nil }
        return isSent
          ? .sndChatPreference(feature: feature, allowed: offer.allowed, param: offer.param)
          : .rcvChatPreference(feature: feature, allowed: offer.allowed, param: offer.param)
      }
  }

  /// The side whose preferences are offers.
  public enum Side: Sendable {
    /// The user's.
    case user
    /// The contact's.
    case contact
  }

  static func state(_ feature: ChatFeature, _ preferences: ContactUserPreferences) -> State {
    guard feature == .timedMessages else { return State(enabled: simple(feature, preferences).enabled, param: nil) }
    let timed = preferences.timedMessages
    return State(
      enabled: timed.enabled, param: timed.enabled.forUser ? timed.userPreference.preference.ttl : nil)
  }

  private static func offer(_ feature: ChatFeature, in preferences: ContactUserPreferences, by side: Side) -> Offer {
    if feature == .timedMessages {
      let timed = preferences.timedMessages
      let preference = side == .user ? timed.userPreference.preference : timed.contactPreference
      return Offer(allowed: preference.allow, param: preference.allow == .no ? nil : preference.ttl)
    }
    let simple = simple(feature, preferences)
    let preference = side == .user ? simple.userPreference.preference : simple.contactPreference
    return Offer(allowed: preference.allow, param: nil)
  }

  private static func simple(
    _ feature: ChatFeature, _ preferences: ContactUserPreferences
  ) -> ContactUserPreference<SimplePreference> {
    switch feature {
    case .fullDelete: preferences.fullDelete
    case .reactions: preferences.reactions
    case .voice: preferences.voice
    case .files: preferences.files
    case .calls: preferences.calls
    case .sessions, .timedMessages: preferences.sessions
    }
  }
}

extension Contact {
  /// Seconds after which messages of this chat disappear; nil if they stay.
  public var timedTTL: Int? {
    let timed = mergedPreferences.timedMessages
    guard timed.enabled.forUser, timed.enabled.forContact else { return nil }
    return timed.userPreference.preference.ttl
  }
}
