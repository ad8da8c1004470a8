import ChatAPI
import ChatLogic
import ChatStore
import FoundationTypes
import WireCodec

// What people type: names become numbers, and the command of the API follows.

extension ChatController {
  func perform(_ typed: TerminalCommand) async throws(ChatError) -> ChatResponse {
    if case .sendMessage(.contact(let name), let text) = typed, let only = try onlyMember(named: name) {
      return try await sendDirectly(text, toMember: only.groupMemberId, inGroup: only.groupId)
    }
    if let command = try userCommand(typed) { return try await perform(command) }
    if let command = try contactCommand(typed) { return try await perform(command) }
    if let command = try messageCommand(typed) { return try await perform(command) }
    if let command = try settingsCommand(typed) { return try await perform(command) }
    if let command = try groupCommand(typed) { return try await perform(command) }
    if let command = try fileCommand(typed) { return try await perform(command) }
    if let response = try await performLocally(typed) { return response }
    throw .notImplemented(.terminal(typed))
  }

  private func userCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .createUser(let profile):
      return .createActiveUser(profile: Profile(profile), pastTimestamp: false)
    case .createBot(let allowFiles, let new):
      var profile = Profile(new)
      profile.peerType = .bot
      var preferences = Preferences()
      if allowFiles != true { preferences.files = SimplePreference(allow: .no) }
      profile.preferences = preferences
      return .createActiveUser(profile: profile, pastTimestamp: false)
    case .setActiveUser(let name, let password):
      return .apiSetActiveUser(userId: try userID(name, password), viewPwd: password)
    case .deleteUser(let name, let password):
      return .apiDeleteUser(
        userId: try userID(name, password, mustMatch: true), delSMPQueues: true, viewPwd: password)
    case .hideUser(let password): return .apiHideUser(userId: try runningUser().userId, viewPwd: password)
    case .unhideUser(let password): return .apiUnhideUser(userId: try runningUser().userId, viewPwd: password)
    case .muteUser: return .apiMuteUser(userId: try runningUser().userId)
    case .unmuteUser: return .apiUnmuteUser(userId: try runningUser().userId)
    case .setUserContactReceipts(let settings):
      return .apiSetUserContactReceipts(userId: try runningUser().userId, userMsgReceiptSettings: settings)
    case .setUserGroupReceipts(let settings):
      return .apiSetUserGroupReceipts(userId: try runningUser().userId, userMsgReceiptSettings: settings)
    case .setUserAutoAcceptMemberContacts(let enable):
      return .apiSetUserAutoAcceptMemberContacts(userId: try runningUser().userId, enable: enable)
    case .userRead: return .apiUserRead(userId: try runningUser().userId)
    case .updateProfile(let new):
      return try profileCommand {
        $0.displayName = new.displayName
        $0.fullName = ""
        $0.shortDescr = new.shortDescr
      }
    case .updateProfileImage(let image): return try profileCommand { $0.image = image }
    case .deleteProfileImage: return try profileCommand { $0.image = nil }
    case .setBotCommands(let commands):
      return try profileCommand { profile in
        profile.peerType = .bot
        var preferences = profile.preferences ?? Preferences()
        preferences.commands = commands
        profile.preferences = preferences
      }
    case .deleteBotCommands: return try profileCommand { $0.preferences?.commands = nil }
    case .createMyAddress: return .apiCreateMyAddress(userId: try runningUser().userId)
    case .deleteMyAddress: return .apiDeleteMyAddress(userId: try runningUser().userId)
    case .showMyAddress: return .apiShowMyAddress(userId: try currentUser().userId)
    case .setProfileAddress(let isOn): return .apiSetProfileAddress(userId: try runningUser().userId, on: isOn)
    case .setAddressSettings(let settings):
      return .apiSetAddressSettings(userId: try runningUser().userId, addressSettings: settings)
    default: return nil
    }
  }

  private func profileCommand(_ change: (inout Profile) -> Void) throws(ChatError) -> ChatCommand {
    let user = try runningUser()
    var profile = user.profile.shared
    change(&profile)
    return .apiUpdateProfile(userId: user.userId, profile: profile)
  }

  private func contactCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .addContact(let incognito): return .apiAddContact(userId: try runningUser().userId, incognito: incognito)
    case .acceptContact(let incognito, let name):
      return .apiAcceptContact(incognito: incognito, contactReqId: try requestID(name))
    case .acceptMemberContact(let name): return .apiAcceptMemberContact(contactId: try contactID(name))
    case .rejectContact(let name): return .apiRejectContact(contactReqId: try requestID(name))
    case .deleteContact(let name, let mode):
      return .apiDeleteChat(type: .direct, id: try contactID(name), chatDeleteMode: mode)
    case .clearContact(let name): return .apiClearChat(type: .direct, id: try contactID(name))
    case .listContacts: return .apiListContacts(userId: try runningUser().userId)
    case .contactInfo(let name): return .apiContactInfo(contactId: try contactID(name))
    case .contactQueueInfo(let name): return .apiContactQueueInfo(contactId: try contactID(name))
    case .switchContact(let name): return .apiSwitchContact(contactId: try contactID(name))
    case .abortSwitchContact(let name): return .apiAbortSwitchContact(contactId: try contactID(name))
    case .syncContactRatchet(let name, let force):
      return .apiSyncContactRatchet(contactId: try contactID(name), force: force)
    case .getContactCode(let name): return .apiGetContactCode(contactId: try contactID(name))
    case .verifyContact(let name, let code):
      return .apiVerifyContact(contactId: try contactID(name), connectionCode: code)
    case .enableContact(let name): return .apiEnableContact(contactId: try contactID(name))
    case .sendCallInvitation(let name):
      return .apiSendCallInvitation(
        contact: .init(try contactID(name)), callType: CallType(media: .video, capabilities: .init(encryption: true)))
    case .setShowMessages(let chat, let filter): return try chatSettings(chat) { $0.enableNtfs = filter }
    case .setSendReceipts(let chat, let enable): return try chatSettings(chat) { $0.sendRcpts = enable }
    default: return nil
    }
  }

  private func chatSettings(
    _ chat: ChatName, _ change: (inout ChatSettings) -> Void
  ) throws(ChatError) -> ChatCommand? {
    let user = try runningUser()
    guard let chat = try chatRef(chat), chat.chatType != .local else { return nil }
    var settings =
      switch try store.read({ try $0.chatInfo(chat, of: user) }) {
      case .direct(let contact): contact.chatSettings
      case .group(let group, _): group.chatSettings
      default: throw .unsupported
      }
    change(&settings)
    return .apiSetChatSettings(type: chat.chatType, id: chat.chatId, chatSettings: settings)
  }

  private func messageCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .sendMessage(let recipient, let text):
      switch recipient {
      case .contact(let name): return sendCommand(try contactOrMemberID(name), text)
      case .notes:
        let user = try runningUser()
        return .apiCreateChatItems(
          noteFolderId: try store.read { try $0.noteFolderID(of: user) },
          composedMessages: [ComposedMessage(msgContent: .text(text))])
      case .group(let name): return try groupMessage(try groupID(name), group: name, text)
      case .support(let group, let member): return try supportMessage(in: group, with: member, text)
      }
    case .sendLiveMessage(let chat, let text):
      switch chat.chatType {
      case .direct: return sendCommand(try contactID(chat.chatName), text, live: true)
      case .group: return try groupMessage(try groupID(chat.chatName), group: chat.chatName, text, live: true)
      default: return nil
      }
    case .sendMessageQuote(let name, let quoted, let text):
      return try quoteCommand(name, quoting: quoted, text: text, sent: false)
    case .sendOwnMessageQuote(let name, let quoted, let text):
      return try quoteCommand(name, quoting: quoted, text: text, sent: true)
    case .forwardMessage(let target, let name, let text):
      return try forwardCommand(
        try chatRef(target), from: ChatRef(chatType: .direct, chatId: try contactID(name)), text: text)
    case .forwardLocalMessage(let target, let text):
      return try forwardCommand(try chatRef(target), from: try notes(), text: text)
    case .editMessage(let name, let edited, let text):
      guard let chat = try chatRef(name) else { return nil }
      return .apiUpdateChatItem(
        type: chat.chatType, id: chat.chatId, scope: nil, itemId: try itemID(edited ?? "", in: chat, sent: true),
        updatedMessage: UpdatedMessage(
          msgContent: .text(text),
          mentions: chat.chatType == .group ? try mentions(in: text, ofGroup: chat.chatId) : [:]), live: false)
    case .deleteMessage(let name, let text):
      guard let chat = try chatRef(name) else { return nil }
      return .apiDeleteChatItem(
        type: chat.chatType, id: chat.chatId, scope: nil, itemIds: [try itemID(text, in: chat, sent: true)],
        mode: chat.chatType == .local ? .cidmInternal : .cidmBroadcast)
    case .reactToMessage(let add, let emoji, let name, let text):
      guard let chat = try chatRef(name) else { return nil }
      return .apiChatItemReaction(
        type: chat.chatType, id: chat.chatId, scope: nil, itemId: try itemID(text, in: chat, sent: nil), add: add,
        reaction: .emoji(emoji: emoji))
    case .showChatItemInfo(let name, let text):
      guard let chat = try chatRef(name) else { return nil }
      return .apiGetChatItemInfo(
        type: chat.chatType, id: chat.chatId, scope: nil, itemId: try itemID(text, in: chat, sent: nil))
    case .clearNoteFolder:
      let chat = try notes()
      return .apiClearChat(type: .local, id: chat.chatId)
    default: return nil
    }
  }

  private func sendCommand(_ contact: Int64, _ text: String, live: Bool = false, quoted: Int64? = nil) -> ChatCommand {
    .apiSendMessages(
      type: .direct, id: contact, scope: nil, live: live, ttl: nil,
      composedMessages: [ComposedMessage(quotedItemId: quoted, msgContent: .text(text))])
  }

  private func quoteCommand(
    _ name: String, quoting quoted: String, text: String, sent: Bool
  ) throws(ChatError) -> ChatCommand {
    let id = try contactID(name)
    let item = try itemID(quoted, in: ChatRef(chatType: .direct, chatId: id), sent: sent)
    return sendCommand(id, text, quoted: item)
  }

  private func forwardCommand(
    _ target: ChatRef?, from source: ChatRef, text: String
  ) throws(ChatError) -> ChatCommand? {
    guard let target else { return nil }
    return .apiForwardChatItems(
      toChatType: target.chatType, toChatId: target.chatId, toScope: nil, fromChatType: source.chatType,
      fromChatId: source.chatId, fromScope: nil, itemIds: [try itemID(text, in: source, sent: nil)], ttl: nil)
  }

  private func settingsCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .setUserFeature(let feature, let allowed):
      return try profileCommand { profile in
        var preferences = profile.preferences ?? Preferences()
        preferences.set(feature, allowed)
        profile.preferences = preferences
      }
    case .setContactFeature(let feature, let name, let allowed):
      return try preferencesCommand(name) { $0.set(feature, allowed) }
    case .setUserTimedMessages(let enable):
      return try profileCommand { profile in
        var preferences = profile.preferences ?? Preferences()
        preferences.timedMessages = TimedMessagesPreference(
          allow: enable ? .yes : .no, ttl: preferences.timedMessages?.ttl)
        profile.preferences = preferences
      }
    case .setContactTimedMessages(let name, let setting):
      return try preferencesCommand(name) { preferences in
        let ttl = preferences.timedMessages?.ttl
        switch setting {
        case .enable(let seconds): preferences.timedMessages = TimedMessagesPreference(allow: .yes, ttl: seconds)
        case .enableAsBefore: preferences.timedMessages = TimedMessagesPreference(allow: .yes, ttl: ttl)
        case .disable: preferences.timedMessages = TimedMessagesPreference(allow: .no, ttl: ttl)
        case nil: preferences.timedMessages = nil
        }
      }
    case .setChatItemTTL(let period):
      return .apiSetChatItemTTL(userId: try currentUser().userId, seconds: period.seconds)
    case .getChatItemTTL: return .apiGetChatItemTTL(userId: try currentUser().userId)
    case .setChatTTL(let name, let period):
      guard let chat = try chatRef(name) else { return nil }
      return .apiSetChatTTL(
        userId: try currentUser().userId, type: chat.chatType, id: chat.chatId, seconds: period?.seconds)
    case .setUserProtoServers(let kind, let servers):
      let user = try runningUser()
      guard !servers.isEmpty else { throw .command("no servers") }
      for server in servers {
        guard let address = try? ServerAddress(parsing: server), address.serverProtocol == kind else {
          throw .command("incorrect server protocol: \(server)")
        }
      }
      let groups = try groupedServers(of: user)
      return .apiSetUserServers(
        userId: user.userId, userServers: UserServerRules.replacing(kind, of: groups, with: servers))
    case .setServerOperators(let chosen):
      var operators = try store.read { try $0.serverOperators() }.serverOperators
      for roles in chosen {
        guard let index = operators.firstIndex(where: { $0.operatorId == roles.operatorId }) else {
          throw .errorStore(storeError: .operatorNotFound(serverOperatorId: roles.operatorId))
        }
        operators[index].enabled = roles.enabled
        operators[index].smpRoles = ServerRoles(roles.smpRoles)
        operators[index].xftpRoles = ServerRoles(roles.xftpRoles)
      }
      return .apiSetServerOperators(operators: operators)
    case .exportArchive:
      let time = UTCTime(seconds: Int64(Date().timeIntervalSince1970))?.description ?? ""
      return .apiExportArchive(
        config: ArchiveConfig(archivePath: "simplex-chat.\(time.filter { $0 != ":" }).zip"))
    case .testProtoServer(let server):
      return .apiTestProtoServer(userId: try runningUser().userId, server: server)
    default: return nil
    }
  }

  private func preferencesCommand(
    _ name: String, _ change: (inout Preferences) -> Void
  ) throws(ChatError) -> ChatCommand {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(named: name, of: user) }
    var preferences = contact.userPreferences
    change(&preferences)
    return .apiSetContactPrefs(contactId: contact.contactId, preferences: preferences)
  }
}

extension Profile {
  init(_ new: NewProfile) { self.init(displayName: new.displayName, fullName: "", shortDescr: new.shortDescr) }
}

extension ServerRoles {
  init(_ roles: OperatorRoles.Roles) {
    self.init(
      storage: roles == .on || roles == .storage, proxy: roles == .on || roles == .proxy, names: roles == .on)
  }
}

extension Preferences {
  /// Allows a feature, or leaves it open.
  mutating func set(_ feature: ChatFeature, _ allowed: FeatureAllowed?) {
    let simple = allowed.map { SimplePreference(allow: $0) }
    switch feature {
    case .timedMessages:
      timedMessages = allowed.map { TimedMessagesPreference(allow: $0, ttl: timedMessages?.ttl) }
    case .fullDelete: fullDelete = simple
    case .reactions: reactions = simple
    case .voice: voice = simple
    case .files: files = simple
    case .calls: calls = simple
    case .sessions: sessions = simple
    }
  }
}
