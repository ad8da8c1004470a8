import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What changes the chat list, other than items.
extension AppState {
  /// Adds a chat on top of the list; one with its id is replaced.
  public mutating func addChat(_ entry: ChatEntry) {
    put(entry)
    chats.collectPop(entry.id)
  }

  /// Updates a chat. The list shows a part of a group's chat as the whole chat.
  public mutating func updateChatInfo(_ info: ChatInfo, at now: Date) {
    withChat(info.id) { entry in
      entry.chatInfo = info.inList
      entry.created = now
    }
  }

  /// Updates a chat, or adds it if it is not in the list and may be added.
  mutating func updateChat(_ info: ChatInfo, addMissing: Bool = true, at now: Date) {
    if chats.contains(info.id) {
      updateChatInfo(info, at: now)
    } else if addMissing {
      addChat(ChatEntry(chatInfo: info.inList, created: now))
    }
  }

  /// Updates a contact; one that is known from groups only is not added to the list.
  public mutating func updateContact(_ contact: Contact, at now: Date) {
    updateChat(.direct(contact: contact), addMissing: contact.directOrUsed, at: now)
    updateMember(of: contact)
  }

  /// Shows the profile of a contact where it is the profile of a member of the open group.
  mutating func updateMember(of contact: Contact) {
    for var member in members.groupMembers
    where member.memberContactId == contact.contactId && member.memberProfile.profileId == contact.profile.profileId
      && member.memberProfile != contact.profile
    {
      member.memberProfile = contact.profile
      _ = members.upsert(member)
      changes.insert(.members)
    }
  }

  /// Updates a group.
  public mutating func updateGroup(_ group: GroupInfo, at now: Date) {
    updateChat(.group(groupInfo: group, groupChatScope: nil), at: now)
  }

  /// Updates a connection without contact.
  public mutating func updateContactConnection(_ connection: PendingContactConnection, at now: Date) {
    updateChat(.contactConnection(contactConnection: connection), at: now)
  }

  /// Replaces a chat, or adds it on top if it is not in the list.
  public mutating func replaceChat(_ id: ChatId, _ entry: ChatEntry) {
    if id != entry.id { drop(id) }
    put(entry)
  }

  /// Removes a chat, and what is shown of it.
  public mutating func removeChat(_ id: ChatId) {
    let removed = drop(id)
    removeTransfers(of: id)
    guard open.chatId == id else { return }
    members.clear()
    changes.insert(.members)
    if let groupId = removed?.chatInfo.groupInfo?.groupId {
      misc.channelRelayHostnames[groupId] = nil
      changes.insert(.misc)
    }
  }

  /// Moves a chat to the top, as changed at this time.
  public mutating func popChat(_ id: ChatId, _ ts: Date) {
    if chats.pop(id, ts) { changes.insert(.chatOrder) }
  }

  /// Moves the chats that changed to the top, except the open one.
  public mutating func popCollectedChats() {
    if chats.popCollected(except: open.chatId) { changes.insert(.chatOrder) }
  }

  /// Opens a chat or, with nil, leaves the open one; a chat that changed meanwhile goes to the top then.
  public mutating func setChatId(_ id: ChatId?) {
    guard open.chatId != id else { return }
    open.chatId = id
    changes.insert(.open)
    if open.chatToTop != id { open.chatToTop = nil }
    popCollectedChats()
  }

  /// Replaces the list, after a change of the user or a reload. A chat that is kept stays unchanged, on top.
  public mutating func updateChats(_ data: [ChatData], keepingChatId: ChatId? = nil, at now: Date) {
    let kept = keepingChatId.flatMap { id in data.contains { $0.id == id } ? chats[id] : nil }
    var entries = data.map { ChatEntry($0, created: now) }
    if let kept {
      entries.removeAll { $0.id == kept.id }
      entries.insert(kept, at: 0)
    }
    replaceChats(entries)
  }

  /// Marks the invitation of a connection as used.
  mutating func dismissConnReqView(_ connectionId: ChatId) {
    guard misc.showingInvitation?.pcc.id == connectionId else { return }
    misc.showingInvitation?.connChatUsed = true
    changes.insert(.misc)
  }

  /// Removes the entry of a connection that became a contact or a group.
  mutating func replacePending(_ connection: Connection?) {
    guard let connection else { return }
    dismissConnReqView(connection.id)
    removeChat(connection.id)
  }

  /// Updates a member of the open group, or of the channel being created. Returns whether it is new.
  @discardableResult
  public mutating func upsertGroupMember(_ group: GroupInfo, _ member: GroupMember, at now: Date) -> Bool {
    if group.membership.groupMemberId == member.groupMemberId {
      updateGroup(group, at: now)
      return false
    }
    guard open.chatId == group.id || open.creatingChannelId == group.id else { return false }
    changes.insert(.members)
    return members.upsert(member)
  }

  /// Takes the members of a group, if it is still open.
  public mutating func setGroupMembers(_ groupId: ChatId, _ loaded: [GroupMember]) {
    guard open.chatId == groupId || open.creatingChannelId == groupId else { return }
    members.set(loaded)
    members.membersLoaded = true
    changes.insert(.members)
  }

  /// Marks a chat as unread or not, whatever its items are.
  public mutating func markChatUnread(_ id: ChatId, unreadChat: Bool) {
    withChat(id) { $0.chatStats.unreadChat = unreadChat }
  }

  /// Changes the number of reports that moderators have to handle.
  public mutating func changeGroupReportsCounter(_ id: ChatId, by change: Int) {
    guard change != 0 else { return }
    withChat(id) { $0.chatStats.reportsCount = max(0, $0.chatStats.reportsCount + change) }
  }
}

extension ChatInfo {
  /// The chat as the list shows it: a part of a group's chat as the whole chat.
  var inList: ChatInfo {
    if case .group(let group, .some) = self { .group(groupInfo: group, groupChatScope: nil) } else { self }
  }
}
