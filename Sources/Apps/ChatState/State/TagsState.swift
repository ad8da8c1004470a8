import ChatAPI

/// A tag that every user has; chats match it by what they are.
public enum PresetTag: Int, CaseIterable, Hashable, Sendable, Identifiable {
  case groupReports, favorites, contacts, groups, channels, business, notes

  /// Identifies the tag.
  public var id: Int { rawValue }

  /// Whether a chat has the tag.
  public func matches(_ info: ChatInfo, _ stats: ChatStats) -> Bool { PresetTags(of: info, stats).contains(self) }
}

/// Preset tags of a chat, as bits: they are compared at every change of a chat.
struct PresetTags: Hashable, Sendable {
  private var bits: UInt8 = 0

  init() {}

  func contains(_ tag: PresetTag) -> Bool { bits & (1 << UInt8(tag.rawValue)) != 0 }
  private mutating func insert(_ tag: PresetTag) { bits |= 1 << UInt8(tag.rawValue) }

  /// All tags of a chat.
  init(of info: ChatInfo, _ stats: ChatStats) {
    var tags = PresetTags()
    if stats.reportsCount > 0 { tags.insert(.groupReports) }
    switch info {
    case .direct(let contact):
      if contact.chatSettings.favorite { tags.insert(.favorites) }
      if !contact.isContactCard && !contact.chatDeleted { tags.insert(.contacts) }
    case .group(let group, _):
      if group.chatSettings.favorite { tags.insert(.favorites) }
      switch group.businessChat?.chatType {
      case .customer: tags.insert(.contacts)
      case .business: tags.insert(.business)
      case nil: tags.insert(group.isChannel ? .channels : .groups)
      }
      if group.isChannel { tags.insert(.channels) }
    case .contactRequest, .contactConnection: tags.insert(.contacts)
    case .local: tags.insert(.notes)
    case .invalidJSON: break
    }
    self = tags
  }
}

/// What the chat list is filtered by.
public enum ActiveFilter: Hashable, Sendable, Identifiable {
  /// Chats of a kind.
  case presetTag(PresetTag)
  /// Chats that the user tagged.
  case userTag(ChatTag)
  /// Unread chats.
  case unread

  /// Identifies the filter.
  public var id: String {
    switch self {
    case .presetTag(let tag): "preset \(tag.id)"
    case .userTag(let tag): "user \(tag.chatTagId)"
    case .unread: "unread"
    }
  }

  /// Whether a chat passes.
  public func matches(_ entry: ChatEntry) -> Bool {
    switch self {
    case .presetTag(let tag): tag.matches(entry.chatInfo, entry.chatStats)
    case .userTag(let tag): entry.chatInfo.chatTags?.contains(tag.chatTagId) == true
    case .unread: entry.unreadTag
    }
  }
}

/// Tags and how many chats have them: the value behind ``ChatTagsModel``.
public struct TagsState: Hashable, Sendable {
  /// The user's tags, in the user's order.
  public var userTags: [ChatTag] = []
  /// What the list is filtered by.
  public var activeFilter: ActiveFilter?
  /// Number of chats of each kind; no entry for none.
  public internal(set) var presetTags: [PresetTag: Int] = [:]
  /// Number of unread chats with each of the user's tags; no entry for none.
  public internal(set) var unreadTags: [Int64: Int] = [:]

  /// Replaces the counts of an entry; returns whether anything changed.
  mutating func replace(_ old: EntryCounts, _ new: EntryCounts) -> Bool {
    guard old.presets != new.presets || old.unreadTags != new.unreadTags else { return false }
    for tag in PresetTag.allCases {
      let change = (new.presets.contains(tag) ? 1 : 0) - (old.presets.contains(tag) ? 1 : 0)
      if change != 0 { Self.add(change, to: tag, &presetTags) }
    }
    for tag in old.unreadTags { Self.add(-1, to: tag, &unreadTags) }
    for tag in new.unreadTags { Self.add(1, to: tag, &unreadTags) }
    clearFilterIfNothingMatches()
    return true
  }

  /// Replaces the user's tags; a filter by a removed tag is reset.
  mutating func setUserTags(_ tags: [ChatTag]) {
    userTags = tags
    clearFilterIfNothingMatches()
  }

  /// Ends a filter that no chat can pass any more.
  mutating func clearFilterIfNothingMatches() {
    switch activeFilter {
    case .presetTag(let tag): if presetTags[tag] == nil { activeFilter = nil }
    case .userTag(let tag): if !userTags.contains(tag) { activeFilter = nil }
    case .unread, nil: break
    }
  }

  private static func add<Key: Hashable>(_ change: Int, to key: Key, _ counts: inout [Key: Int]) {
    let count = counts[key, default: 0] + change
    counts[key] = count > 0 ? count : nil
  }
}
