import ChatAPI
import ChatStateTesting

@testable import ChatTerminal

extension GroupStory {
  private func new(_ item: AChatItem) -> Part { happened(.newChatItems(user: user, chatItems: [item])) }

  private func tail(_ items: [AChatItem]) -> Part { answered(.chatItems(user: user, chatItems: items)) }

  /// Messages, and what becomes of them.
  func messages() -> [Part] {
    let fromBob = CIDirection.groupRcv(groupMember: bob)
    func quote(_ direction: CIDirection) -> AChatItem {
      item(.groupSnd, "yes") {
        $0.quotedItem = CIQuote(chatDir: direction, sentAt: Samples.time(0), content: .text("all well?"))
      }
    }
    let support = AChatItem(
      chatInfo: .group(groupInfo: team, groupChatScope: .memberSupport(groupMember_: cath)),
      chatItem: item(.groupSnd, "how can we help?").chatItem)
    let asked = AChatItem(
      chatInfo: .group(groupInfo: team, groupChatScope: .memberSupport(groupMember_: nil)),
      chatItem: item(fromBob, "let me in").chatItem)
    return [
      new(item(.groupSnd, "hello")), new(item(fromBob, "hi\nall")), new(quote(fromBob)), new(quote(.groupSnd)),
      new(item(fromBob, "@alice look") { $0.meta.userMention = true }),
      new(item(fromBob, "from afar") { $0.meta.forwardedByMember = 12 }), new(support), new(asked),
      new(
        item(fromBob, "news") {
          $0.meta.itemForwarded = .group(chatName: "other", msgDir: .rcv, groupId: nil, chatItemId: nil)
        }),
    ] + changes(fromBob) + deletions(fromBob) + reactions(fromBob) + events(fromBob) + [details(fromBob)]
  }

  private func changes(_ fromBob: CIDirection) -> [Part] {
    let edited = item(fromBob, "@alice look here") {
      $0.meta.itemEdited = true
      $0.meta.userMention = true
    }
    let ownEdit = item(.groupSnd, "hello!") { $0.meta.itemEdited = true }
    return [
      happened(.chatItemUpdated(user: user, chatItem: edited)),
      answered(.chatItemUpdated(user: user, chatItem: ownEdit)),
    ]
  }

  private func deletions(_ fromBob: CIDirection) -> [Part] {
    func deleted(_ item: AChatItem, _ mark: CIDeleted?) -> [ChatItemDeletion] {
      var after = item
      after.chatItem.meta.itemDeleted = mark
      return [ChatItemDeletion(deletedChatItem: item, toChatItem: mark == nil ? nil : after)]
    }
    func gone(_ item: AChatItem, _ mark: CIDeleted?, byUser: Bool = false) -> Part {
      happened(.chatItemsDeleted(user: user, chatItemDeletions: deleted(item, mark), byUser: byUser))
    }
    let marked = CIDeleted.deleted(deletedTs: nil, chatType: .group)
    let byBob = CIDeleted.moderated(deletedTs: nil, byGroupMember: bob)
    let byUser = CIDeleted.moderated(deletedTs: nil, byGroupMember: team.membership)
    let mention = item(fromBob, "oops") { $0.meta.userMention = true }
    return [
      gone(mention, marked), gone(mention, nil), gone(item(.groupSnd, "mine"), byBob),
      gone(item(.groupRcv(groupMember: cath), "theirs"), byBob), gone(mention, byUser, byUser: true),
      happened(
        .groupChatItemsDeleted(user: user, groupInfo: team, chatItemIDs: [1, 2], byUser: false, member_: bob)),
      answered(.groupChatItemsDeleted(user: user, groupInfo: team, chatItemIDs: [1, 2], byUser: true)),
      tail([
        item(fromBob, "oops") { $0.meta.itemDeleted = byBob }, item(fromBob, "oops") { $0.meta.itemDeleted = byUser },
        item(fromBob, "oops") { $0.meta.itemDeleted = .blocked(deletedTs: nil) },
        item(fromBob, "oops") { $0.meta.itemDeleted = .blockedByAdmin(deletedTs: nil) },
      ]), new(event(fromBob, .rcvModerated)), new(event(fromBob, .rcvBlocked)),
    ]
  }

  private func reactions(_ fromBob: CIDirection) -> [Part] {
    func reaction(_ direction: CIDirection, to item: AChatItem) -> ACIReaction {
      ACIReaction(
        chatInfo: item.chatInfo,
        chatReaction: CIReaction(
          chatDir: direction, chatItem: item.chatItem, sentAt: Samples.time(0), reaction: .emoji(emoji: .thumbsup)))
    }
    let fromCath = CIDirection.groupRcv(groupMember: cath)
    return [
      happened(
        .chatItemReaction(user: user, added: true, reaction: reaction(fromBob, to: item(.groupSnd, "hello")))),
      happened(.chatItemReaction(user: user, added: false, reaction: reaction(fromBob, to: item(fromCath, "hi")))),
      answered(.chatItemReaction(user: user, added: true, reaction: reaction(.groupSnd, to: item(fromCath, "hi")))),
      answered(
        .reactionMembers(user: user, memberReactions: [MemberReaction(groupMember: bob, reactionTs: Samples.time(0))])),
      tail([
        item(fromBob, "liked") {
          $0.reactions = [
            CIReactionCount(reaction: .emoji(emoji: .thumbsup), userReacted: true, totalReacted: 2)
          ]
        }
      ]),
    ]
  }

  private func events(_ fromBob: CIDirection) -> [Part] {
    let cath = cath.memberProfile
    let profile = Profile(displayName: cath.displayName, fullName: cath.fullName)
    let received: [RcvGroupEvent] = [
      .memberAdded(groupMemberId: 12, profile: profile), .memberConnected, .userAccepted, .memberLeft,
      .memberRole(groupMemberId: 12, profile: profile, role: .observer), .userRole(role: .admin),
      .memberBlocked(groupMemberId: 12, profile: profile, blocked: true),
      .memberDeleted(groupMemberId: 12, profile: profile), .userDeleted, .groupDeleted,
      .groupUpdated(groupProfile: team.groupProfile), .invitedViaGroupLink, .memberCreatedContact,
      .newMemberPendingReview,
    ]
    let sent: [SndGroupEvent] = [
      .memberRole(groupMemberId: 12, profile: profile, role: .observer), .userRole(role: .member),
      .memberDeleted(groupMemberId: 12, profile: profile), .groupUpdated(groupProfile: team.groupProfile), .userLeft,
    ]
    let feature = CIContent.sndGroupFeature(
      groupFeature: .directMessages, preference: .on, param: nil, memberRole_: .admin)
    let invitation = CIGroupInvitation(
      groupId: 1, groupMemberId: 11, localDisplayName: "team", groupProfile: team.groupProfile, status: .pending)
    let direct = ChatInfo.direct(contact: bobContact)
    return [
      tail(received.map { event(fromBob, .rcvGroupEvent(rcvGroupEvent: $0)) }),
      tail(sent.map { event(.groupSnd, .sndGroupEvent(sndGroupEvent: $0)) }),
      new(event(fromBob, .rcvGroupEvent(rcvGroupEvent: .memberConnected))),
      tail([
        event(.groupSnd, feature), event(fromBob, .rcvGroupFeatureRejected(groupFeature: .voice)),
        event(fromBob, .rcvGroupE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: false))),
        item(fromBob, "") {
          $0.content = .rcvGroupEvent(rcvGroupEvent: .memberLeft)
          $0.meta.msgVerified = .signed(sigStatus: .verified)
        },
        event(.groupSnd, .sndGroupInvitation(groupInvitation: invitation, memberRole: .member)),
      ]),
      tail([
        AChatItem(
          chatInfo: direct,
          chatItem: event(.directRcv, .rcvGroupInvitation(groupInvitation: invitation, memberRole: .member)).chatItem),
        AChatItem(
          chatInfo: direct,
          chatItem: event(.directSnd, .sndGroupInvitation(groupInvitation: invitation, memberRole: .admin)).chatItem),
      ]),
    ]
  }

  /// How far a message came is told where a person looks.
  private func details(_ fromBob: CIDirection) -> Part {
    let statuses: [GroupSndStatus] = [
      .rcvd(msgRcptStatus: .ok), .rcvd(msgRcptStatus: .ok), .sent, .new, .inactive, .forwarded,
    ]
    let info = ChatItemInfo(
      itemVersions: [],
      memberDeliveryStatuses: statuses.enumerated().map {
        MemberDeliveryStatus(groupMemberId: Int64($0.offset), memberDeliveryStatus: $0.element)
      })
    var view = view
    view.showsStatus = true
    let lines = self.view.info(item(.groupSnd, "hello"), info) + view.info(item(.groupSnd, "hello"), info).dropFirst()
    return Part(title: "chatItemInfo", lines: texts(lines))
  }
}
