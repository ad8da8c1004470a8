import ChatAPI
import ChatStore

// What is left of members who were removed. They may have written any number of messages: the newest are deleted in the
// turn that removes them, the rest by a job.

extension Turn {
  /// Marks the messages of a member who is removed with them as deleted, or moderates the user's own. With full
  /// deletion ``forget(_:keepingItems:in:)`` deletes those of others.
  func deleteMessages(of subject: GroupMember, by member: GroupMember, in chat: GroupChat) throws {
    if chat.group.isAllowed(.fullDelete, for: member) {
      try rows.deleteKept(ofMember: subject.groupMemberId)
      if subject.memberCategory == .userMember {
        try delete(.moderate, of: subject, by: member.groupMemberId, user: chat.user)
      }
    } else {
      try delete(.mark, of: subject, by: member.groupMemberId, user: chat.user)
    }
  }

  /// Deletes a member who is no longer there. The record stays where it wrote something: while items are its, and so
  /// that messages deleted with it do not come back from members who forward them.
  func forget(_ member: GroupMember, keepingItems: Bool, in chat: GroupChat) throws {
    try deleteSupportChat(of: member)
    if !keepingItems { try rows.deleteKept(ofMember: member.groupMemberId) }
    guard try rows.hasItems(ofMember: member.groupMemberId, inGroup: chat.group.groupId) else {
      return try rows.deleteMember(member, of: chat.user)
    }
    if !keepingItems { try delete(.delete, of: member, by: chat.group.membership.groupMemberId, user: chat.user) }
    try rows.setStatus(.memRemoved, ofMember: member.groupMemberId)
  }

  /// Deletes the newest messages of a member now, unless the turn deleted as many already, and the rest later.
  private func delete(
    _ deletion: MemberMessagesDeletion, of member: GroupMember, by moderator: Int64, user: User
  ) throws {
    // What is being deleted is not only marked by another removal.
    if deletion == .mark, try rows.hasJob(.messages, about: member.groupMemberId) { return }
    guard let end = try deleteSomeMessages(of: member, deletion, by: moderator, before: nil, user: user) else { return }
    let payload = "\(deletion.rawValue) \(moderator)"
    try later(.messages, about: member.groupMemberId, payload: payload, of: user)
    try rows.setCursor(end, of: .messages, about: member.groupMemberId)
  }

  /// Deletes the next messages of a member who was removed with them; true where nothing is left.
  func isFinishedAfterDeletingMessages(ofMember id: Int64, _ job: ChatJob, _ user: User) throws -> Bool {
    let parts = job.payload.split(separator: " ")
    guard let member = try rows.memberIfPresent(id, of: user), parts.count == 2,
      let deletion = MemberMessagesDeletion(rawValue: String(parts[0])), let moderator = Int64(parts[1])
    else { return true }
    let end = try deleteSomeMessages(of: member, deletion, by: moderator, before: job.cursor, user: user)
    if let end { try rows.setCursor(end, ofJob: job.id) }
    return end == nil
  }

  /// Returns the item before which the rest comes; nil where nothing is left.
  private func deleteSomeMessages(
    of member: GroupMember, _ deletion: MemberMessagesDeletion, by moderator: Int64, before end: Int64?, user: User
  ) throws -> Int64? {
    // The limit is for all members whom the turn removes.
    let limit = max(1, environment.options.itemsPerTurn) - deletedMessages
    guard limit > 0 else { return end ?? .max }
    let items = try rows.items(ofMember: member, before: end, limit: limit)
    deletedMessages += items.count
    if deletion == .mark {
      for file in try rows.files(ofItems: items) { try endTransfer(file, of: user) }
    } else {
      purgeSoon()
    }
    try rows.delete(messages: items, deletion, areSent: member.memberCategory == .userMember, by: moderator)
    return items.count == limit ? items.last : nil
  }
}
