import ChatAPI
import ChatState

// Actions of peers: each changes the core, and returns the event that reports it.
extension ModelCore {
  /// A peer sends a message. `late` is how many seconds ago a group's message was sent.
  public func receive(in id: ChatId, _ text: String, mention: Bool = false, late: Int = 0) -> ChatEvent? {
    world.withLock { world in
      guard let info = world.chats[id]?.info else { return nil }
      let isGroup = info.groupInfo != nil
      let direction: CIDirection =
        if let group = info.groupInfo {
          .groupRcv(groupMember: Samples.member(group.groupId * 100 + 1, in: group.groupId, "bob"))
        } else {
          .directRcv
        }
      let added = world.add(to: id, direction, text, mention: mention && isGroup, late: isGroup ? late : 0)
      return added.map { .newChatItems(user: world.user, chatItems: [$0]) }
    }
  }

  /// A peer changes a message.
  public func edit(in id: ChatId, _ itemId: Int64, _ text: String) -> ChatEvent? {
    world.withLock { world in
      let changed = world.change(in: id, item: itemId) {
        $0.content = .rcvMsgContent(msgContent: .text(text))
        $0.meta.itemText = text
        $0.meta.itemEdited = true
      }
      return changed.map { .chatItemUpdated(user: world.user, chatItem: $0) }
    }
  }

  /// A peer deletes messages.
  public func delete(in id: ChatId, _ itemIds: [Int64]) -> ChatEvent? {
    world.withLock { world in
      let deletions = itemIds.compactMap { world.remove(id, $0) }
      return deletions.isEmpty
        ? nil : .chatItemsDeleted(user: world.user, chatItemDeletions: deletions, byUser: false)
    }
  }

  /// The user's message was delivered up to this status.
  public func deliver(in id: ChatId, _ itemId: Int64, _ status: CIStatus) -> ChatEvent? {
    world.withLock { world in
      let changed = world.change(in: id, item: itemId) { $0.meta.itemStatus = status }
      return changed.map { .chatItemsStatusesUpdated(user: world.user, chatItems: [$0]) }
    }
  }

  /// A contact is added.
  public func connect(_ contactId: Int64, _ name: String) -> ChatEvent {
    world.withLock { world in
      world.now += 1
      let contact = Samples.contact(contactId, name, at: Samples.time(world.now))
      world.chats[contact.id] = Stored(info: .direct(contact: contact))
      return .contactConnected(user: world.user, contact: contact)
    }
  }
}
