/// Contacts and connecting.
enum ContactsTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareConnecting(in: &commands)
    declareContacts(in: &commands)
  }

  private static func declareConnecting(in commands: inout CommandDeclarations) {
    commands.terminal(
      "addContact", "/connect", or: ["/c"], incognito,
      make: TerminalCommand.addContact,
      match: { if case .addContact(let incognito) = $0 { incognito } else { nil } })
    commands.terminal(
      "connect", "/connect", or: ["/c"], incognito, link("link").after(" "),
      make: TerminalCommand.connect,
      match: { if case .connect(let incognito, let connLink) = $0 { (incognito, connLink) } else { nil } })
    commands.terminal(
      "connectSimplex", "/simplex", incognito,
      make: TerminalCommand.connectSimplex,
      match: { if case .connectSimplex(let incognito) = $0 { incognito } else { nil } })
    commands.terminal(
      "acceptContact", "/accept", or: ["/ac"], incognito, contactName.after(" "),
      make: TerminalCommand.acceptContact,
      match: { if case .acceptContact(let incognito, let contact) = $0 { (incognito, contact) } else { nil } })
    commands.terminal(
      "rejectContact", "/reject ", or: ["/rc "], contactName,
      make: TerminalCommand.rejectContact,
      match: { if case .rejectContact(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "deleteContact", "/delete ", or: ["/d "], contactName, chatDeleteMode,
      make: TerminalCommand.deleteContact,
      match: { if case .deleteContact(let contact, let mode) = $0 { (contact, mode) } else { nil } })
    commands.terminal(
      "clearContact", "/clear ", contactName,
      make: TerminalCommand.clearContact,
      match: { if case .clearContact(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "listContacts", "/contacts",
      make: { .listContacts }, match: { if case .listContacts = $0 { () } else { nil } })
    commands.terminal(
      "contactInfo", "/info ", or: ["/i "], contactName,
      make: TerminalCommand.contactInfo,
      match: { if case .contactInfo(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "contactQueueInfo", "/queue info ", or: ["/qi "], contactName,
      make: TerminalCommand.contactQueueInfo,
      match: { if case .contactQueueInfo(let contact) = $0 { contact } else { nil } })
  }

  private static func declareContacts(in commands: inout CommandDeclarations) {
    commands.terminal(
      "switchContact", "/switch ", contactName,
      make: TerminalCommand.switchContact,
      match: { if case .switchContact(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "abortSwitchContact", "/abort switch ", contactName,
      make: TerminalCommand.abortSwitchContact,
      match: { if case .abortSwitchContact(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "syncContactRatchet", "/sync ", contactName, isPresent(" force=on"),
      make: TerminalCommand.syncContactRatchet,
      match: { if case .syncContactRatchet(let contact, let force) = $0 { (contact, force) } else { nil } })
    commands.terminal(
      "getContactCode", "/code ", contactName,
      make: TerminalCommand.getContactCode,
      match: { if case .getContactCode(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "verifyContact", "/verify ", contactName, digits("code").optional(),
      make: TerminalCommand.verifyContact,
      match: { if case .verifyContact(let contact, let code) = $0 { (contact, code) } else { nil } })
    commands.terminal(
      "enableContact", "/enable ", contactName,
      make: TerminalCommand.enableContact,
      match: { if case .enableContact(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "sendCallInvitation", "/call ", contactName,
      make: TerminalCommand.sendCallInvitation,
      match: { if case .sendCallInvitation(let contact) = $0 { contact } else { nil } })
    commands.terminal(
      "acceptMemberContact", "/accept_member_contact @", name("contact"),
      make: TerminalCommand.acceptMemberContact,
      match: { if case .acceptMemberContact(let contact) = $0 { contact } else { nil } })
    for (keyword, filter) in [("/mute ", MsgFilter.none), ("/unmute ", .all), ("/unmute mentions ", .mentions)] {
      commands.terminal(
        "setShowMessages", keyword, chatName,
        make: { .setShowMessages(chat: $0, ntfs: filter) },
        match: { if case .setShowMessages(let chat, filter) = $0 { chat } else { nil } })
    }
    commands.terminal(
      "setSendReceipts", "/receipts ", chatName, onOff.orDefault.after(" "),
      make: TerminalCommand.setSendReceipts,
      match: { if case .setSendReceipts(let chat, let enable) = $0 { (chat, enable) } else { nil } })
  }
}
