import SimplexJSON

/// Invitations, requests and contacts (specification section 2.4).
enum ContactsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareConnecting(in: &commands)
    declareContacts(in: &commands)
  }

  private static func declareConnecting(in commands: inout CommandDeclarations) {
    commands.command(
      "apiAddContact", "/_connect ",
      id("userId"), flag(" incognito="),
      make: ChatCommand.apiAddContact,
      match: { if case .apiAddContact(let userId, let incognito) = $0 { (userId, incognito) } else { nil } })
    commands.command(
      "apiConnect", "/_connect ",
      id("userId"), flag(" incognito="), createdLink.after(" "),
      make: ChatCommand.apiConnect,
      match: {
        if case .apiConnect(let userId, let incognito, let connLink) = $0 { (userId, incognito, connLink) } else { nil }
      })
    commands.command(
      "apiConnectPlan", "/_connect plan ",
      id("userId"), link("link or name").after(" "), resolveMode, json(LinkOwnerSig.self).optional(after: " sig="),
      make: ChatCommand.apiConnectPlan,
      match: {
        if case .apiConnectPlan(let userId, let connLink, let resolve, let linkOwnerSig) = $0 {
          (userId, connLink, resolve, linkOwnerSig)
        } else {
          nil
        }
      })
    commands.command(
      "apiPrepareContact", "/_prepare contact ",
      id("userId"), createdLink.after(" "), word("name").optional(after: " domain="),
      json(ContactShortLinkData.self).after(" "),
      make: { userId, connLink, verifiedDomain, contactShortLinkData in
        .apiPrepareContact(
          userId: userId, connLink: connLink, contactShortLinkData: contactShortLinkData, verifiedDomain: verifiedDomain
        )
      },
      match: {
        if case .apiPrepareContact(let userId, let connLink, let contactShortLinkData, let verifiedDomain) = $0 {
          (userId, connLink, verifiedDomain, contactShortLinkData)
        } else {
          nil
        }
      })
    commands.command(
      "apiConnectPreparedContact", "/_connect contact @",
      id("contactId"), flag(" incognito="), msgContent.optional(),
      make: ChatCommand.apiConnectPreparedContact,
      match: {
        if case .apiConnectPreparedContact(let contactId, let incognito, let msg) = $0 {
          (contactId, incognito, msg)
        } else {
          nil
        }
      })
    commands.command(
      "apiConnectContactViaAddress", "/_connect contact ",
      id("userId"), flag(" incognito="), id("contactId").after(" "),
      make: ChatCommand.apiConnectContactViaAddress,
      match: {
        if case .apiConnectContactViaAddress(let userId, let incognito, let contactId) = $0 {
          (userId, incognito, contactId)
        } else {
          nil
        }
      })
    commands.command(
      "apiAcceptContact", "/_accept",
      flag(" incognito="), id("contactReqId").after(" "),
      make: ChatCommand.apiAcceptContact,
      match: {
        if case .apiAcceptContact(let incognito, let contactReqId) = $0 { (incognito, contactReqId) } else { nil }
      })
    commands.command(
      "apiRejectContact", "/_reject ",
      id("contactReqId"),
      make: ChatCommand.apiRejectContact,
      match: { if case .apiRejectContact(let contactReqId) = $0 { contactReqId } else { nil } })
    commands.command(
      "apiDeleteChat", "/_delete ",
      chatType, id("chatId"), chatDeleteMode,
      make: ChatCommand.apiDeleteChat,
      match: {
        if case .apiDeleteChat(let type, let id, let chatDeleteMode) = $0 { (type, id, chatDeleteMode) } else { nil }
      })
    commands.command(
      "apiClearChat", "/_clear chat ",
      chatType, id("chatId"),
      make: ChatCommand.apiClearChat,
      match: { if case .apiClearChat(let type, let id) = $0 { (type, id) } else { nil } })
    commands.command(
      "apiListContacts", "/_contacts ",
      id("userId"),
      make: ChatCommand.apiListContacts,
      match: { if case .apiListContacts(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiSetContactPrefs", "/_set prefs @",
      id("contactId"), json(Preferences.self).after(" "),
      make: ChatCommand.apiSetContactPrefs,
      match: {
        if case .apiSetContactPrefs(let contactId, let preferences) = $0 { (contactId, preferences) } else { nil }
      })
  }

  private static func declareContacts(in commands: inout CommandDeclarations) {
    commands.command(
      "apiSetContactAlias", "/_set alias @",
      id("contactId"), text("alias").omitted(after: " ", when: ""),
      make: ChatCommand.apiSetContactAlias,
      match: {
        if case .apiSetContactAlias(let contactId, let localAlias) = $0 { (contactId, localAlias) } else { nil }
      })
    commands.command(
      "apiSetConnectionAlias", "/_set alias :",
      id("connId"), text("alias").omitted(after: " ", when: ""),
      make: ChatCommand.apiSetConnectionAlias,
      match: { if case .apiSetConnectionAlias(let connId, let localAlias) = $0 { (connId, localAlias) } else { nil } })
    commands.command(
      "apiContactInfo", "/_info @",
      id("contactId"),
      make: ChatCommand.apiContactInfo,
      match: { if case .apiContactInfo(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiSetConnectionIncognito", "/_set incognito :",
      id("connId"), onOff.after(" "),
      make: ChatCommand.apiSetConnectionIncognito,
      match: { if case .apiSetConnectionIncognito(let connId, let incognito) = $0 { (connId, incognito) } else { nil } }
    )
    commands.command(
      "apiAcceptMemberContact", "/_accept member contact @",
      id("contactId"),
      make: ChatCommand.apiAcceptMemberContact,
      match: { if case .apiAcceptMemberContact(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiContactQueueInfo", "/_queue info @",
      id("contactId"),
      make: ChatCommand.apiContactQueueInfo,
      match: { if case .apiContactQueueInfo(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiChangeConnectionUser", "/_set conn user :",
      id("connId"), id("userId").after(" "),
      make: ChatCommand.apiChangeConnectionUser,
      match: { if case .apiChangeConnectionUser(let connId, let userId) = $0 { (connId, userId) } else { nil } })
    commands.command(
      "apiChangePreparedContactUser", "/_set contact user @",
      id("contactId"), id("userId").after(" "),
      make: ChatCommand.apiChangePreparedContactUser,
      match: {
        if case .apiChangePreparedContactUser(let contactId, let newUserId) = $0 { (contactId, newUserId) } else { nil }
      })
    commands.command(
      "apiVerifyContactDomain", "/_verify domain @",
      id("contactId"),
      make: ChatCommand.apiVerifyContactDomain,
      match: { if case .apiVerifyContactDomain(let contactId) = $0 { contactId } else { nil } })
    commands.command(
      "apiSetContactCustomData", "/_set custom @",
      id("contactId"), json(JSONValue.self).optional(),
      make: ChatCommand.apiSetContactCustomData,
      match: {
        if case .apiSetContactCustomData(let contactId, let customData) = $0 { (contactId, customData) } else { nil }
      })
    commands.command(
      "apiEnableContact", "/_enable @",
      id("contactId"),
      make: ChatCommand.apiEnableContact,
      match: { if case .apiEnableContact(let contactId) = $0 { contactId } else { nil } })
  }
}
