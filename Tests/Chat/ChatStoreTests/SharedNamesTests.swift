import ChatAPI
import Foundation
import Testing

@testable import ChatStore

/// Names and profiles that a contact and members of groups have in common.
@Suite struct SharedNamesTests {
  private func member(_ name: String, in group: Int64, _ db: ChatTransaction, of user: User) throws -> GroupMember {
    let id = try db.createMember(
      NewMember(
        groupId: group, identity: .profile(profile(name)), memberId: "\(name)\(group)", role: .member,
        category: .inviteeMember, status: .memConnected, versions: VersionRange(1, 16)), of: user)
    return try db.member(id, of: user)
  }

  private func group(_ name: String, _ db: ChatTransaction, of user: User) throws -> Int64 {
    let group = try db.createGroup(profile: GroupProfile(displayName: name, fullName: ""), of: user)
    let membership = NewMember(
      groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
      status: .memCreator, versions: VersionRange(1, 16))
    try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
    return group
  }

  /// Whoever takes the next numbers of a name does not keep others with that name away.
  @Test func takenNumbersKeepNobodyAway() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    let names = try store.transaction { db in
      for number in 1...60 { _ = try db.takeName("bob_\(number)", user: alice.userId) }
      return try (0..<20).map { _ in try db.takeName("bob", user: alice.userId) }
    }
    #expect(Set(names).count == 20 && names.allSatisfy { $0.hasPrefix("bob") }, "\(names)")
  }

  /// A name is free when neither a member nor a contact has it.
  @Test func namesStayTakenWhileAContactHasThem() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    let names = try store.transaction { db in
      let contact = try db.createContact(profile: profile("bob"), of: alice)
      try db.releaseName(contact.localDisplayName, user: alice.userId)
      return [contact, try db.createContact(profile: profile("bob"), of: alice)].map(\.localDisplayName)
    }
    #expect(Set(names).count == 2, "\(names)")
  }

  /// Members of all groups that have the profile of a member become the contact that this one is found to be.
  @Test func aContactIsAllMembersWithItsProfile() throws {
    let store = try memoryStore()
    let alice = try store.makeUser()
    let contacts = try store.transaction { db in
      let bob = try self.member("bob", in: try self.group("one", db, of: alice), db, of: alice)
      let same = try self.member("bob", in: try self.group("two", db, of: alice), db, of: alice)
      let other = try self.member("cath", in: try self.group("three", db, of: alice), db, of: alice)
      try db.execute(
        "UPDATE members SET profile_id = ?1, contact_profile_id = ?1, local_display_name = ?2 WHERE member_id = ?3",
        bob.memberContactProfileId, bob.localDisplayName, same.groupMemberId)
      let contact = try db.createContact(profile: profile("bob"), of: alice)
      let merged = try db.associate(contact, withMember: bob, of: alice)
      return try [bob, same, other].map {
        try db.member($0.groupMemberId, of: alice).memberContactId == merged.contactId
      }
    }
    #expect(contacts == [true, true, false])
  }
}
