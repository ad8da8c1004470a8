import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of queue rotation, ratchet synchronisation and encryption.
  mutating func reduceSecurity(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .contactSwitch(let user, let contact, let progress):
      if isActive(user) { updateContact(contact, stats: progress.connectionStats, at: now) }
    case .contactRatchetSync(let user, let contact, let progress):
      if isActive(user) { updateContact(contact, stats: progress.connectionStats, at: now) }
    case .groupMemberSwitch(let user, let group, let member, let progress):
      if isActive(user) { updateMember(of: group, member: member, stats: progress.connectionStats, at: now) }
    case .groupMemberRatchetSync(let user, let group, let member, let progress):
      if isActive(user) { updateMember(of: group, member: member, stats: progress.connectionStats, at: now) }
    case .contactPQEnabled(let user, let contact, _):
      if isActive(user) { updateContact(contact, at: now) }
    default: return nil
    }
    return []
  }

  /// Updates a contact and its connection.
  mutating func updateContact(_ contact: Contact, stats: ConnectionStats, at now: Date) {
    setStats(stats, of: contact.activeConn)
    updateContact(contact, at: now)
  }

  private mutating func updateMember(
    of group: GroupInfo, member: GroupMember, stats: ConnectionStats, at now: Date
  ) {
    setStats(stats, of: member.activeConn)
    upsertGroupMember(group, member, at: now)
  }

  private mutating func setStats(_ stats: ConnectionStats, of connection: Connection?) {
    guard let connection else { return }
    misc.connectionStats[connection.connId] = stats
    changes.insert(.misc)
  }
}
