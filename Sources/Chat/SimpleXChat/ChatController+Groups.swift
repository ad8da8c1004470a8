import ChatAPI

// Groups, for programs: methods for frequent tasks, as in `ChatController+Conveniences.swift`.

extension ChatController {
  /// Creates a group whose owner the active user is.
  /// - Throws: `invalidDisplayName` for a name that cannot be used; `noActiveUser` or `chatNotStarted` before
  ///   ``start(as:)``.
  public func createGroup(_ name: String, fullName: String = "") async throws(ChatError) -> GroupInfo {
    let profile = GroupProfile(displayName: name, fullName: fullName)
    return try await request(
      .apiNewGroup(userId: try runningUser().userId, incognito: false, groupProfile: profile)
    ) {
      if case .response2(.groupCreated(_, let group)) = $0 { group } else { nil }
    }
  }

  /// Invites a contact to a group, and returns the member that they will be.
  /// - Throws: `groupUserRole` if the user is no admin, or the role is above the user's; `groupDuplicateMember` for a
  ///   member who has joined; `contactIncognitoCantInvite` or `groupIncognitoCantInvite` where a random profile is
  ///   used.
  @discardableResult
  public func invite(
    _ contact: Contact, to group: GroupInfo, as role: GroupMemberRole = .member
  ) async throws(ChatError) -> GroupMember {
    try await request(.apiAddMember(groupId: group.groupId, contactId: contact.contactId, memberRole: role)) {
      if case .response2(.sentGroupInvitation(_, _, _, let member)) = $0 { member } else { nil }
    }
  }

  /// Accepts an invitation to a group; the event `userJoinedGroup` says when the user is a member.
  /// - Throws: `errorStore` if there is no such invitation; `noActiveUser` or `chatNotStarted` before ``start(as:)``.
  public func join(_ group: GroupInfo) async throws(ChatError) {
    _ = try await request(.apiJoinGroup(groupId: group.groupId))
  }

  /// Returns the link by which people join a group; creates it if there is none.
  /// - Parameter role: the role of those who join by a new link.
  /// - Throws: `groupUserRole` where the user may not have a link; `errorAgent` if its relay cannot be reached.
  public func groupLink(
    of group: GroupInfo, role: GroupMemberRole = .member
  ) async throws(ChatError) -> String {
    func link(_ response: ChatResponse) -> String? {
      switch response {
      case .response2(.groupLink(_, _, let link)), .response2(.groupLinkCreated(_, _, let link)):
        link.connLinkContact.connShortLink ?? link.connLinkContact.connFullLink
      default: nil
      }
    }
    do throws(ChatError) {
      return try await request(.apiGetGroupLink(groupId: group.groupId), link)
    } catch .errorStore(.groupLinkNotFound) {
      return try await request(.apiCreateGroupLink(groupId: group.groupId, memberRole: role), link)
    }
  }

  /// The members of a group, without the user.
  /// - Throws: `errorStore` if there is no such group.
  public func members(of group: GroupInfo) async throws(ChatError) -> [GroupMember] {
    try await request(.apiListMembers(groupId: group.groupId)) {
      if case .response2(.groupMembers(_, let group)) = $0 { group.members } else { nil }
    }
  }

  /// Gives members another role.
  /// - Throws: `groupUserRole` where the user may not change them; `groupMemberNotFound` if one is not in the group;
  ///   `commandError` for the user, for members who wait for approval, and for several members where one is or becomes
  ///   an admin; `errorStore` if there is no such group.
  public func setRole(
    _ role: GroupMemberRole, of members: [GroupMember], in group: GroupInfo
  ) async throws(ChatError) {
    _ = try await request(
      .apiMembersRole(groupId: group.groupId, memberIds: members.map(\.groupMemberId), memberRole: role))
  }

  /// Removes members from a group.
  /// - Parameter withMessages: whether all that they wrote is deleted, for all members.
  /// - Throws: `groupUserRole` where the user may not remove them; an error if one is not in the group, or if there is
  ///   no such group.
  public func remove(
    _ members: [GroupMember], from group: GroupInfo, withMessages: Bool = false
  ) async throws(ChatError) {
    _ = try await request(
      .apiRemoveMembers(
        groupId: group.groupId, memberIds: members.map(\.groupMemberId), withMessages: withMessages))
  }

  /// Deletes a group with its chat, for all members if the user is an owner. Other members have to ``leave(_:)`` first.
  /// - Throws: `groupUserRole` for a member who is not an owner and has not left; `errorStore` if there is no such
  ///   group; `noActiveUser` or `chatNotStarted` before ``start(as:)``.
  public func delete(_ group: GroupInfo) async throws(ChatError) {
    _ = try await request(.apiDeleteChat(type: .group, id: group.groupId, chatDeleteMode: .full(notify: true)))
  }

  /// Leaves a group, whose chat stays.
  /// - Throws: `errorStore` if there is no such group; `noActiveUser` or `chatNotStarted` before ``start(as:)``.
  public func leave(_ group: GroupInfo) async throws(ChatError) {
    _ = try await request(.apiLeaveGroup(groupId: group.groupId))
  }
}

extension GroupInfo {
  /// The chat of the group.
  public var chat: ChatRef { ChatRef(chatType: .group, chatId: groupId) }
}
