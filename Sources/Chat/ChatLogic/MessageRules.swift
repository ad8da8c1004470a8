import ChatAPI
import FoundationTypes

extension Contact {
  private var isTimed: Bool {
    let enabled = mergedPreferences.timedMessages.enabled
    return enabled.forUser && enabled.forContact
  }

  /// When a message sent by the user disappears; nil for never.
  ///
  /// - Parameters:
  ///   - ttl: seconds for this message; nil for those of the chat.
  ///   - live: whether the message is still being written; its time begins when it is finished.
  public func timedForSent(ttl: Int?, live: Bool, now: Date) -> CITimed? {
    guard isTimed, let ttl = ttl ?? mergedPreferences.timedMessages.userPreference.preference.ttl else { return nil }
    return CITimed(ttl: ttl, deleteAt: live ? nil : now.addingTimeInterval(Double(ttl)))
  }

  /// When a received message disappears, counted from reading it; nil for never.
  public func timedForReceived(ttl: Int?) -> CITimed? {
    guard isTimed else { return nil }
    return ttl.map { CITimed(ttl: $0) }
  }

  /// Whether the user may use a feature with this contact.
  public func isAllowed(_ feature: ChatFeature, for side: FeatureItems.Side) -> Bool {
    let enabled = FeatureItems.state(feature, mergedPreferences).enabled
    return side == .user ? enabled.forUser : enabled.forContact
  }

  /// The name that forwarded messages show.
  public var nameForForwarding: String {
    profile.localAlias.isEmpty ? profile.displayName : profile.localAlias
  }
}

extension MsgContent {
  /// Whether it is a report to moderators.
  public var isReport: Bool { if case .report = self { true } else { false } }

  /// What stands in a quote of this content within a message of `content`: its picture is left out where that message
  /// is large itself.
  public func quoted(in content: MsgContent, fileName: String?) -> MsgContent {
    let text = text.isEmpty ? fileName ?? "" : text
    switch content {
    case .link, .image, .video, .chat, .unknown: return .text(text)
    case .text, .file, .voice, .report: break
    }
    return switch self {
    case .image(_, let image): .image(text: text, image: image)
    case .file: .file(text)
    default: self
    }
  }

  /// The content to forward; nil if nothing can be forwarded, as with a voice message without its file.
  public func forwarded(hasFile: Bool) -> MsgContent? {
    var content = self
    if case .chat(let text, let link, _) = content { content = .chat(text: text, chatLink: link) }
    switch content {
    case .image, .link: return content
    case .text, .chat, .unknown, .report: return content
    case .video, .voice, .file:
      if hasFile { return content }
      return content.text.isEmpty ? nil : .text(content.text)
    }
  }
}

extension ChatItem {
  /// Whether it can have reactions.
  public var allowsReactions: Bool { meta.itemDeleted == nil && content.msgContent != nil }
}

/// Which reactions may be added or removed.
public enum ReactionRules {
  /// The maximum number of reactions of one side to a message.
  public static let limit = 3

  /// Whether the reaction changes anything and there are not too many.
  public static func allows(_ reaction: MsgReaction, add: Bool, to present: [MsgReaction]) -> Bool {
    present.contains(reaction) != add && !(add && present.count >= limit)
  }
}

/// How long messages can be deleted after sending.
public enum DeletionRules {
  /// Whether the user can still delete a sent item for the contact; 6 hours longer than user interfaces offer it.
  public static func mayDelete(_ item: ChatItem, now: Date) -> Bool {
    guard case .sndMsgContent = item.content, item.meta.itemDeleted == nil, item.meta.itemSharedMsgId != nil else {
      return false
    }
    return now.timeIntervalSince(item.meta.itemTs) < 30 * 3_600
  }

  /// Whether a contact or member can delete an item that it sent; allows 78 hours for delivery. Items that are hidden
  /// because their author is blocked are not deleted yet.
  public static func mayDelete(received item: ChatItem, at time: Date) -> Bool {
    switch item.meta.itemDeleted {
    case nil, .blocked, .blockedByAdmin: time.timeIntervalSince(item.meta.itemTs) < 78 * 3_600
    case .deleted, .moderated: false
    }
  }
}
