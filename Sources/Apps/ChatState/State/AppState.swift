import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Everything an app shows, as one value.
///
/// Governs: how the state follows from events of the core, answers to commands and what the person does. Does not
/// govern: input and output, time, and telling views; ``ChatModel`` does that. Invariants: the chat list holds no id
/// twice; unread counts of tags and of the current user are those of the chats; no count is negative.
public struct AppState: Sendable {
  /// Parts that views follow separately.
  public enum Part: Int, CaseIterable, Sendable {
    case session, chatOrder, tags, open, items, secondary, members, relays, notifications, calls, remote, misc,
      transfers
  }

  /// What changed since it was last taken.
  public struct Changes: Sendable {
    /// The parts, as bits of their numbers.
    private var parts: UInt32 = 0
    /// Chats that changed, came or went.
    public internal(set) var chats: Set<ChatId> = []

    /// Whether a part changed.
    public func contains(_ part: Part) -> Bool { parts & (1 << UInt32(part.rawValue)) != 0 }
    /// Whether nothing changed.
    var isEmpty: Bool { parts == 0 && chats.isEmpty }

    mutating func insert(_ part: Part) { parts |= 1 << UInt32(part.rawValue) }
  }

  /// The core and its users.
  public var session = SessionState()
  /// The chat list.
  public internal(set) var chats = ChatListState()
  /// Tags and their counts.
  public internal(set) var tags = TagsState()
  /// The open chat.
  public var open = OpenChatState()
  /// Its items.
  public internal(set) var items = ItemsState()
  /// Items of a secondary view.
  public internal(set) var secondary: SecondaryItems?
  /// Members of the open group.
  public internal(set) var members = MembersState()
  /// Relays of the shown channel.
  public internal(set) var relays = ChannelRelaysState()
  /// Notifications.
  public var notifications = NotificationState()
  /// Calls.
  public var calls = CallsState()
  /// Files on their way.
  public internal(set) var transfers = TransfersState()
  /// The session with a desktop.
  public var remoteCtrlSession: RemoteCtrlSession?
  /// Whether known desktops are looked for without the user.
  var looksForDesktops = false
  /// The mobile devices that this device controls.
  public internal(set) var remoteHosts = RemoteHostsState()
  /// The rest.
  public var misc = MiscState()
  /// Sum of unread items that the current user wants to know of.
  public private(set) var unreadCount = 0
  /// What changed.
  var changes = Changes()

  /// Nothing is known.
  public init() {}

  /// Takes the changes away.
  mutating func takeChanges() -> Changes {
    let taken = changes
    changes = Changes()
    return taken
  }

  /// Whether a user is the current one.
  public func isActive(_ user: some UserLike) -> Bool { user.userId == session.currentUser?.userId }

  /// Whether notifications about a user are allowed: one who is not the current user must be neither muted nor hidden.
  func mayNotify(_ user: User) -> Bool { isActive(user) || user.showNtfs && !user.hidden }

  /// Unread items of all users that they want to know of.
  public var totalUnreadCountForAllUsers: Int {
    session.users.reduce(unreadCount) { $1.user.activeUser ? $0 : $0 + $1.unreadCount }
  }

  // MARK: The one way to change an entry

  /// Puts an entry in the place of the one with its id, or on top if there is none and it may be added.
  mutating func put(_ entry: ChatEntry, adding: Bool = true) {
    var entry = entry
    if let newest = entry.newestItemId, let preview = entry.chatItems.last {
      entry.newestItemId = max(newest, preview.id)
    }
    if let old = chats.update(entry) {
      count(EntryCounts(old), EntryCounts(entry))
    } else if adding {
      chats.insertFirst(entry)
      changes.insert(.chatOrder)
      count(EntryCounts(), EntryCounts(entry))
    } else {
      return
    }
    changes.chats.insert(entry.id)
  }

  /// Changes an entry, if there is one.
  mutating func withChat(_ id: ChatId, _ change: (inout ChatEntry) -> Void) {
    guard var entry = chats[id] else { return }
    change(&entry)
    put(entry, adding: false)
  }

  /// Removes an entry and returns it.
  @discardableResult
  mutating func drop(_ id: ChatId) -> ChatEntry? {
    guard let old = chats.remove(id) else { return nil }
    count(EntryCounts(old), EntryCounts())
    changes.insert(.chatOrder)
    changes.chats.insert(id)
    return old
  }

  /// Takes a whole list.
  mutating func replaceChats(_ entries: [ChatEntry]) {
    for id in chats.order { changes.chats.insert(id) }
    for entry in chats.inOrder { count(EntryCounts(entry), EntryCounts()) }
    chats.replaceAll(entries)
    for entry in chats.inOrder {
      count(EntryCounts(), EntryCounts(entry))
      changes.chats.insert(entry.id)
    }
    changes.insert(.chatOrder)
  }

  /// Counts follow the difference that a change of an entry makes.
  private mutating func count(_ old: EntryCounts, _ new: EntryCounts) {
    guard old != new else { return }
    if tags.replace(old, new) { changes.insert(.tags) }
    guard old.unread != new.unread else { return }
    unreadCount += new.unread - old.unread
    if let user = session.currentUser {
      session.changeUnread(of: user.userId, by: new.unread - old.unread)
      changes.insert(.session)
    }
  }
}
