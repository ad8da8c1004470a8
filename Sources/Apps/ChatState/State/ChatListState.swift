import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The chat list of the current user: entries by id, and their order.
///
/// Governs: which chats there are, their order, and which wait to be moved to the top. Does not govern: counts over
/// the list (``AppState`` keeps them by the difference of entries) and the open chat's items.
/// Invariant: `order` names every entry exactly once.
public struct ChatListState: Sendable {
  /// Ids in the order of the list.
  public private(set) var order: [ChatId] = []
  private var entries: [ChatId: ChatEntry] = [:]
  /// Chats that changed since they were last moved.
  private var toPop: Set<ChatId> = []
  /// The times at which single chats were moved to the top.
  private var popped: [ChatId: Date] = [:]

  /// An empty list.
  public init() {}

  /// Number of chats.
  public var count: Int { order.count }

  /// An entry; nil if there is no such chat.
  public subscript(id: ChatId) -> ChatEntry? { entries[id] }

  /// Whether there is such a chat.
  public func contains(_ id: ChatId) -> Bool { entries[id] != nil }

  /// Whether chats other than the open one wait to be moved.
  func hasChatsToPop(except open: ChatId?) -> Bool {
    toPop.count > 1 || toPop.first.map { $0 != open } ?? false
  }

  /// Entries in the order of the list.
  public var inOrder: some Sequence<ChatEntry> { order.lazy.compactMap { entries[$0] } }

  /// Puts an entry in the place of the one with its id; returns the one before.
  mutating func update(_ entry: ChatEntry) -> ChatEntry? {
    guard let index = entries.index(forKey: entry.id) else { return nil }
    let old = entries.values[index]
    entries.values[index] = entry
    return old
  }

  /// Puts an entry on top. Precondition of its callers: there is none with its id.
  mutating func insertFirst(_ entry: ChatEntry) {
    if entries.updateValue(entry, forKey: entry.id) == nil { order.insert(entry.id, at: 0) }
  }

  /// Removes an entry and returns it.
  mutating func remove(_ id: ChatId) -> ChatEntry? {
    guard let old = entries.removeValue(forKey: id) else { return nil }
    order.removeAll { $0 == id }
    toPop.remove(id)
    popped[id] = nil
    return old
  }

  /// Takes a whole list. Of two chats with one id (the ones that could not be read have none) the first stays.
  mutating func replaceAll(_ chats: [ChatEntry]) {
    order = []
    order.reserveCapacity(chats.count)
    entries = Dictionary(minimumCapacity: chats.count)
    toPop = []
    popped = [:]
    for chat in chats where entries.updateValue(chat, forKey: chat.id) == nil { order.append(chat.id) }
  }

  /// Notes that a chat may belong elsewhere. It moves when ``popCollected(except:)`` is called.
  mutating func collectPop(_ id: ChatId) {
    if order.first != id { toPop.insert(id) }
  }

  /// Moves the collected chats to where the time of their last change puts them, which is mostly the top; the open one
  /// waits, since moving it would lead away from it. Returns whether the order changed.
  mutating func popCollected(except open: ChatId?) -> Bool {
    let moving = toPop.subtracting(open.map { [$0] } ?? []).filter { entries[$0] != nil }
    toPop.subtract(moving)
    guard !moving.isEmpty else { return false }
    var sorted = order.filter { !moving.contains($0) }
    var position = 0
    for (id, time) in moving.map({ ($0, time(of: $0)) }).sorted(by: { $0.1 > $1.1 }) {
      while position < sorted.count, self.time(of: sorted[position]) > time { position += 1 }
      sorted.insert(id, at: position)
    }
    order = sorted
    return true
  }

  private func time(of id: ChatId) -> Date {
    max(entries[id]?.chatInfo.chatTs ?? .distantPast, popped[id] ?? .distantPast)
  }

  /// Moves one chat to the top, and counts it as changed at a time when others move; returns whether the order changed.
  mutating func pop(_ id: ChatId, _ ts: Date) -> Bool {
    toPop.remove(id)
    if entries[id] != nil { popped[id] = ts }
    guard let position = order.firstIndex(of: id), position > 0 else { return false }
    order.remove(at: position)
    order.insert(id, at: 0)
    return true
  }

  /// The chats that pass a filter and contain a text in their names, in the order of the list. Contact cards and
  /// deleted conversations are left out. An empty text passes every chat; a text is searched in all chats.
  public func filtered(by filter: ActiveFilter?, search: String = "") -> [ChatId] {
    let text = search.lowercased()
    return order.filter { id in
      guard let entry = entries[id], !entry.chatInfo.chatDeleted, !entry.chatInfo.contactCard else { return false }
      guard text.isEmpty else { return entry.chatInfo.names.contains { $0.lowercased().contains(text) } }
      return filter?.matches(entry) ?? true
    }
  }
}

extension ChatInfo {
  /// What a search in the list looks at.
  fileprivate var names: [String] {
    switch self {
    case .direct(let contact):
      contact.localAlias.isEmpty ? [chatViewName] : [chatViewName, contact.profile.displayName, contact.fullName]
    case .contactConnection(let connection): [connection.localAlias]
    case .invalidJSON: []
    case .group, .local, .contactRequest: [chatViewName]
    }
  }
}
