import ChatAPI
import ChatLogic

extension ChatView {
  // MARK: Users

  func users(_ users: [UserInfo]) -> [StyledText] {
    let lines = users.sorted { $0.user.localDisplayName.lowercased() < $1.user.localDisplayName.lowercased() }
      .compactMap { info -> StyledText? in
        let user = info.user
        guard user.activeUser || user.viewPwdHash == nil else { return nil }
        var notes: [StyledText] = []
        if user.activeUser { notes.append(.highlight("active")) }
        if user.clientService { notes.append(.highlight("service")) }
        if user.viewPwdHash != nil { notes.append(.highlight("hidden")) }
        if !user.showNtfs { notes.append("muted") }
        if info.unreadCount != 0 { notes.append("unread: \(info.unreadCount)") }
        let name = fullName(user.localDisplayName, fullName: user.profile.fullName, shortDescr: user.profile.shortDescr)
        let note = notes.isEmpty ? "" : " (" + joined(notes) + ")"
        return name + note + (user.profile.peerType == .bot ? " (bot)" : "")
      }
    return lines.isEmpty ? ["no users"] : lines
  }

  private func joined(_ parts: [StyledText]) -> StyledText {
    parts.enumerated().reduce("") { $0 + ($1.offset == 0 ? "" : ", ") + $1.element }
  }

  func profile(
    _ name: String, fullName: String, shortDescr: String?, peerType: ChatPeerType?, preferences: Preferences?
  ) -> [StyledText] {
    let isBot = peerType == .bot
    let lines: [StyledText] = [
      "user profile: \(self.fullName(name, fullName: fullName, shortDescr: shortDescr))\(isBot ? " (bot)" : "")",
      "use \(.highlight("/p <name> [<bio>]")) to change it",
    ]
    guard isBot, let commands = preferences?.commands, !commands.isEmpty else { return lines }
    let help: StyledText = "use \(.highlight("/set bot commands ...")) or \(.highlight("/delete bot commands"))"
    return lines + ["Bot commands:"] + self.commands(commands) + [help]
  }

  func privacy(_ user: User, _ updated: User) -> [StyledText] {
    [
      StyledText(
        "\(user.userId == updated.userId ? "current " : "")user \(DisplayName.quoted(updated.localDisplayName)):"),
      updated.showNtfs ? "messages are shown" : "messages are hidden (use /tail to view)",
      updated.viewPwdHash == nil ? "profile is visible" : "profile is hidden",
    ]
  }

  func updated(from old: Profile, to new: Profile, summary: UserProfileUpdateSummary) -> [StyledText] {
    let failures = summary.updateFailures > 0 ? ", \(summary.updateFailures) failures" : ""
    let notified = " (your \(summary.updateSuccesses) contacts are notified\(failures))"
    return change(from: old, to: new, notified: notified) + preferences(old.preferences, new.preferences)
  }

  private func change(from old: Profile, to new: Profile, notified: String) -> [StyledText] {
    if old.displayName != new.displayName {
      let name = fullName(new.displayName, fullName: new.fullName, shortDescr: new.shortDescr)
      return ["user profile is changed to \(name)\(notified)"]
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
    let changes = zip(allowed(old), allowed(new)).filter { $0.1 != $1.1 }
      .map { StyledText("\($1.0.coreText) allowed: \($1.1)") }
    return changes.isEmpty ? [] : ["updated preferences:"] + changes
  }

  private func allowed(_ preferences: Preferences?) -> [(ChatFeature, String)] {
    let all = FullPreferences(filling: preferences)
    func pair(_ feature: ChatFeature, _ preference: some Preference) -> (ChatFeature, String) {
      (feature, feature.text(of: preference))
    }
    return [
      pair(.timedMessages, all.timedMessages), pair(.fullDelete, all.fullDelete), pair(.reactions, all.reactions),
      pair(.voice, all.voice), pair(.files, all.files), pair(.calls, all.calls),
    ]
  }

  /// What a bot offers, as it is typed after `/set bot commands`.
  private func commands(_ commands: [ChatBotCommand], indent: String = "") -> [StyledText] {
    commands.flatMap { command -> [StyledText] in
      switch command {
      case .command(let keyword, let label, let params):
        let text = keyword + (params.map { " \($0)" } ?? "")
        return [StyledText("\(indent)\(inApostrophes(label)):/\(inApostrophes(text))")]
      case .menu(let label, let commands):
        return [StyledText("\(indent)\(inApostrophes(label)):{")] + self.commands(commands, indent: "  " + indent)
          + [StyledText("\(indent)}")]
      }
    }
  }

  private func inApostrophes(_ text: String) -> String { text.contains(where: \.isWhitespace) ? "'\(text)'" : text }
}
