import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// Contacts: listing, preparing, changing, deleting.

extension ChatController {
  func performContacts(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiListContacts(let id):
      let user = try runningUser(id)
      return .response1(.contactsList(user: user, contacts: try store.read { try $0.contacts(of: user) }))
    case .apiContactInfo(let id): return try await info(id)
    case .apiPrepareContact(let id, let link, let data, _):
      return try prepareContact(try runningUser(id), by: link, data: data)
    case .apiConnectPreparedContact(let id, let incognito, let message):
      return try await connectPrepared(id, incognito: incognito, message)
    case .apiConnectContactViaAddress(let id, let incognito, let contact):
      return try await connectCard(try runningUser(id), contact: contact, incognito: incognito)
    case .apiChangePreparedContactUser(let id, let newId): return try changeUser(ofPrepared: id, to: newId)
    case .apiSetContactPrefs(let id, let preferences): return try setPreferences(id, preferences)
    case .apiSetContactAlias(let id, let alias):
      let user = try runningUser()
      return try turn { turn in
        let contact = try turn.rows.setAlias(alias, of: try turn.rows.contact(id, of: user))
        return .response1(.contactAliasUpdated(user: user, toContact: contact))
      }
    case .apiSetConnectionAlias(let id, let alias):
      let user = try runningUser()
      return try turn { turn in
        let pending = try turn.rows.setAlias(
          alias, ofPending: try turn.rows.pendingConnection(id, of: user), of: user)
        return .response1(.connectionAliasUpdated(user: user, toConnection: pending))
      }
    case .apiEnableContact(let id):
      let user = try runningUser()
      return try turn { turn in
        let contact = try turn.rows.contact(id, of: user)
        guard let connection = contact.activeConn else { throw ChatErrorType.contactNotActive(contact: contact) }
        try turn.rows.setAuthorizationErrors(0, ofConnection: connection.connId)
        return .done(user)
      }
    case .apiDeleteChat(let type, let id, let mode):
      let deleted = try deleteChat(type, id: id, mode: mode)
      await removeFirstItems()
      return deleted
    case .apiClearChat(let type, let id):
      let cleared = try clearChat(type, id)
      await removeFirstItems()
      return cleared
    default: return nil
    }
  }

  private func info(_ id: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    var connectionStats: ConnectionStats?
    var shown: Profile?
    if let connection = contact.activeConn {
      shown = try incognitoProfile(connection, of: user)
      // The connection that a member offers is created when it is accepted.
      if contact.groupDirectInv?.groupDirectInvStartedConnection != false {
        connectionStats = try await stats(try ConnectionID(agentText: connection.agentConnId))
      }
    }
    return .response0(
      .contactInfo(user: user, contact: contact, connectionStats_: connectionStats, customUserProfile: shown))
  }

  // MARK: Prepared contacts

  private func prepareContact(
    _ user: User, by link: CreatedConnLink, data: ContactShortLinkData
  ) throws(ChatError) -> ChatResponse {
    let request = try ConnectionRequest(link)
    if data.business, !request.isInvitation { return try prepareBusiness(user, by: link, data) }
    return try turn { turn in
      let welcome = data.message.map { _ in SharedMsgId.random().text }
      let contact = try turn.rows.createPreparedContact(
        profile: data.profile, link: link, mode: request.isInvitation ? .inv : .con, welcomeSharedMsgId: welcome,
        of: user)
      try turn.startChat(contact, pq: request.isPostQuantum, of: user)
      var chat = ChatData(chatInfo: .direct(contact: contact), chatItems: [])
      if let message = data.message {
        let item = try turn.makeItem(.rcvMsgContent(msgContent: message), in: contact, of: user, sharedMsgId: welcome)
        chat.chatItems = [item.chatItem]
        chat.chatStats.unreadCount = 1
        chat.chatStats.minUnreadItemId = item.chatItem.meta.itemId
      }
      return .response1(.newPreparedChat(user: user, chat: chat))
    }
  }

  private func connectPrepared(
    _ id: Int64, incognito: Bool, _ message: MsgContent?
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let prepared = contact.preparedContact else { throw .command("contact doesn't have link to connect") }
    let link = prepared.connLinkToConnect
    let request = try ConnectionRequest(link)
    var named: (sharedMsgId: String, content: MsgContent)?
    do throws(ChatError) {
      if request.isInvitation {
        let (_, shown) = try await connect(
          user, byInvitation: link, request, incognito: incognito, contact: id, message: message)
        return try turn { turn in
          let changed = try turn.startedConnection(from: contact, incognito: incognito, of: user)
          try turn.sendJoiningMessage(to: changed, of: user)
          return .response1(.startedConnectionToContact(user: user, contact: changed, customUserProfile: shown))
        }
      }
      named = try message.map { (content) throws(ChatError) in
        (sharedMsgId: try requestSharedMsgId(prepared, id), content: content)
      }
      let sharedMsgId = named?.sharedMsgId
      let outcome = try await connect(
        user, byAddress: link, request: request, incognito: incognito, chat: .contact(contact),
        message: RequestMessage(welcomeSharedMsgId: prepared.welcomeSharedMsgId, message: named))
      guard case .sent(_, let shown) = outcome else {
        return .response1(.contactAlreadyExists(user: user, contact: contact))
      }
      let (changed, item) = try turn { turn in
        let changed = try turn.startedConnection(from: contact, incognito: incognito, of: user)
        return (changed, try sharedMsgId.flatMap { try turn.item($0, with: changed, of: user) })
      }
      if let item {
        let sent = AChatItem(chatInfo: .direct(contact: changed), chatItem: item)
        emitAfterResponse(.newChatItems(user: user, chatItems: [sent]))
      }
      return .response1(.startedConnectionToContact(user: user, contact: changed, customUserProfile: shown))
    } catch {
      if let id = named?.sharedMsgId {
        try turn { try $0.removeOrShowRequestMessage(id, to: contact.contactId, of: user) }
      }
      emitChatUpdate(id, of: user)
      throw error
    }
  }

  private func requestSharedMsgId(_ prepared: PreparedContact, _ id: Int64) throws(ChatError) -> String {
    if let known = prepared.requestSharedMsgId { return known }
    let new = SharedMsgId.random().text
    try turn { try $0.rows.setRequestSharedMsgId(new, ofContact: id) }
    return new
  }

  private func changeUser(ofPrepared id: Int64, to newId: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let newUser = try privateUser(newId)
    return try turn { turn in
      let contact = try turn.rows.contact(id, of: user)
      guard contact.preparedContact != nil else { throw ChatError.command("contact doesn't have link to connect") }
      guard contact.activeConn == nil else { throw ChatError.command("contact already has connection") }
      let moved = try turn.rows.move(prepared: contact, from: user, to: newUser)
      try turn.addFeatureChanges(from: contact, to: moved, of: newUser, isSent: false, offers: .user)
      return .response1(
        .contactUserChanged(user: user, fromContact: contact, newUser: newUser, toContact: moved))
    }
  }

  // MARK: Preferences

  private func setPreferences(_ id: Int64, _ preferences: Preferences) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in
      let contact = try turn.rows.contact(id, of: user)
      guard let connection = contact.activeConn else { throw ChatErrorType.contactNotActive(contact: contact) }
      guard contact.userPreferences != preferences else {
        return .response1(.contactPrefsUpdated(user: user, fromContact: contact, toContact: contact))
      }
      let changed = try turn.rows.setPreferences(preferences, of: contact, of: user)
      let shown = try turn.incognitoProfile(connection, of: user)
      let new = user.sharedProfile(for: changed, incognito: shown, sharesTTL: false)
      if new != user.sharedProfile(for: contact, incognito: shown, sharesTTL: false) {
        try turn.reportingErrors { try turn.send(.info(new), to: changed) }
        if changed.directOrUsed {
          try turn.addFeatureChanges(from: contact, to: changed, of: user, isSent: true, offers: .user)
        }
      }
      return .response1(.contactPrefsUpdated(user: user, fromContact: contact, toContact: changed))
    }
  }

  // MARK: Deleting

  private func deleteChat(_ type: ChatType, id: Int64, mode: ChatDeleteMode) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    switch type {
    case .direct: return try turn { try $0.deleteContact(id, mode, of: user) }
    case .contactConnection:
      return try turn { turn in
        let pending = try turn.rows.pendingConnection(id, of: user)
        try turn.rows.deletePendingConnection(id, of: user)
        try turn.deleteConnections([pending.pccAgentConnId], waitForDelivery: false)
        return .response1(.contactConnectionDeleted(user: user, connection: pending))
      }
    case .group: return try deleteGroup(id)
    case .local, .contactRequest: throw .unsupported
    }
  }
}

extension Turn {
  /// The contact after connecting to it began; who connects with a random profile sends standard preferences.
  fileprivate func startedConnection(from old: Contact, incognito: Bool, of user: User) throws -> Contact {
    let new = try rows.contact(old.contactId, of: user)
    if incognito { try addFeatureChanges(from: old, to: new, of: user, isSent: false, offers: .user) }
    return new
  }

  fileprivate func deleteContact(_ id: Int64, _ mode: ChatDeleteMode, of user: User) throws -> ChatResponse {
    let contact = try rows.contact(id, of: user)
    switch mode {
    case .full(let notify):
      try disconnect(contact, notify: notify)
      try rows.deleteContact(contact, of: user)
      purgeSoon()
      return .response1(.contactDeleted(user: user, contact: contact))
    case .entity(let notify):
      try disconnect(contact, notify: notify)
      try rows.deleteConnections(ofContact: id)
      try rows.deleteRequests(ofContact: id)
      _ = try rows.setStatus(.deletedByUser, of: contact)
      return .response1(.contactDeleted(user: user, contact: try rows.contact(id, of: user)))
    case .messages:
      try rows.clear(contact.chat, of: user)
      purgeSoon()
      let cleared = try rows.setChatDeleted(true, of: contact)
      return .response1(.contactDeleted(user: user, contact: cleared))
    }
  }

  private func disconnect(_ contact: Contact, notify: Bool) throws {
    let tells = notify && contact.ready && contact.active
    try withdrawAll(from: contact.chat)
    // What cannot be sent any more does not keep the contact.
    if tells, (try? contact.sendingConnection()) != nil { try send(.directDel, to: contact) }
    let connections = try rows.connections(ofContact: contact.contactId)
    try deleteConnections(connections.map(\.agentConnId), waitForDelivery: tells)
  }
}
