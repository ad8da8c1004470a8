import ChatAPI
import ChatStateTesting
import Foundation

@testable import ChatTerminal

/// People and a group, and what alice's terminal shows of them.
struct GroupStory {
  /// A response or an event with its lines.
  struct Part {
    let title: String
    let lines: [String]
  }

  let view: ChatView
  let user = Samples.user()
  var team: GroupInfo
  let bob: GroupMember
  let cath: GroupMember
  let bobContact = Samples.contact(2, "bob", at: Samples.time(0))

  init() {
    var view = ChatView(user: Samples.user(), now: Samples.time(60), showsReactions: true)
    view.logLevel = .important
    self.view = view
    team = Samples.group(1, "team", at: Samples.time(0))
    team.groupProfile.fullName = "The team"
    bob = Samples.member(11, in: 1, "bob", role: .admin).with(.inviteeMember)
    var cath = Samples.member(12, in: 1, "cath").with(.postMember)
    cath.memberProfile.fullName = "Catherine"
    self.cath = cath
  }

  // MARK: Parts

  func answered(_ response: ChatResponse0) -> Part { part(response, view.lines(.response0(response))) }

  func answered(_ response: ChatResponse1) -> Part { part(response, view.lines(.response1(response))) }

  func answered(_ response: ChatResponse2) -> Part { part(response, view.lines(.response2(response))) }

  func answered(_ response: ChatResponse3) -> Part { part(response, view.lines(.response3(response))) }

  func happened(_ event: ChatEvent) -> Part { part(event, view.lines(event)) }

  private func part(_ value: some Any, _ lines: [StyledText]) -> Part {
    Part(title: Mirror(reflecting: value).children.first?.label ?? "\(value)", lines: texts(lines))
  }

  /// The lines without times, which depend on where the test runs.
  func texts(_ lines: [StyledText]) -> [String] {
    let time = LocalTime(Samples.time(0))
    return lines.map { line in
      line.text.replacingOccurrences(of: time.full, with: "DATE")
        .replacingOccurrences(of: time.short(now: LocalTime(Samples.time(60))), with: "TIME")
    }
  }

  // MARK: Items

  func item(_ direction: CIDirection, _ text: String, _ change: (inout ChatItem) -> Void = { _ in }) -> AChatItem {
    var item = Samples.item(1, direction: direction, text: text, at: Samples.time(0))
    change(&item)
    return AChatItem(chatInfo: .group(groupInfo: team, groupChatScope: nil), chatItem: item)
  }

  /// An item that is not a message.
  func event(_ direction: CIDirection, _ content: CIContent) -> AChatItem {
    item(direction, "") { $0.content = content }
  }

  func shown(_ item: AChatItem) -> [String] { texts(view.lines(ChatEvent.newChatItems(user: user, chatItems: [item]))) }
}

extension GroupMember {
  func with(_ category: GroupMemberCategory) -> GroupMember {
    var member = self
    member.memberCategory = category
    return member
  }

  func with(_ status: GroupMemberStatus) -> GroupMember {
    var member = self
    member.memberStatus = status
    return member
  }

  func with(role: GroupMemberRole) -> GroupMember {
    var member = self
    member.memberRole = role
    return member
  }

  /// As a member with a profile for this group only.
  func incognito(as name: String) -> GroupMember {
    var member = self
    member.memberProfile = Samples.profile(99, name)
    return member
  }
}

extension GroupInfo {
  func with(_ membership: GroupMember) -> GroupInfo {
    var group = self
    group.membership = membership
    return group
  }

  func with(_ change: (inout GroupInfo) -> Void) -> GroupInfo {
    var group = self
    change(&group)
    return group
  }
}
