import ChatAPI

extension ChatView {
  // MARK: Creating and joining

  func created(_ group: GroupInfo) -> [StyledText] {
    let link = StyledText.highlight("/create link #\(typed(group))")
    let isIncognito = group.membership.memberIncognito
    let profile: StyledText =
      isIncognito ? ", your incognito profile for this group is \(incognitoProfile(group.membership))" : ""
    let line: StyledText = "group \(fullName(group)) is created\(profile)"
    if group.useRelays {
      return [line, "wait for selected relay(s) to join, then you can invite members via group link"]
    }
    if isIncognito {
      return (isTestView ? [incognitoProfile(group.membership)] : []) + [line, "to add members use \(link)"]
    }
    return [line, "to add members use \(.highlight("/a \(typed(group)) <name>")) or \(link)"]
  }

  func sentInvitation(to group: GroupInfo, _ contact: Contact) -> [StyledText] {
    guard let connection = contact.activeConn else { return [] }
    return connection.viaGroupLink
      ? ["\(name(contact)) invited to group \(name(group)) via your group link"]
      : ["invitation to join the group \(name(group)) sent to \(name(contact))"]
  }

  func invited(to group: GroupInfo, by contact: Contact, as role: GroupMemberRole) -> [StyledText] {
    let join = StyledText.highlight("/j \(typed(group))")
    return [
      "\(fullName(group)): \(name(contact)) invites you to join the group as \(role.rawValue)",
      group.membership.memberIncognito
        ? "use \(join) to join incognito as \(incognitoProfile(group.membership))" : "use \(join) to accept",
    ]
  }

  func joining(_ group: GroupInfo, _ host: GroupMember) -> StyledText {
    let relay: StyledText = host.memberRole == .relay ? " (connecting to relay \(name(host)))" : ""
    return "\(name(group)): joining the group\(relay)..."
  }

  func joined(_ group: GroupInfo, _ host: GroupMember) -> StyledText {
    let membership = group.membership
    if membership.memberRole == .relay { return "\(name(group)): you joined the group as relay" }
    let relay: StyledText = host.memberRole == .relay ? " (connected to relay \(name(host)))" : ""
    let profile: StyledText = membership.memberIncognito ? " incognito as \(incognitoProfile(membership))" : ""
    let waiting =
      switch membership.memberStatus {
      case .memPendingApproval: ", pending approval"
      case .memPendingReview: ", connecting to group moderators for admission to group"
      default: ""
      }
    return "\(name(group)): you joined the group\(relay)\(profile)\(waiting)"
  }

  // MARK: The end of a group

  func left(_ group: GroupInfo) -> [StyledText] {
    guard group.relayOwnStatus == .rejected else {
      return ["\(name(group)): you left the group", deletionHint(group)]
    }
    return [
      "\(name(group)): you left the group (future invitations will be rejected)",
      "use \(.highlight("/group allow #\(typed(group))")) to allow future invitations",
      deletionHint(group) + " (also clears the rejection)",
    ]
  }

  func deleted(_ group: GroupInfo, by member: GroupMember, _ signature: MsgSigStatus?) -> [StyledText] {
    [
      "\(name(group)): \(name(member)) deleted the group\(text(signature))",
      "use \(.highlight("/d #\(typed(group))")) to delete the local copy of the group",
    ]
  }

  func deletionHint(_ group: GroupInfo) -> StyledText {
    "use \(.highlight("/d #\(typed(group))")) to delete the group"
  }

  // MARK: Lists and details

  func groups(_ groups: [GroupInfo]) -> [StyledText] {
    if groups.isEmpty { return ["you have no groups!", "to create: \(.highlight("/g <name>"))"] }
    return groups.sorted { $0.localDisplayName.lowercased() < $1.localDisplayName.lowercased() }.map(listed)
  }

  private func listed(_ group: GroupInfo) -> StyledText {
    let membership = group.membership
    let delete = StyledText.highlight("/d #\(typed(group))")
    if membership.memberStatus == .memInvited {
      let profile: StyledText = membership.memberIncognito ? " as \(incognitoProfile(membership))" : ""
      let join = StyledText.highlight("/j \(typed(group))")
      return .highlight("#\(typed(group))") + details(group)
        + " - you are invited (\(join) to join\(profile), \(delete) to delete invitation)"
    }
    let alias = group.localAlias.isEmpty ? "" : " (alias: \(group.localAlias))"
    let rejected = group.relayOwnStatus == .rejected ? " [rejected]" : ""
    return incognitoMark(group) + fullName(group) + state(group, delete: delete) + StyledText(rejected + alias)
  }

  private func state(_ group: GroupInfo, delete: StyledText) -> StyledText {
    func gone(_ reason: String) -> StyledText { " (\(reason), delete local copy: \(delete))" }
    switch group.membership.memberStatus {
    case .memRejected: return gone("you are rejected")
    case .memRemoved: return gone("you are removed")
    case .memLeft: return gone("you left")
    case .memGroupDeleted: return gone("group deleted")
    default:
      let count = group.groupSummary.currentMembers
      let unmute: StyledText = "you can \(.highlight("/unmute #\(typed(group))"))"
      let members = "\(count) member\(count == 1 ? "" : "s")"
      switch group.chatSettings.enableNtfs {
      case .all: return StyledText(" (\(members))")
      case .none: return " (\(members), muted, \(unmute))"
      case .mentions: return " (\(members), mentions only, \(unmute))"
      }
    }
  }

  func info(_ group: GroupInfo) -> [StyledText] {
    let members =
      if group.useRelays, let count = group.groupSummary.publicMemberCount {
        "subscribers: \(count)"
      } else {
        "current members: \(group.groupSummary.currentMembers)"
      }
    return ["group ID: \(group.groupId)", StyledText(members)]
      + (group.uiThemes.map { ["UI themes: \(json($0))"] } ?? [])
      + (group.customData.map { ["custom data: \(json($0))"] } ?? [])
  }

  // MARK: Links

  func link(_ title: StyledText, of group: GroupInfo, _ link: GroupLink) -> [StyledText] {
    let created = link.connLinkContact
    var lines: [StyledText] = [
      title, "", StyledText(created.connShortLink ?? webLink(created.connFullLink)), "",
      "Anybody can connect to you and join group as \(link.acceptMemberRole.rawValue) with: \(.highlight("/c <group_link_above>"))",
      "to show it again: \(.highlight("/show link #\(typed(group))"))",
      "to delete it: \(.highlight("/delete link #\(typed(group))")) (joined members will remain connected to you)",
    ]
    if created.connShortLink != nil {
      lines += longFormOrHint(["The group link for old clients: \(webLink(created.connFullLink))"])
    }
    return lines
  }

  func linkDeleted(_ group: GroupInfo) -> [StyledText] {
    [
      "Group link is deleted - joined members will remain connected.",
      "To create a new group link use \(.highlight("/create link #\(typed(group))"))",
    ]
  }

  // MARK: Relays

  func relaysUpdated(_ group: GroupInfo, _ link: GroupLink, relays: [GroupRelay]) -> [StyledText] {
    let created = link.connLinkContact
    return ["\(fullName(group)): group link relays updated, current relays:"] + relays.map(relay)
      + ["group link:", StyledText(created.connShortLink ?? webLink(created.connFullLink))]
  }

  func relay(_ relay: GroupRelay) -> StyledText {
    let status = relay.relayStatus == .acknowledgedRoster ? "acknowledged_roster" : relay.relayStatus.rawValue
    let web = relay.relayCap.webDomain.map { ", web: \($0)" } ?? ""
    return StyledText("  - relay id \(relay.groupRelayId): \(status)\(web)")
  }

  func result(_ result: AddRelayResult) -> StyledText {
    let id = result.relay.chatRelayId.map { "\($0)" } ?? "?"
    return StyledText("  relay \(id): \(result.relayError?.text ?? "ok")")
  }

  // MARK: Pieces

  /// The name of the profile that the user has in this group only.
  func incognitoProfile(_ membership: GroupMember) -> StyledText { .incognito(membership.memberProfile.displayName) }

  /// What is said of the signature of a message; empty where it has none.
  func text(_ signature: MsgSigStatus?) -> String {
    switch signature {
    case nil: ""
    case .verified: " (signed)"
    case .signedNoKey: " (signed, no key to verify)"
    }
  }

  /// As ``text(_:)``, of what the user sent.
  func signedText(_ isSigned: Bool) -> String { text(isSigned ? .verified : nil) }
}
