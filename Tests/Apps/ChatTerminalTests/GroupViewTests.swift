import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatTerminal

/// What alice sees of a group, as a text of lines under the names of responses and events.
@Suite struct GroupViewTests {
  /// `SIMPLEX_UPDATE_SNAPSHOTS=1` writes the text.
  @Test func conversation() throws {
    let story = GroupStory()
    let changes = story.creation() + story.members() + story.messages() + story.profile() + story.relays()
    let text = changes + story.details() + story.ends()
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "group-conversation.txt")
    let lines = text.map { part in "# \(part.title)\n" + part.lines.map { "\($0)\n" }.joined() }.joined()
    if ProcessInfo.processInfo.environment["SIMPLEX_UPDATE_SNAPSHOTS"] == "1" {
      try lines.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try lines == String(contentsOf: file, encoding: .utf8))
    // Nothing of groups is shown as JSON.
    #expect(!text.contains { $0.lines.contains { $0.hasPrefix("{") } })
  }

  @Test func aGroupOfAnotherUserIsNamedAsOne() {
    let story = GroupStory()
    var moved = story.team
    func lines() -> [String] {
      let answer = ChatResponse1.groupUserChanged(
        user: story.user, fromGroup: story.team, newUser: Samples.user(2, "work"), toGroup: moved)
      return story.view.lines(.response1(answer)).map(\.text)
    }
    #expect(lines() == ["group #team changed from user alice to user work"])
    moved.localDisplayName = "team_1"
    #expect(lines() == ["group #team changed from user alice to user work, new local name: #team_1"])
  }

  @Test func errors() {
    let story = GroupStory()
    func failed(_ error: ChatErrorType) -> [String] {
      story.view.lines(.error(errorType: error), isOfCommand: true).map(\.text)
    }
    let (team, bob) = (story.team, story.bob)
    let admins = "admins or above can't block member for self, use "
    for (error, lines) in [
      (.groupDuplicateMember(contactName: "bob"), ["contact bob is already in the group"]),
      (.groupDuplicateMemberId, ["cannot add member - duplicate member ID"]),
      (
        .groupUserRole(groupInfo: team, requiredRole: .author),
        ["#team: you don't have permission to send messages"]
      ),
      (
        .groupUserRole(groupInfo: team, requiredRole: .owner),
        ["#team: you have insufficient permissions for this action, the required role is owner"]
      ),
      (
        .groupMemberInitialRole(groupInfo: team, initialRole: .admin),
        ["#team: initial role for group member cannot be admin, use member or observer"]
      ),
      (.groupContactRole(contactName: "bob"), ["contact bob has insufficient permissions for this group action"]),
      (.groupNotJoined(groupInfo: team), ["you did not join this group, use /join #team"]),
      (.groupMemberNotActive, ["your group connection is not active yet, try later"]),
      (
        .cantBlockMemberForSelf(groupInfo: team, member: bob, setShowMessages: false),
        [admins + "/block for all #team bob"]
      ),
      (
        .cantBlockMemberForSelf(groupInfo: team, member: bob, setShowMessages: true),
        [admins + "/unblock for all #team bob"]
      ),
      (.groupMemberUserRemoved, ["you are no longer a member of the group"]),
      (.groupMemberNotFound, ["group doesn't have this member"]),
      (
        .groupCantResendInvitation(groupInfo: team, contactName: "Bob B"),
        [
          "'Bob B' is already invited to group #team",
          "to re-send invitation: /rm team 'Bob B', /a team 'Bob B'",
        ]
      ),
      (.groupInternal(message: "x"), ["chat group bug: x"]),
    ] as [(ChatErrorType, [String])] {
      #expect(failed(error) == lines)
    }
    #expect(failed(.contactIncognitoCantInvite).first?.hasPrefix("you're using your main profile") == true)
    #expect(failed(.groupIncognitoCantInvite).first?.hasPrefix("you are using an incognito profile") == true)
    #expect(
      story.view.lines(.errorStore(storeError: .groupLinkNotFound(groupInfo: team)), isOfCommand: true).map(\.text)
        == ["no group link, to create: /create link #team"])
  }

  /// Messages of members who are blocked, and of muted groups, are not shown, except those that mention the user.
  @Test func mutedMessages() {
    let story = GroupStory()
    var blocked = story.bob
    blocked.memberSettings.showMessages = false
    #expect(story.shown(story.item(.groupRcv(groupMember: blocked), "x")).isEmpty)
    var group = story.team
    group.chatSettings.enableNtfs = .mentions
    func shown(isMention: Bool) -> [String] {
      var item = story.item(.groupRcv(groupMember: story.bob), "x")
      item.chatInfo = .group(groupInfo: group, groupChatScope: nil)
      item.chatItem.meta.userMention = isMention
      return story.shown(item)
    }
    #expect(shown(isMention: false).isEmpty)
    #expect(shown(isMention: true) == ["TIME #team bob!> x"])
  }

  /// A message to a group without other members waits for nobody.
  @Test func messagesToNobodyAreNotWaitedFor() {
    let story = GroupStory()
    var deliveries = Deliveries()
    var item = story.item(.groupSnd, "x")
    deliveries.add([item])
    #expect(!deliveries.isEmpty)
    deliveries.remove([item.chatItem.meta.itemId])
    var group = story.team
    group.groupSummary.currentMembers = 1
    item.chatInfo = .group(groupInfo: group, groupChatScope: nil)
    deliveries.add([item])
    #expect(deliveries.isEmpty)
  }
}
