import ChatAPI
import Observation

#if canImport(Combine)
  import Combine
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A conversation of the chat list. Views observe each one separately, so that a message redraws one row.
@Observable
@MainActor
public final class Chat: Identifiable, ChangeAnnouncing {
  /// Identifies the chat; can be read on any thread.
  public nonisolated let id: ChatId
  /// The value behind it.
  public internal(set) var entry: ChatEntry {
    willSet { announceChange() }
  }

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  /// A chat that is not part of a model.
  public convenience init(
    chatInfo: ChatInfo, chatItems: [ChatItem] = [], chatStats: ChatStats = .none, created: Date = Date()
  ) {
    self.init(ChatEntry(chatInfo: chatInfo, chatItems: chatItems, chatStats: chatStats, created: created))
  }

  /// A chat that the core returned.
  public convenience init(_ data: ChatData) {
    self.init(chatInfo: data.chatInfo, chatItems: data.chatItems, chatStats: data.chatStats)
  }

  init(_ entry: ChatEntry) {
    id = entry.id
    self.entry = entry
  }

  /// Whom it is with.
  public var chatInfo: ChatInfo { entry.chatInfo }
  /// Preview items, usually the last message.
  public var chatItems: [ChatItem] { entry.chatItems }
  /// Counts of unread and reported items.
  public var chatStats: ChatStats { entry.chatStats }
  /// When the entry was made or its information last replaced.
  public var created: Date { entry.created }

  /// Identifies the row: it changes when the information is replaced.
  public var viewId: String { "\(entry.id) \(entry.created.timeIntervalSince1970)" }
  /// Whether the chat counts as unread, as its notifications are set.
  public var unreadTag: Bool { entry.unreadTag }
  /// Unread items of support chats: of members for moderators, else the user's own.
  public var supportUnreadCount: Int { entry.supportUnreadCount }

  /// A chat like this one with other members.
  public func copy(chatInfo: ChatInfo? = nil, chatItems: [ChatItem]? = nil, chatStats: ChatStats? = nil) -> Chat {
    Chat(
      chatInfo: chatInfo ?? self.chatInfo, chatItems: chatItems ?? self.chatItems,
      chatStats: chatStats ?? self.chatStats)
  }
}

/// A member of the open group.
@Observable
@MainActor
public final class GMember: Identifiable, ChangeAnnouncing {
  /// Identifies the member; can be read on any thread.
  public nonisolated let id: String
  /// The value behind it.
  public internal(set) var wrapped: GroupMember {
    willSet { announceChange() }
  }
  private var change = 0

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  /// A member.
  public init(_ member: GroupMember) {
    id = member.id
    wrapped = member
  }

  /// Database id of the group.
  public var groupId: Int64 { wrapped.groupId }
  /// Database id of the member.
  public var groupMemberId: Int64 { wrapped.groupMemberId }
  /// The name to show.
  public var displayName: String { wrapped.displayName }
  /// Identifies the row: it changes when the member does.
  public var viewId: String { "\(wrapped.id) \(change)" }

  func update(_ member: GroupMember, change: Int) {
    wrapped = member
    self.change = change
  }
}
