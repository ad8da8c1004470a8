import ChatAPI

extension ChatView {
  // MARK: Users

  func users(_ users: [UserInfo]) -> [StyledText] {
    let lines = users.sorted { $0.user.localDisplayName.lowercased() < $1.user.localDisplayName.lowercased() }
      .compactMap { info -> StyledText? in
        let user = info.user
        guard user.activeUser || user.viewPwdHash == nil else { return nil }
        var notes: [StyledText] = []
        if user.activeUser { notes.append(.highlight("active")) }
        if user.viewPwdHash != nil { notes.append(.highlight("hidden")) }
        if !user.showNtfs { notes.append("muted") }
        if info.unreadCount != 0 { notes.append("unread: \(info.unreadCount)") }
        let name = fullName(user.localDisplayName, user.profile.fullName, user.profile.shortDescr)
        let note = notes.isEmpty ? "" : " (" + joined(notes) + ")"
        return name + note + (user.profile.peerType == .bot ? " (bot)" : "")
      }
    return lines.isEmpty ? ["no users"] : lines
  }

  private func joined(_ parts: [StyledText]) -> StyledText {
    parts.enumerated().reduce("") { $0 + ($1.offset == 0 ? "" : ", ") + $1.element }
  }

  func profile(
    _ name: String, _ fullName: String, _ shortDescr: String?, _ peerType: ChatPeerType?
  ) -> [StyledText] {
    [
      "user profile: \(self.fullName(name, fullName, shortDescr))\(peerType == .bot ? " (bot)" : "")",
      "use \(.highlight("/p <name> [<bio>]")) to change it",
    ]
  }

  func privacy(_ user: User, _ updated: User) -> [StyledText] {
    [
      StyledText(
        "\(user.userId == updated.userId ? "current " : "")user \(DisplayName.quoted(updated.localDisplayName)):"),
      updated.showNtfs ? "messages are shown" : "messages are hidden (use /tail to view)",
      updated.viewPwdHash == nil ? "profile is visible" : "profile is hidden",
    ]
  }

  func updated(_ old: Profile, _ new: Profile, _ summary: UserProfileUpdateSummary) -> [StyledText] {
    let failures = summary.updateFailures > 0 ? ", \(summary.updateFailures) failures" : ""
    let notified = " (your \(summary.updateSuccesses) contacts are notified\(failures))"
    return change(old, new, notified) + preferences(old.preferences, new.preferences)
  }

  private func change(_ old: Profile, _ new: Profile, _ notified: String) -> [StyledText] {
    if old.displayName != new.displayName {
      return ["user profile is changed to \(fullName(new.displayName, new.fullName, new.shortDescr))\(notified)"]
    }
    if old.fullName != new.fullName {
      let isGone = new.fullName.isEmpty || new.fullName == new.displayName
      return [StyledText("user full name \(isGone ? "removed" : "changed to \(new.fullName)")\(notified)")]
    }
    if old.shortDescr != new.shortDescr {
      let bio = new.shortDescr ?? ""
      return [StyledText("user bio \(bio.isEmpty ? "removed" : "changed to \(bio)")\(notified)")]
    }
    if old.image != new.image { return [new.image == nil ? "profile image removed" : "profile image updated"] }
    guard old.contactLink != new.contactLink else { return [] }
    return [new.contactLink == nil ? "contact address removed" : "new contact address set"]
  }

  private func preferences(_ old: Preferences?, _ new: Preferences?) -> [StyledText] {
    let (before, after) = (allowed(old), allowed(new))
    let changes = zip(before, after).filter { $0.1 != $1.1 }.map { StyledText("\($1.0.text) allowed: \($1.1)") }
    return changes.isEmpty ? [] : ["updated preferences:"] + changes
  }

  private func allowed(_ preferences: Preferences?) -> [(ChatFeature, String)] {
    let allowed: [(ChatFeature, FeatureAllowed?)] = [
      (.timedMessages, preferences?.timedMessages?.allow), (.fullDelete, preferences?.fullDelete?.allow),
      (.reactions, preferences?.reactions?.allow), (.voice, preferences?.voice?.allow),
      (.files, preferences?.files?.allow), (.calls, preferences?.calls?.allow),
    ]
    return allowed.map { ($0.0, $0.1?.rawValue ?? "default") }
  }
}
