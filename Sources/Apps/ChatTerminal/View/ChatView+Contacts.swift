import ChatAPI
import ChatLogic

extension ChatView {
  // MARK: Links

  func invitation(_ link: CreatedConnLink) -> [StyledText] {
    var lines: [StyledText] = [
      "pass this invitation link to your contact (via another channel): ", "",
      StyledText(link.connShortLink ?? webLink(link.connFullLink)), "",
      "and ask them to connect: \(.highlight("/c <invitation_link_above>"))",
    ]
    if link.connShortLink != nil {
      lines += longFormOrHint(["The invitation link for old clients:", StyledText(webLink(link.connFullLink))])
    }
    return lines
  }

  /// The lines with a link in the long form of old clients; in a session, a hint at `/qr` and `/long link` instead.
  func longFormOrHint(_ lines: [StyledText]) -> [StyledText] {
    guard showsStatus else { return lines }
    return ["\(.highlight("/qr")) shows it as a QR code, \(.highlight("/long link")) the longer form for old clients."]
  }

  func address(_ title: StyledText, _ link: CreatedConnLink) -> [StyledText] {
    var lines: [StyledText] = [
      title, "", StyledText(link.connShortLink ?? webLink(link.connFullLink)), "",
      "Anybody can send you contact requests with: \(.highlight("/c <contact_link_above>"))",
      "to show it again: \(.highlight("/sa"))",
      "to share with your contacts: \(.highlight("/profile_address on"))",
      "to delete it: \(.highlight("/da")) (accepted contacts will remain connected)",
    ]
    if link.connShortLink != nil {
      lines += longFormOrHint(["The contact link for old clients: \(webLink(link.connFullLink))"])
    }
    return lines
  }

  func addressSettings(_ settings: AddressSettings) -> [StyledText] {
    guard let autoAccept = settings.autoAccept else { return ["auto_accept off"] }
    let mode = settings.businessAddress ? ", business" : autoAccept.acceptIncognito ? ", incognito" : ""
    return [StyledText("auto_accept on\(mode)")]
      + (settings.autoReply.map { ["auto reply:"] + textLines($0) } ?? [])
  }

  func plan(_ plan: ConnectionPlan) -> [StyledText] {
    switch plan {
    case .invitationLink(let plan): invitationPlan(plan)
    case .contactAddress(let plan): addressPlan(plan)
    case .groupLink(let plan): groupPlan(plan)
    case .error(let error): lines(error, isOfCommand: false)
    }
  }

  private func invitationPlan(_ plan: InvitationLinkPlan) -> [StyledText] {
    let link: StyledText = "invitation link: "
    switch plan {
    case .ok(let data, let verification):
      return [(data?.business == true ? "business address: " : link) + "ok to connect"] + signature(verification)
        + testJSON(data)
    case .ownLink: return [link + "own link"]
    case .connecting(nil): return [link + "connecting"]
    case .connecting(let contact?): return [link + "connecting to contact \(name(contact))"]
    case .known(let contact) where contact.contactStatus != .active && !contact.nextConnectPrepared:
      return [link + "known deleted contact \(name(contact))"]
    case .known(let contact): return known(contact, link)
    }
  }

  private func addressPlan(_ plan: ContactAddressPlan) -> [StyledText] {
    let address: StyledText = "contact address: "
    switch plan {
    case .ok(let data, let verification):
      return [(data?.business == true ? "business address: " : address) + "ok to connect"] + signature(verification)
        + testJSON(data)
    case .ownLink: return [address + "own address"]
    case .connectingConfirmReconnect: return [address + "connecting, allowed to reconnect"]
    case .connectingProhibit(let contact): return [address + "connecting to contact \(name(contact))"]
    case .known(let contact): return known(contact, address)
    case .contactViaAddress(let contact): return [address + "known contact without connection \(name(contact))"]
    }
  }

  private func known(_ contact: Contact, _ link: StyledText) -> [StyledText] {
    if contact.nextConnectPrepared { return [link + "known prepared contact \(name(contact))"] }
    return [link + "known contact \(name(contact))", useMessage(contact)]
  }

  func useMessage(_ contact: Contact) -> StyledText {
    "use \(incognitoMark(contact))\(.to("@\(typed(contact)) "))\(.highlight("<message>")) to send messages"
  }

  private func groupPlan(_ plan: GroupLinkPlan) -> [StyledText] {
    let link: StyledText = "group link: "
    switch plan {
    case .ok(let info, let data, let verification):
      return [link + ((info?.direct ?? true) ? "ok to connect directly" : "ok to connect via relays")]
        + signature(verification) + testJSON(data)
    case .ownLink(let group): return [link + "own link for group \(name(group))"]
    case .connectingConfirmReconnect: return [link + "connecting, allowed to reconnect"]
    case .connectingProhibit(nil): return [link + "connecting"]
    case .connectingProhibit(let group?): return [connecting(group)]
    case .known(let group, _, _, _): return known(group)
    case .noRelays: return [link + "channel has no active relays, please try to join later"]
    case .updateRequired: return [link + "this group requires a newer version of the app, please upgrade"]
    }
  }

  private func known(_ group: GroupInfo) -> [StyledText] {
    let kind = group.businessChat == nil ? "group" : "business"
    func line(_ state: String) -> StyledText { "\(linkKind(group)): known \(state)\(kind) \(name(group))" }
    if let prepared = group.preparedGroup {
      switch group.membership.memberStatus {
      case .memUnknown where !prepared.connLinkStartedConnection: return [line("prepared ")]
      case .memUnknown, .memAccepted: return [connecting(group)]
      case .memRemoved, .memLeft, .memGroupDeleted: return [line("deleted ")]
      default: break
      }
    }
    return [line(""), "use \(.to("#\(typed(group)) "))\(.highlight("<message>")) to send messages"]
  }

  private func connecting(_ group: GroupInfo) -> StyledText {
    "\(linkKind(group)): connecting to \(group.businessChat == nil ? "group" : "business") \(name(group))"
  }

  private func linkKind(_ group: GroupInfo) -> String {
    group.businessChat == nil ? "group link" : "business address"
  }

  private func signature(_ verification: OwnerVerification?) -> [StyledText] {
    switch verification {
    case nil: []
    case .verified: ["owner signature: verified"]
    case .failed(let reason): [StyledText("owner signature: FAILED (\(reason))")]
    }
  }

  // MARK: Contacts

  func contacts(_ contacts: [Contact]) -> [StyledText] {
    contacts.sorted { $0.localDisplayName.lowercased() < $1.localDisplayName.lowercased() }.map { contact in
      let isMuted = contact.chatSettings.enableNtfs == .none
      let unmute: StyledText = " (muted, you can \(.highlight("/unmute @\(contact.localDisplayName)")))"
      let alias = contact.localAlias.isEmpty ? "" : " (alias: \(contact.localAlias))"
      return incognitoMark(contact) + fullName(contact) + (isMuted ? unmute : "") + StyledText(alias)
    }
  }

  func connected(_ contact: Contact, _ profile: Profile?) -> [StyledText] {
    guard let profile else { return [fullName(contact) + ": contact is connected"] }
    let incognito = StyledText.incognito(profile.displayName)
    return testProfile(profile) + [
      fullName(contact) + ": contact is connected, your incognito profile for this contact is " + incognito,
      "use \(.highlight("/i \(typed(contact))")) to print out this incognito profile again",
    ]
  }

  func request(_ request: UserContactRequest) -> [StyledText] {
    let typed = DisplayName.quoted(request.localDisplayName)
    let name = fullName(
      request.localDisplayName, fullName: request.profile.fullName, shortDescr: request.profile.shortDescr)
    return [
      name + " wants to connect to you!", "to accept: \(.highlight("/ac \(typed)"))",
      "to reject: \(.highlight("/rc \(typed)")) (the sender will NOT be notified)",
    ]
  }

  func accepting(_ contact: Contact) -> [StyledText] {
    let state = contact.sndReady ? ", you can send messages to contact" : "..."
    return [fullName(contact) + StyledText(": accepting contact request\(state)")]
  }

  func info(_ contact: Contact, stats: ConnectionStats?, incognito: Profile?) -> [StyledText] {
    var lines: [StyledText] = ["contact ID: \(contact.contactId)"] + (stats.map(connection) ?? [])
    if let link = contact.contactLink { lines.append("contact address: \(webLink(link))") }
    if let incognito {
      lines.append("you've shared incognito profile with this contact: \(.incognito(incognito.displayName))")
    } else {
      lines.append("you've shared main profile with this contact")
    }
    if !contact.localAlias.isEmpty { lines.append("alias: \(contact.localAlias)") }
    lines.append(verification(isVerified: contact.verified))
    if contact.activeConn?.connPQEnabled == true { lines.append("quantum resistant end-to-end encryption") }
    if let range = contact.activeConn?.peerChatVRange { lines.append(versions(range)) }
    if let themes = contact.uiThemes { lines.append("UI themes: \(json(themes))") }
    if let data = contact.customData { lines.append("custom data: \(json(data))") }
    return lines
  }

  func verification(isVerified: Bool) -> StyledText {
    isVerified
      ? "connection verified"
      : "connection not verified, use \(.highlight("/code")) command to see security code"
  }

  func versions(_ range: VersionRange) -> StyledText {
    "peer chat protocol version range: (Version \(range.minVersion), Version \(range.maxVersion))"
  }

  func connection(_ stats: ConnectionStats) -> [StyledText] {
    let receiving = stats.rcvQueuesInfo.map { queue in
      let abort = queue.canAbortSwitch ? ", can be aborted" : ""
      return host(queue.rcvServer) + (queue.rcvSwitchStatus.map { " (\(text($0))\(abort))" } ?? "")
    }
    let sending = stats.sndQueuesInfo.map { queue in
      host(queue.sndServer) + (queue.sndSwitchStatus.map { " (\(text($0)))" } ?? "")
    }
    return [("receiving", receiving), ("sending", sending)].compactMap { what, servers in
      servers.isEmpty ? nil : StyledText("\(what) messages via: \(servers.joined(separator: ", "))")
    }
  }

  private func text(_ status: RcvSwitchStatus) -> String {
    switch status {
    case .switchStarted, .sendingQADD: "switch started"
    case .sendingQUSE: "switch confirmed"
    case .receivedMessage: "switch secured"
    }
  }

  private func text(_ status: SndSwitchStatus) -> String {
    switch status {
    case .sendingQKEY: "switch started"
    case .sendingQTEST: "switch secured"
    }
  }

  func switching(_ contact: Contact, _ progress: SwitchProgress) -> [StyledText] {
    guard let phase = text(progress.switchPhase) else { return [] }
    let name = name(contact)
    return [progress.queueDirection == .rcv ? "\(name): you \(phase)" : "\(name) \(phase) for you"]
  }

  /// The text of a phase of a queue rotation; nil for phases that are not shown.
  func text(_ phase: SwitchPhase) -> String? {
    switch phase {
    case .confirmed, .secured: nil
    case .started: "started changing address"
    case .completed: "changed address"
    }
  }

  func synchronizing(_ contact: Contact, _ progress: RatchetSyncProgress) -> [StyledText] {
    synchronizing(name(contact), progress, command: "/sync \(typed(contact))")
  }

  func synchronizing(_ peer: StyledText, _ progress: RatchetSyncProgress, command: String) -> [StyledText] {
    let status = progress.ratchetSyncStatus
    let line: StyledText = "\(peer): \(status.coreText)"
    guard status == .allowed || status == .required else { return [line] }
    return [line, "use \(.highlight(command)) to synchronize"]
  }

  /// The lines where a security code is not that of the connection. For a person it is a warning.
  func notVerified(_ code: String) -> [StyledText] {
    let line = StyledText("connection not verified, current code is \(code)")
    guard showsStatus else { return [line] }
    return [
      .error("WARNING: the code is not the code of this connection, which is \(code)"),
      .error("Unless it was mistyped, or is of an earlier connection, somebody may read and change your messages."),
      "Compare the codes once more, in person or in a call, and send nothing confidential before they are the same.",
    ]
  }

  func code(of name: StyledText, is code: String, verifiedWith command: String) -> [StyledText] {
    if isTestView { return [StyledText(code)] }
    return [
      name + " security code:", StyledText(code),
      "pass this code to your contact and use \(.highlight(command)) to verify",
    ]
  }

  func updated(_ old: Contact, _ new: Contact) -> [StyledText] {
    let (before, after) = (old.profile, new.profile)
    let name = StyledText.contact(old.localDisplayName)
    if old.localDisplayName != new.localDisplayName {
      return [
        "contact \(name) changed to \(fullName(new))",
        "use \(.to("@\(typed(new)) "))\(.highlight("<message>")) to send messages",
      ]
    }
    if before.fullName != after.fullName {
      let isGone = after.fullName.isEmpty || after.fullName == new.localDisplayName
      return ["contact \(name)\(isGone ? " removed full name" : " updated full name: \(after.fullName)")"]
    }
    if before.shortDescr != after.shortDescr {
      guard let bio = after.shortDescr, !bio.isEmpty else { return ["contact \(name) removed bio"] }
      return ["contact \(name) updated bio: \(bio)"]
    }
    guard before.contactLink != after.contactLink else { return [] }
    guard after.contactLink != nil else { return ["\(name) removed contact address"] }
    return ["\(name) set new contact address, use \(.highlight("/info \(old.localDisplayName)")) to view"]
  }

  // MARK: Preferences

  func preferences(_ title: StyledText, of new: Contact, before old: Contact) -> [StyledText] {
    let changes = ChatFeature.allCases.compactMap { feature -> StyledText? in
      guard let now = new.mergedPreferences.preference(feature),
        now.choices != old.mergedPreferences.preference(feature)?.choices
      else { return nil }
      return StyledText("\(feature.coreText): \(now.text)")
    }
    return changes.isEmpty ? [] : [title] + changes
  }
}

extension ContactUserPreferences {
  /// A feature's state in words, and what both chose, be it for this contact or for all.
  fileprivate func preference(_ feature: ChatFeature) -> (text: String, choices: [String])? {
    func words<P: Preference>(_ preference: ContactUserPreference<P>) -> (text: String, choices: [String]) {
      let own = preference.userPreference
      let ttl = (own.preference as? TimedMessagesPreference)?.ttl
      let allows =
        switch own {
        case .user(let preference): "default (\(feature.text(of: preference)))"
        case .contact(let preference): feature.text(of: preference)
        }
      let theirs = feature.text(of: preference.contactPreference)
      let state = feature.stateText(preference.enabled, param: ttl)
      return (
        "\(state) (you allow: \(allows), contact allows: \(theirs))", [feature.text(of: own.preference), theirs]
      )
    }
    return switch feature {
    case .timedMessages: words(timedMessages)
    case .fullDelete: words(fullDelete)
    case .reactions: words(reactions)
    case .voice: words(voice)
    case .files: words(files)
    case .calls: words(calls)
    default: nil
    }
  }
}
