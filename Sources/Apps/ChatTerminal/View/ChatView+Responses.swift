import ChatAPI

extension ChatView {
  /// The lines of responses about users, chats, servers and connections.
  func lines(_ response: ChatResponse0) -> [StyledText] {
    switch response {
    case .activeUser(let user):
      let profile = user.profile
      return self.profile(
        profile.displayName, fullName: profile.fullName, shortDescr: profile.shortDescr, peerType: profile.peerType,
        preferences: profile.preferences)
        + (user.uiThemes.map { ["UI themes: \(json($0))"] } ?? [])
    case .usersList(let users): return self.users(users)
    case .chatStarted: return ["chat started"]
    case .chatRunning: return ["chat is running"]
    case .chatStopped: return ["chat stopped"]
    case .apiChats(let user, let chats): return of(user, isTestView ? testChats(chats) : json(chats))
    case .apiChat(let user, let chat, _): return of(user, isTestView ? testChat(chat) : json(chat))
    case .chatContentTypes(let types):
      return [StyledText("Chat content types: \(types.map(\.rawValue).joined(separator: ", "))")]
    case .chatTags(let user, let tags): return of(user, json(tags))
    case .chatItemInfo(let user, let item, let info): return of(user, self.info(item, info))
    case .tagsUpdated(let user, _, _): return of(user, "chat tags updated")
    case .serverTestResult(let user, let server, let failure): return of(user, serverTest(server, failure))
    case .serverOperatorConditions(let conditions):
      return conditions.serverOperators.map(serverOperator) + review(conditions.conditionsAction)
    case .userServers(let user, let servers):
      return of(user, servers.flatMap(self.servers) + (isTestView ? [] : serversHelp))
    case .userServersValidation: return []
    case .usageConditions(let current, _, let accepted):
      let also = accepted.map { ", accepted conditions: \(text($0))" } ?? ""
      return [StyledText("Current conditions: \(text(current))\(also)")]
    case .chatItemTTL(let user, let ttl): return of(user, chatItemTTL(ttl))
    case .networkConfig(let config): return network(config)
    case .queueInfo(let user, let message, let queue):
      return of(
        user, ["last received msg: \(message.map { json($0) } ?? "none")", "server queue info: \(json(queue))"])
    case .contactInfo(let user, let contact, let stats, let profile):
      return of(user, info(contact, stats: stats, incognito: profile))
    case .groupInfo(let user, let group): return of(user, info(group))
    case .groupMemberInfo(let user, let group, let member, let stats):
      return of(user, info(member, of: group, stats: stats))
    case .contactSwitchStarted, .groupMemberSwitchStarted: return ["switch started"]
    case .contactSwitchAborted, .groupMemberSwitchAborted: return ["switch aborted"]
    case .contactRatchetSyncStarted, .groupMemberRatchetSyncStarted: return ["connection synchronization started"]
    case .contactCode(let user, let contact, let code):
      return of(
        user, self.code(of: name(contact), is: code, verifiedWith: "/verify \(typed(contact)) <code from your contact>")
      )
    case .groupMemberCode(let user, let group, let member, let code):
      let command = "/verify #\(typed(group)) \(typed(member)) <code from your contact>"
      return of(user, self.code(of: "\(name(group)) \(name(member))", is: code, verifiedWith: command))
    case .connectionVerified(let user, let verified, let code):
      return of(user, verified ? ["connection verified"] : notVerified(code))
    default: return [json(response)]
    }
  }

  /// The lines of responses about connecting, items, contacts and profiles.
  func lines(_ response: ChatResponse1) -> [StyledText] {
    switch response {
    case .newChatItems(let user, let items): newItems(user, items)
    case .chatItemUpdated(let user, let item): updated(user, item)
    case .chatItemNotChanged(let user, let item): notChanged(user, item)
    case .chatItemReaction(let user, let added, let reaction): self.reaction(user, reaction, added: added)
    case .reactionMembers(let user, let members): of(user, "\(members.count) member(s) reacted")
    case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
      deleted(user, deletions, byUser: byUser, timed: timed)
    case .groupChatItemsDeleted(let user, let group, let ids, let byUser, let member):
      of(user, groupItemsDeleted(group, items: ids, byUser: byUser, member: member))
    case .itemsReadForChat(let user, _): of(user, "items read for chat")
    case .forwardPlan(let user, let count, let ids, let confirmation):
      of(user, forwardPlan(count, ids: ids, confirmation: confirmation))
    case .chatMsgContent(let user, let content): of(user, textLines(content) + testSignature(content))
    case .contactsList(let user, let contacts): of(user, self.contacts(contacts))
    case .contactDeleted(let user, let contact): of(user, "\(name(contact)): contact is deleted")
    case .chatCleared(let user, let chat): of(user, cleared(chat))
    case .groupDeletedUser(let user, let group, let signed):
      of(user, "\(name(group)): you deleted the group\(signedText(signed))")
    case .contactAliasUpdated(let user, let contact):
      of(user, alias("contact \(name(contact))", contact.profile.localAlias))
    case .groupAliasUpdated(let user, let group): of(user, alias("group \(name(group))", group.localAlias))
    case .connectionAliasUpdated(let user, let connection):
      of(user, alias("connection \(connection.pccConnId)", connection.localAlias))
    case .contactPrefsUpdated(let user, let old, let new):
      of(user, ownPreferences(old, new))
    case .userProfileNoChange(let user): of(user, "user profile did not change")
    case .userProfileUpdated(let user, let old, let new, let summary):
      of(user, updated(from: old, to: new, summary: summary))
    case .userPrivacy(let user, let updated): of(user, privacy(user, updated))
    case .userContactLink(let user, let link):
      of(user, address("Your chat address:", link.connLinkContact) + addressSettings(link.addressSettings))
    case .userContactLinkUpdated(let user, let link): of(user, addressSettings(link.addressSettings))
    case .userContactLinkCreated(let user, let link): of(user, address("Your new chat address is created!", link))
    case .userContactLinkDeleted(let user):
      of(
        user,
        [
          "Your chat address is deleted - accepted contacts will remain connected.",
          "To create a new chat address use \(.highlight("/ad"))",
        ])
    default: connecting(response)
    }
  }

  private func connecting(_ response: ChatResponse1) -> [StyledText] {
    switch response {
    case .invitation(let user, let link, _): of(user, invitation(link))
    case .connectionIncognitoUpdated(let user, let connection, let profile):
      of(
        user,
        testProfile(profile) + [
          StyledText(
            "connection \(connection.pccConnId) changed to \(connection.customUserProfileId == nil ? "non " : "")incognito"
          )
        ])
    case .connectionUserChanged(let user, let connection, let changed, let newUser):
      of(user, moved("connection \(connection.pccConnId)", from: user, to: newUser, link: changed.connLinkInv))
    case .connectionPlan(let user, _, _, _, let plan): of(user, self.plan(plan))
    case .newPreparedChat(let user, let chat): of(user, prepared(chat.chatInfo))
    case .contactUserChanged(let user, let contact, let newUser, let changed):
      of(
        user,
        moved(
          "contact \(name(contact))", from: user, to: newUser,
          renamed: contact.localDisplayName == changed.localDisplayName ? nil : name(changed)))
    case .groupUserChanged(let user, let group, let newUser, let changed):
      of(
        user,
        moved(
          "group \(name(group))", from: user, to: newUser,
          renamed: group.localDisplayName == changed.localDisplayName ? nil : name(changed)))
    case .sentConfirmation(let user, _, _): of(user, "confirmation sent!")
    case .sentInvitation(let user, _, let profile), .sentInvitationToContact(let user, _, let profile):
      of(
        user,
        testProfile(profile) + [profile == nil ? "connection request sent!" : "connection request sent incognito!"])
    case .startedConnectionToContact(let user, let contact, let profile):
      of(user, testProfile(profile) + ["\(name(contact)): connection started\(profile == nil ? "" : " incognito")"])
    case .startedConnectionToGroup(let user, let group, let profile, _):
      of(user, testProfile(profile) + ["\(name(group)): connection started\(profile == nil ? "" : " incognito")"])
    case .contactAlreadyExists(let user, let contact): of(user, "\(fullName(contact)): contact already exists")
    case .acceptingContactRequest(let user, let contact): of(user, accepting(contact))
    case .contactRequestRejected(let user, let request, _):
      of(user, "\(.contact(request.localDisplayName)): contact request rejected")
    case .contactConnectionDeleted(let user, let connection):
      of(user, "connection :\(connection.pccConnId) deleted")
    default: [json(response)]
    }
  }

  /// The lines of responses about groups, files, calls, notifications and everything else.
  func lines(_ response: ChatResponse2) -> [StyledText] {
    switch response {
    case .cmdOk(let user): of(user, ["ok"])
    case .chatCmdError(let error): lines(error, isOfCommand: true)
    case .versionInfo(let info, _, _): version(info)
    case .appSettings(let settings): ["app settings: \(json(settings))"]
    case .callInvitations: []
    case .agentSubsTotal(let user, let total, _): of(user, "total subscriptions: \(json(total))")
    case .agentServersSummary(let user, let summary): of(user, "agent servers summary: \(json(summary))")
    case .archiveExported(let errors):
      errors.isEmpty ? ["ok"] : ["archive export errors: \(json(errors))"]
    case .archiveImported(let errors):
      errors.isEmpty ? ["ok"] : ["archive import errors: \(json(errors))"]
    default: remoteLines(response) ?? fileLines(response)
    }
  }

  /// The lines of responses for terminals, desktops and developers.
  func lines(_ response: ChatResponse3) -> [StyledText] {
    switch response {
    case .chats(let chats): return chats.reversed().flatMap(chatPreview)
    case .chatItems(let user, _, let items):
      return of(
        user,
        items.flatMap {
          item($0, showsEvents: true) + reactions($0.chatItem) + testSignature($0.chatItem.content.msgContent)
        })
    case .chatItemId(let user, let id): return of(user, StyledText(id.map(String.init) ?? "no item"))
    case .broadcastSent(let user, let content, let successes, let failures, let time):
      let failed = failures > 0 ? ", \(failures) failures" : ""
      return of(
        user,
        textLines(content).led(by: "\(.highlight("/feed")) (\(successes)\(failed)) \(shortTime(time)) "))
    case .chatHelp(let section): return HelpTexts.lines(section)
    case .welcome(let user): return HelpTexts.welcome(user)
    case .userProfile(let user, let profile):
      return of(
        user,
        self.profile(
          profile.displayName, fullName: profile.fullName, shortDescr: profile.shortDescr, peerType: profile.peerType,
          preferences: profile.preferences))
    case .userProfileImage(let user, let profile):
      return of(user, profile.image.map { ["Profile image:", StyledText($0)] } ?? ["No profile image"])
    case .memberSupportChats(let user, let group, let members): return of(user, supportChats(group, members))
    case .joinedGroupMember(let user, let group, let member): return of(user, joined(group, member: member))
    case .groupProfile(let user, let group): return of(user, self.profile(group))
    case .groupDescription(let user, let group): return of(user, welcome(group))
    case .customChatResponse(let user, let text): return of(user, text.split(separator: "\n").map { "\($0)" })
    case .fileTransferStatus(let user, let transfer, let parts):
      return of(user, status(of: transfer, received: parts))
    case .fileTransferStatusXFTP(let user, let item): return of(user, status(ofFileIn: item))
    case .connectionsDiff(true, let users, let connections): return differenceIDs(users, connections)
    case .connectionsDiff(false, let users, let connections): return difference(users, connections)
    case .sQLResult(let rows): return rows.map { StyledText($0) }
    default: return remoteLines(response) ?? [json(response)]
    }
  }

  // MARK: Parts

  private func chatPreview(_ chat: ChatData) -> [StyledText] {
    if let item = chat.chatItems.first {
      let lines = self.item(AChatItem(chatInfo: chat.chatInfo, chatItem: item), showsEvents: true)
      if let line = lines.first { return [line.text.count > 120 ? line.prefix(120) + "..." : line] }
    }
    switch chat.chatInfo {
    case .direct(let contact): return ["      \(incognitoMark(contact))\(.to("@\(typed(contact)) "))"]
    case .group(let group, let scope):
      return ["      \(incognitoMark(group))\(.to("#\(typed(group))\(scopeText(scope)) "))"]
    default: return []
    }
  }

  private func cleared(_ chat: ChatInfo) -> [StyledText] {
    switch chat {
    case .direct(let contact): ["\(name(contact)): all messages are removed locally ONLY"]
    case .group(let group, _): ["\(name(group)): all messages are removed locally ONLY"]
    case .local: ["notes: all messages are removed"]
    default: []
    }
  }

  private func alias(_ what: StyledText, _ alias: String) -> StyledText {
    what + StyledText(alias.isEmpty ? " alias removed" : " alias updated: \(alias)")
  }

  private func prepared(_ chat: ChatInfo) -> StyledText {
    switch chat {
    case .direct(let contact): "\(name(contact)): contact is prepared"
    case .group(let group, _): "\(name(group)): group is prepared"
    default: "prepared chat error: unexpected type"
    }
  }

  private func moved(_ what: StyledText, from: User, to: User, renamed name: StyledText?) -> StyledText {
    let line: StyledText = "\(what) changed from user \(from.localDisplayName) to user \(to.localDisplayName)"
    return name.map { line + ", new local name: \($0)" } ?? line
  }

  private func moved(_ what: StyledText, from: User, to: User, link: CreatedConnLink?) -> [StyledText] {
    let line: StyledText = "\(what) changed from user \(from.localDisplayName) to user \(to.localDisplayName)"
    guard let link else { return [line] }
    let old: [StyledText] =
      link.connShortLink == nil
      ? [] : longFormOrHint(["The invitation link for old clients:", StyledText(webLink(link.connFullLink))])
    return [line + ", new link:", "", StyledText(link.connShortLink ?? webLink(link.connFullLink)), ""] + old
  }

  private func ownPreferences(_ old: Contact, _ new: Contact) -> [StyledText] {
    let changes = preferences("you updated preferences for \(name(new)):", of: new, before: old)
    return changes.isEmpty ? ["your preferences for \(name(new)) did not change"] : changes
  }

  func groupItemsDeleted(
    _ group: GroupInfo, items ids: [Int64], byUser: Bool, member: GroupMember?
  ) -> StyledText {
    let who: StyledText = byUser ? "user" : "member" + (member.map { " \(name($0))" } ?? "")
    return "\(name(group)): \(ids.count) messages deleted by " + who
  }

  func difference(_ users: DatabaseDiff, _ connections: DatabaseDiff) -> [StyledText] {
    let lines = [("users", users), ("connections", connections)].flatMap { name, difference in
      [("missing", difference.missingIds), ("extra", difference.extraIds)].compactMap { kind, ids in
        ids.isEmpty ? nil : StyledText("number of \(kind) \(name) in agent: \(ids.count)")
      }
    }
    return lines.isEmpty
      ? ["no difference between agent and chat connections"] : ["connections difference summary:"] + lines
  }

  private func version(_ info: CoreVersionInfo) -> [StyledText] {
    let lines: [StyledText] = ["SimpleX Chat v\(info.version)"]
    return isVerbose ? lines + ["simplexmq: \(info.simplexmqVersion) (\(info.simplexmqCommit))"] : lines
  }

  private func differenceIDs(_ users: DatabaseDiff, _ connections: DatabaseDiff) -> [StyledText] {
    let lines = [("users", users), ("connections", connections)].flatMap { name, difference in
      [("missing", difference.missingIds), ("extra", difference.extraIds)].compactMap { kind, ids in
        ids.isEmpty
          ? nil : StyledText("\(kind) \(name) in agent (agent IDs): \(ids.map { "\($0)" }.joined(separator: ", "))")
      }
    }
    return lines.isEmpty ? ["no difference between agent and chat connections"] : ["connections difference:"] + lines
  }
}
