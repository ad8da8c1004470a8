import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Invented values of the API, for tests, benchmarks and demonstrations.
public enum Samples {
  /// A time: seconds after a fixed one.
  public static func time(_ seconds: Int) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + Double(seconds)) }

  /// A user.
  public static func user(_ id: Int64 = 1, _ name: String = "alice", isActive: Bool = true) -> User {
    User(
      userId: id, agentUserId: "\(id)", userContactId: id, localDisplayName: name, profile: profile(id, name),
      fullPreferences: preferences, activeUser: isActive, activeOrder: id, showNtfs: true, sendRcptsContacts: true,
      sendRcptsSmallGroups: true)
  }

  /// A contact.
  public static func contact(
    _ id: Int64, _ name: String, at time: Date, ntfs: MsgFilter = .all, tags: [Int64] = []
  ) -> Contact {
    Contact(
      contactId: id, localDisplayName: name, profile: profile(id, name), activeConn: connection(id), contactUsed: true,
      contactStatus: .active, chatSettings: ChatSettings(enableNtfs: ntfs, favorite: false),
      userPreferences: Preferences(), mergedPreferences: contactPreferences, createdAt: time, updatedAt: time,
      chatTs: time, contactGrpInvSent: false, chatTags: tags, chatDeleted: false)
  }

  /// A group that the user owns.
  public static func group(
    _ id: Int64, _ name: String, at time: Date, ntfs: MsgFilter = .all, tags: [Int64] = []
  ) -> GroupInfo {
    GroupInfo(
      groupId: id, localDisplayName: name, groupProfile: GroupProfile(displayName: name, fullName: ""), localAlias: "",
      fullGroupPreferences: groupPreferences, membership: member(id * 100, in: id, "alice", role: .owner),
      chatSettings: ChatSettings(enableNtfs: ntfs, favorite: false), createdAt: time, updatedAt: time, chatTs: time,
      chatTags: tags, groupSummary: GroupSummary(currentMembers: 3), membersRequireAttention: 0)
  }

  /// A member of a group.
  public static func member(
    _ id: Int64, in group: Int64, _ name: String, role: GroupMemberRole = .member
  ) -> GroupMember {
    GroupMember(
      groupMemberId: id, groupId: group, indexInGroup: id, memberId: "bWVtYmVy", memberRole: role,
      memberCategory: .userMember, memberStatus: .memConnected, memberSettings: GroupMemberSettings(showMessages: true),
      blockedByAdmin: false, invitedBy: .unknown, localDisplayName: name, memberProfile: profile(id, name),
      memberContactProfileId: id, memberChatVRange: VersionRange(1, 16), createdAt: time(0), updatedAt: time(0))
  }

  /// A message.
  public static func item(
    _ id: Int64, direction: CIDirection, text: String, at time: Date, mention: Bool = false
  ) -> ChatItem {
    let content = MsgContent.text(text)
    return ChatItem(
      chatDir: direction,
      meta: CIMeta(
        itemId: id, itemTs: time, itemText: text, itemStatus: direction.sent ? .sndNew : .rcvNew,
        itemSharedMsgId: "c2hhcmVk", itemEdited: false, userMention: mention, deletable: direction.sent,
        editable: direction.sent, showGroupAsSender: false, createdAt: time, updatedAt: time),
      content: direction.sent ? .sndMsgContent(msgContent: content) : .rcvMsgContent(msgContent: content))
  }

  /// A profile.
  public static func profile(_ id: Int64, _ name: String) -> LocalProfile {
    LocalProfile(profileId: id, displayName: name, fullName: "", localAlias: "")
  }

  /// A connection in the state ready.
  public static func connection(_ id: Int64) -> Connection {
    Connection(
      connId: id, agentConnId: "conn\(id)", connChatVersion: 16, peerChatVRange: VersionRange(1, 16), connLevel: 0,
      viaGroupLink: false, connType: .contact, connStatus: .ready, contactConnInitiated: true, localAlias: "",
      authErrCounter: 0, quotaErrCounter: 0, createdAt: time(0))
  }

  private static let preferences = FullPreferences(
    timedMessages: TimedMessagesPreference(allow: .yes), fullDelete: SimplePreference(allow: .no),
    reactions: SimplePreference(allow: .yes), voice: SimplePreference(allow: .yes),
    files: SimplePreference(allow: .always), calls: SimplePreference(allow: .yes))

  private static let contactPreferences: ContactUserPreferences = {
    func setting<P: Preference>(_ preference: P) -> ContactUserPreference<P> {
      ContactUserPreference(
        enabled: FeatureEnabled(forUser: true, forContact: true), userPreference: .user(preference: preference),
        contactPreference: preference)
    }
    return ContactUserPreferences(
      timedMessages: setting(TimedMessagesPreference(allow: .yes)), fullDelete: setting(SimplePreference(allow: .no)),
      reactions: setting(SimplePreference(allow: .yes)), voice: setting(SimplePreference(allow: .yes)),
      files: setting(SimplePreference(allow: .always)), calls: setting(SimplePreference(allow: .yes)),
      sessions: setting(SimplePreference(allow: .no)))
  }()

  private static let groupPreferences = FullGroupPreferences(
    timedMessages: TimedMessagesGroupPreference(enable: .off), directMessages: RoleGroupPreference(enable: .on),
    fullDelete: RoleGroupPreference(enable: .off), reactions: GroupPreference(enable: .on),
    voice: RoleGroupPreference(enable: .on), files: RoleGroupPreference(enable: .on),
    simplexLinks: RoleGroupPreference(enable: .on), reports: GroupPreference(enable: .on),
    history: GroupPreference(enable: .on))
}
