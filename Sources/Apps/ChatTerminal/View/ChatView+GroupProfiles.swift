import ChatAPI
import ChatLogic

extension ChatView {
  // MARK: Changes

  /// The lines of a changed profile; none where nothing is different that people see.
  func updated(
    _ old: GroupInfo, _ new: GroupInfo, by member: GroupMember?, signature: MsgSigStatus?
  ) -> [StyledText] {
    let changes = profileChanges(old, new) + preferenceChanges(old, new) + accessChanges(old, new)
    guard !changes.isEmpty, let member else { return changes }
    return ["\(name(member)) updated group \(name(old)):\(text(signature))"] + changes
  }

  private func profileChanges(_ old: GroupInfo, _ new: GroupInfo) -> [StyledText] {
    let (before, after) = (old.groupProfile, new.groupProfile)
    var lines: [StyledText] = []
    if old.localDisplayName != new.localDisplayName {
      lines.append("changed to \(fullName(new))")
    } else if before.fullName != after.fullName {
      let isGone = after.fullName.isEmpty || after.fullName == new.localDisplayName
      lines.append(StyledText("full name \(isGone ? "removed" : "changed to: \(after.fullName)")"))
    } else if before.shortDescr != after.shortDescr {
      let description = after.shortDescr ?? ""
      lines.append(StyledText("description \(description.isEmpty ? "removed" : "changed to: \(description)")"))
    }
    if before.image != after.image { lines.append("profile image \(after.image == nil ? "removed" : "updated")") }
    if before.description != after.description {
      lines += after.description.map { welcome("welcome message changed to:", $0) } ?? ["welcome message removed"]
    }
    return lines
  }

  private func preferenceChanges(_ old: GroupInfo, _ new: GroupInfo) -> [StyledText] {
    let before = FullGroupPreferences(filling: old.groupProfile.groupPreferences)
    let after = FullGroupPreferences(filling: new.groupProfile.groupPreferences)
    let lines = Self.shownFeatures.filter { !before.isSame($0, in: after) }
      .map { StyledText(after.shownText($0)) }
    return lines.isEmpty ? [] : [StyledText("updated group preferences:", .bold)] + lines
  }

  private func accessChanges(_ old: GroupInfo, _ new: GroupInfo) -> [StyledText] {
    var lines: [StyledText] = []
    if old.groupProfile.memberAdmission != new.groupProfile.memberAdmission {
      lines.append("changed member admission rules")
    }
    let access = new.groupProfile.publicGroup?.publicGroupAccess
    if old.groupProfile.publicGroup?.publicGroupAccess != access {
      lines.append(StyledText("updated public group access:\(access.map(text) ?? " removed")"))
    }
    return lines
  }

  private func text(_ access: PublicGroupAccess) -> String {
    (access.groupWebPage.map { " web=\($0)" } ?? "") + (access.groupDomainClaim.map { " domain=\($0.domain)" } ?? "")
      + (access.domainWebPage ? " domain_page=on" : "") + (access.allowEmbedding ? " embed=on" : "")
  }

  // MARK: The profile

  func profile(_ group: GroupInfo) -> [StyledText] {
    let profile = group.groupProfile
    var lines = [fullName(group)]
    if let description = profile.shortDescr { lines.append("description: \(description)") }
    if profile.image != nil { lines.append("has profile image") }
    if let text = profile.description { lines += welcome("welcome message:", text) }
    let preferences = FullGroupPreferences(filling: profile.groupPreferences)
    return lines + [StyledText("group preferences:", .bold)]
      + Self.shownFeatures.map { StyledText(preferences.shownText($0)) }
  }

  func welcome(_ group: GroupInfo) -> [StyledText] {
    group.groupProfile.description.map { welcome("Welcome message:", $0) } ?? ["No welcome message!"]
  }

  private func welcome(_ title: String, _ text: String) -> [StyledText] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return [StyledText(title, .bold)] + lines.map { StyledText(String($0)) }
  }

  /// The features that people see, in this order.
  private static let shownFeatures: [GroupFeature] = [
    .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history,
    .support,
  ]
}

extension FullGroupPreferences {
  /// A feature, whether it is on, and for whom. Unlike in items, the role is also told of a feature that is off.
  fileprivate func shownText(_ feature: GroupFeature) -> String {
    feature.itemText(state(of: feature).preference, param: param(feature), role: role(feature))
  }

  /// Whether a feature is set as in other preferences, also in what is not told while it is off.
  fileprivate func isSame(_ feature: GroupFeature, in other: FullGroupPreferences) -> Bool {
    state(of: feature).preference == other.state(of: feature).preference && param(feature) == other.param(feature)
      && role(feature) == other.role(feature)
  }

  private func param(_ feature: GroupFeature) -> Int? { feature == .timedMessages ? timedMessages.ttl : nil }

  private func role(_ feature: GroupFeature) -> GroupMemberRole? {
    switch feature {
    case .directMessages: directMessages.role
    case .fullDelete: fullDelete.role
    case .voice: voice.role
    case .files: files.role
    case .simplexLinks: simplexLinks.role
    default: nil
    }
  }
}
