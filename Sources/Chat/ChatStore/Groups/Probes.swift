import ChatAPI
import SQLiteKit

/// A contact or a member, who may be the same person as one of the other kind.
public enum ContactOrMember: Sendable {
  /// A contact.
  case contact(Contact)
  /// A member with its group.
  case member(GroupMember, GroupInfo)

  var contactId: Int64? { if case .contact(let contact) = self { contact.contactId } else { nil } }
  var memberId: Int64? { if case .member(let member, _) = self { member.groupMemberId } else { nil } }

  /// Whether the person knows the user by an incognito profile.
  public var isIncognito: Bool {
    switch self {
    case .contact(let contact): contact.contactConnIncognito
    case .member(_, let group): group.membership.memberIncognito
    }
  }
}

/// Secrets by which a contact and a member are found to be the same person; texts are base64url.
extension ChatTransaction {
  // MARK: Sent

  /// Stores that a probe was sent; returns its database id.
  public func addSentProbe(_ probe: String, to person: ContactOrMember, of user: User) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO sent_probes (user_id, probe, contact_id, member_id, created_at) VALUES (?, ?, ?, ?, ?)",
      user.userId, probe, person.contactId, person.memberId, nowMicroseconds)
  }

  /// Stores that somebody was asked whether they know a probe.
  public func addAsked(_ person: ContactOrMember, probe id: Int64) throws(StoreError) {
    try execute(
      "INSERT INTO asked_probes (probe_id, contact_id, member_id) VALUES (?, ?, ?)", id, person.contactId,
      person.memberId)
  }

  /// The contact or member that a probe was sent to, if `person` was asked about it.
  public func recipient(
    ofProbe probe: String, knownBy person: ContactOrMember, of user: User
  ) throws(StoreError) -> ContactOrMember? {
    let found = try first(
      """
      SELECT s.contact_id, s.member_id FROM sent_probes s JOIN asked_probes a ON a.probe_id = s.probe_id \
      WHERE s.user_id = ?1 AND s.probe = ?2 AND (a.contact_id = ?3 OR a.member_id = ?4) LIMIT 1
      """, user.userId, probe, person.contactId, person.memberId
    ) { (row) throws(SQLFailure) in (try row.optionalInteger(0), try row.optionalInteger(1)) }
    return try found.flatMap { (found) throws(StoreError) in try self.person(found.0, found.1, of: user) }
  }

  // MARK: Received

  /// Stores a probe, or the hash of one, that somebody sent; returns those who sent the other of the two before, with
  /// the probe.
  public func receive(
    probe: String?, hash: String, from sender: ContactOrMember, of user: User
  ) throws(StoreError) -> [(person: ContactOrMember, probe: String)] {
    let found = try all(
      """
      SELECT contact_id, member_id, coalesce(probe, ?3) FROM received_probes WHERE user_id = ?1 AND hash = ?2 \
      AND (probe IS NULL) <> (?3 IS NULL) ORDER BY received_id LIMIT 20
      """, user.userId, hash, probe
    ) { (row) throws(SQLFailure) in
      (try row.optionalInteger(0), try row.optionalInteger(1), try row.optionalText(2))
    }
    try execute(
      """
      INSERT INTO received_probes (user_id, hash, probe, contact_id, member_id, created_at, charged_to) \
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, user.userId, hash, probe, sender.contactId, sender.memberId, nowMicroseconds, payer)
    var people: [(person: ContactOrMember, probe: String)] = []
    for (contact, member, probe) in found {
      if let probe, let person = try person(contact, member, of: user) { people.append((person, probe)) }
    }
    return people
  }

  /// Nil where the person is gone.
  private func person(_ contact: Int64?, _ member: Int64?, of user: User) throws(StoreError) -> ContactOrMember? {
    do throws(StoreError) {
      if let contact { return .contact(try self.contact(contact, of: user)) }
      guard let member else { return nil }
      let found = try self.member(member, of: user)
      return .member(found, try group(found.groupId, of: user))
    } catch .dBException(let message) {
      throw .dBException(message: message)
    } catch {
      return nil
    }
  }

  /// Deletes up to `limit` sent and as many received probes that are older than the seconds, and says whether more are
  /// left.
  public func deleteProbes(olderThan seconds: Double, limit: Int = 500) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let time = now.addingTimeInterval(-seconds).microseconds
    let sent = try integers(
      "SELECT probe_id FROM sent_probes WHERE created_at < ? ORDER BY created_at LIMIT ?", time, limit)
    try execute("DELETE FROM sent_probes WHERE probe_id IN (SELECT value FROM json_each(?))", sent.column)
    let received = try execute(
      """
      DELETE FROM received_probes WHERE received_id IN (SELECT received_id FROM received_probes WHERE created_at < ? \
      ORDER BY created_at LIMIT ?)
      """, time, limit)
    return sent.count == limit || received == limit
  }

  // MARK: The same profile

  /// The members without contact whose profile looks like a contact's.
  public func members(like profile: LocalProfile, of user: User) throws(StoreError) -> [ContactOrMember] {
    let ids = try integers(
      """
      SELECT m.member_id FROM profiles p JOIN members m ON m.profile_id = p.profile_id WHERE p.user_id = ?1 \
      AND p.display_name = ?2 AND p.full_name = ?3 AND p.short_descr IS ?4 AND p.image IS ?5 AND m.contact_id IS NULL \
      AND m.category <> 'user' AND m.is_current = 1 LIMIT 20
      """, user.userId, profile.displayName, profile.fullName, profile.shortDescr, profile.image)
    var people: [ContactOrMember] = []
    for id in ids { if let person = try person(nil, id, of: user) { people.append(person) } }
    return people
  }

  /// The contacts whose profile looks like a member's.
  public func contacts(like profile: LocalProfile, of user: User) throws(StoreError) -> [ContactOrMember] {
    let ids = try integers(
      """
      SELECT c.contact_id FROM profiles p JOIN contacts c ON c.profile_id = p.profile_id WHERE p.user_id = ?1 \
      AND p.display_name = ?2 AND p.full_name = ?3 AND p.short_descr IS ?4 AND p.image IS ?5 AND c.is_user = 0 \
      AND c.status NOT IN ('deleted', 'deletedByUser') LIMIT 20
      """, user.userId, profile.displayName, profile.fullName, profile.shortDescr, profile.image)
    var people: [ContactOrMember] = []
    for id in ids { if let person = try person(id, nil, of: user) { people.append(person) } }
    return people
  }

  // MARK: Merging

  /// A member is found to be a contact: it has the contact's name and profile from now on.
  public func associate(_ member: GroupMember, withContact contact: Contact, of user: User) throws(StoreError) {
    try execute(
      """
      UPDATE members SET contact_id = ?2, local_display_name = ?3, profile_id = ?4, contact_profile_id = ?4, \
      updated_at = ?5 WHERE member_id = ?1
      """, member.groupMemberId, contact.contactId, contact.localDisplayName, contact.profile.profileId,
      nowMicroseconds)
    guard member.memberProfile.profileId != contact.profile.profileId else { return }
    try deleteUnusedProfile(member.memberProfile.profileId)
    if member.localDisplayName != contact.localDisplayName {
      try releaseName(member.localDisplayName, user: user.userId)
    }
  }

  /// A contact is found to be a member: it has the member's name and profile from now on.
  public func associate(
    _ contact: Contact, withMember member: GroupMember, of user: User
  ) throws(StoreError) -> Contact {
    // Members of other groups with this profile are the same person.
    try execute(
      "UPDATE members SET contact_id = ?2, updated_at = ?3 WHERE contact_profile_id = ?1 AND category <> 'user'",
      member.memberContactProfileId, contact.contactId, nowMicroseconds)
    try execute(
      "UPDATE contacts SET local_display_name = ?2, profile_id = ?3, updated_at = ?4 WHERE contact_id = ?1",
      contact.contactId, member.localDisplayName, member.memberProfile.profileId, nowMicroseconds)
    if contact.profile.profileId != member.memberProfile.profileId {
      try deleteUnusedProfile(contact.profile.profileId)
    }
    if contact.localDisplayName != member.localDisplayName {
      try releaseName(contact.localDisplayName, user: user.userId)
    }
    return try self.contact(contact.contactId, of: user)
  }
}
