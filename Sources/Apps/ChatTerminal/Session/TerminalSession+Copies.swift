import ChatAPI
import SimpleXChat

extension TerminalSession {
  /// Shows once that another program runs with a copy of the profile; true for the events that say so.
  func followCopies(_ event: ChatEvent) -> Bool {
    guard input.isInteractive else { return false }
    let user: User
    switch event {
    case .contactAnotherClient(let owner, _), .subscriptionEnd(let owner, _): user = owner
    default: return false
    }
    let isFirst = state.withLock { state in
      let isFirst = state.ended.isEmpty
      _ = state.ended[user.userId, default: EndedSubscriptions()].follow(event)
      return isFirst
    }
    if isFirst { input.show(CopyRule.anotherRuns) }
    return true
  }

  /// `/repair`: asks whether no other copy of the profile runs any more. False for other lines.
  func performRepair(_ line: String, isConfirmed: Bool) async -> Bool {
    guard input.isInteractive, line == "/repair" else { return false }
    if isConfirmed {
      await repair()
    } else {
      echo(line)
      state.withLock { $0.unconfirmed = line }
      input.show(["\(CopyRule.question) Type \(.highlight("y")) to confirm."])
    }
    return true
  }

  /// Receives again, and negotiates the encryption of those connections of the active user anew that another copy used,
  /// or that cannot decrypt.
  private func repair() async {
    guard let user = view.user else { return }
    let subscribed = await core.send(.resubscribeAllConnections)
    if case .error = subscribed { return input.show(view.lines(subscribed)) }
    let ended = state.withLock { $0.ended.removeValue(forKey: user.userId) } ?? EndedSubscriptions()
    var count = 0
    if case .result(.response1(.contactsList(_, let contacts))) = await core.send(
      .apiListContacts(userId: user.userId))
    {
      for contact in contacts where contact.activeConn != nil {
        let isUsed = ended.contacts.contains(contact.contactId)
        if !isUsed { guard await isBroken(.apiContactInfo(contactId: contact.contactId)) else { continue } }
        count += await synchronize(.apiSyncContactRatchet(contactId: contact.contactId, force: isUsed))
      }
    }
    for group in await groups() {
      for member in await members(of: group.groupId) where member.activeConn != nil {
        let (groupID, memberID) = (group.groupId, member.groupMemberId)
        let isUsed = ended.members.contains(.init(group: groupID, member: memberID))
        if !isUsed {
          guard await isBroken(.apiGroupMemberInfo(groupId: groupID, groupMemberId: memberID)) else { continue }
        }
        count += await synchronize(
          .apiSyncGroupMemberRatchet(groupId: groupID, groupMemberId: memberID, force: isUsed))
      }
    }
    let repaired =
      count == 0 ? "No connection has to be repaired." : "Being repaired: \(view.counted(count, "connection"))."
    input.show([StyledText("Messages come here again. \(repaired)")])
  }

  /// Whether the encryption of a connection has to be negotiated anew.
  private func isBroken(_ query: ChatCommand) async -> Bool {
    let stats: ConnectionStats?
    switch await core.send(query) {
    case .result(.response0(.contactInfo(_, _, let found, _))): stats = found
    case .result(.response0(.groupMemberInfo(_, _, _, let found))): stats = found
    default: stats = nil
    }
    return stats?.ratchetSyncState == .allowed || stats?.ratchetSyncState == .required
  }

  /// Begins to negotiate; 1 where it has begun, for a sum.
  private func synchronize(_ command: ChatCommand) async -> Int {
    let result = await core.send(command)
    guard case .error = result else { return 1 }
    input.show(view.lines(result))
    return 0
  }
}
