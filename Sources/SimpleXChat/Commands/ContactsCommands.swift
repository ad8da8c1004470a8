import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto

// Contacts: listing, preparing, changing, deleting.

extension ChatController {
  func performContacts(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiListContacts(let id):
      let user = try runningUser(id)
      return .response1(.contactsList(user: user, contacts: try store.read { try $0.contacts(of: user) }))
    case .apiContactInfo(let id): return try await info(id)
    case .apiPrepareContact(let id, let link, let data, _):
      return try prepareContact(try runningUser(id), link, data)
    case .apiConnectPreparedContact(let id, let incognito, let message):
      return try await connectPrepared(id, incognito, message)
    case .apiConnectContactViaAddress(let id, let incognito, let contact):
      return try await connectCard(try runningUser(id), contact, incognito)
    case .apiChangePreparedContactUser(let id, let newId): return try changeUser(ofPrepared: id, to: newId)
    case .apiSetContactPrefs(let id, let preferences):
      return try await locked(.contact(id)) { () throws(ChatError) in try await setPreferences(id, preferences) }
    case .apiSetContactAlias(let id, let alias):
      return try await locked(.contact(id)) { () throws(ChatError) in
        let user = try runningUser()
        let contact = try store.transaction { try $0.setAlias(alias, of: try $0.contact(id, of: user)) }
        return .response1(.contactAliasUpdated(user: user, toContact: contact))
      }
    case .apiSetConnectionAlias(let id, let alias):
      let user = try runningUser()
      let pending = try store.transaction {
        try $0.setAlias(alias, ofPending: try $0.pendingConnection(id, of: user), of: user)
      }
      return .response1(.connectionAliasUpdated(user: user, toConnection: pending))
    case .apiEnableContact(let id):
      let user = try runningUser()
      let contact = try store.read { try $0.contact(id, of: user) }
      guard let connection = contact.activeConn else { throw .error(errorType: .contactNotActive(contact: contact)) }
      try store.transaction { try $0.setAuthorizationErrors(0, ofConnection: connection.connId) }
      return .done(user)
    case .apiDeleteChat(let type, let id, let mode): return try await deleteChat(type, id, mode)
    case .apiClearChat(let type, let id):
      guard type == .direct else { return try clearChat(type, id) }
      return try await locked(.contact(id)) { () throws(ChatError) in try clearChat(type, id) }
    default: return nil
    }
  }

  private func info(_ id: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    var connectionStats: ChatAPI.ConnectionStats?
    var shown: Profile?
    if let connection = contact.activeConn {
      shown = try incognitoProfile(connection, of: user)
      connectionStats = try await stats(try agentConnection(connection.agentConnId))
    }
    return .response0(
      .contactInfo(user: user, contact: contact, connectionStats_: connectionStats, customUserProfile: shown))
  }

  // MARK: Prepared contacts

  private func prepareContact(
    _ user: User, _ link: CreatedConnLink, _ data: ContactShortLinkData
  ) throws(ChatError) -> ChatResponse {
    let request = try request(link)
    guard request.isInvitation || !data.business else { throw .command("not implemented yet: business addresses") }
    let welcome = data.message.map { _ in newSharedMsgId() }
    let contact = try store.transaction {
      try $0.createPreparedContact(
        profile: data.profile, link: link, mode: request.isInvitation ? .inv : .con,
        welcomeSharedMsgId: welcome?.text, of: user)
    }
    try startChat(contact, pq: request.isPostQuantum, of: user)
    var chat = ChatData(chatInfo: .direct(contact: contact), chatItems: [])
    if let message = data.message {
      let item = try makeItem(.rcvMsgContent(msgContent: message), in: contact, of: user, sharedMsgId: welcome?.text)
      chat.chatItems = [item.chatItem]
      chat.chatStats.unreadCount = 1
      chat.chatStats.minUnreadItemId = item.chatItem.meta.itemId
    }
    return .response1(.newPreparedChat(user: user, chat: chat))
  }

  private func connectPrepared(
    _ id: Int64, _ incognito: Bool, _ message: MsgContent?
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let prepared = contact.preparedContact else { throw .command("contact doesn't have link to connect") }
    let link = prepared.connLinkToConnect
    let request = try request(link)
    do throws(ChatError) {
      if request.isInvitation {
        let (_, shown) = try await connect(user, byInvitation: link, request, incognito, contact: id)
        let changed = try connected(from: contact, incognito, of: user)
        if let message {
          let items = try await sendMessages(
            [OutgoingContent(content: message)], to: changed, of: user, live: false, ttl: nil)
          tell(.newChatItems(user: user, chatItems: items))
        }
        return .response1(.startedConnectionToContact(user: user, contact: changed, customUserProfile: shown))
      }
      let named = try message.map { (content) throws(ChatError) in
        (sharedMsgId: try requestSharedMsgId(prepared, id), content: content)
      }
      let outcome = try await connect(
        user, byAddress: link, request, incognito, contact: contact,
        RequestMessage(welcomeSharedMsgId: prepared.welcomeSharedMsgId, message: named))
      guard case .sent(_, let shown) = outcome else {
        return .response1(.contactAlreadyExists(user: user, contact: contact))
      }
      let changed = try connected(from: contact, incognito, of: user)
      if let named {
        try addItem(
          .sndMsgContent(msgContent: named.content), to: changed, of: user, sharedMsgId: named.sharedMsgId)
      }
      return .response1(.startedConnectionToContact(user: user, contact: changed, customUserProfile: shown))
    } catch {
      tellChat(id, of: user)
      throw error
    }
  }

  private func requestSharedMsgId(_ prepared: PreparedContact, _ id: Int64) throws(ChatError) -> String {
    if let known = prepared.requestSharedMsgId { return known }
    let new = newSharedMsgId().text
    try store.transaction { try $0.setRequestSharedMsgId(new, ofContact: id) }
    return new
  }

  /// The contact after connecting to it began; who connects with a random profile sends standard preferences.
  private func connected(from old: Contact, _ incognito: Bool, of user: User) throws(ChatError) -> Contact {
    let new = try store.read { try $0.contact(old.contactId, of: user) }
    if incognito { try addFeatureChanges(from: old, to: new, of: user, isSent: false, offers: .user) }
    return new
  }

  private func changeUser(ofPrepared id: Int64, to newId: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard contact.preparedContact != nil else { throw .command("contact doesn't have link to connect") }
    guard contact.activeConn == nil else { throw .command("contact already has connection") }
    let newUser = try privateUser(newId)
    let moved = try store.transaction { try $0.move(prepared: contact, from: user, to: newUser) }
    try addFeatureChanges(from: contact, to: moved, of: newUser, isSent: false, offers: .user)
    return .response1(
      .contactUserChanged(user: user, fromContact: contact, newUser: newUser, toContact: moved))
  }

  // MARK: Preferences and profile

  private func setPreferences(_ id: Int64, _ preferences: Preferences) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let connection = contact.activeConn else { throw .error(errorType: .contactNotActive(contact: contact)) }
    guard contact.userPreferences != preferences else {
      return .response1(.contactPrefsUpdated(user: user, fromContact: contact, toContact: contact))
    }
    try checkAllowed(contact, isSent: true, event: "x.info")
    let changed = try store.transaction { try $0.setPreferences(preferences, of: contact, of: user) }
    let shown = try incognitoProfile(connection, of: user)
    let old = user.sharedProfile(for: contact, incognito: shown, sharesTTL: false)
    let new = user.sharedProfile(for: changed, incognito: shown, sharesTTL: false)
    if old != new {
      do throws(ChatError) { _ = try await send(.info(new), to: changed, of: user) } catch { tell(error) }
      if changed.directOrUsed {
        try addFeatureChanges(from: contact, to: changed, of: user, isSent: true, offers: .user)
      }
    }
    return .response1(.contactPrefsUpdated(user: user, fromContact: contact, toContact: changed))
  }

  /// Changes the user's profile, and tells everybody who knows it.
  func updateProfile(of user: User, _ profile: Profile) async throws(ChatError) -> ChatResponse {
    guard profile != user.profile.shared else { return .response1(.userProfileNoChange(user: user)) }
    if profile.displayName != user.localDisplayName { try Self.checkName(profile.displayName) }
    let changed = try store.transaction { try $0.updateProfile(of: user, to: profile) }
    if activeUser?.userId == changed.userId { activeUser = changed }
    if let address = try? store.read({ try $0.address(of: changed) }), address.shortLinkDataSet {
      do throws(ChatError) { _ = try await publish(address, of: changed) } catch { tell(error) }
    }
    let summary = try await tellContacts(from: user, to: changed)
    return .response1(
      .userProfileUpdated(
        user: changed, fromProfile: user.profile.shared, toProfile: profile, updateSummary: summary))
  }

  /// Sends the user's new profile to all contacts for whom something changed.
  func tellContacts(from user: User, to changed: User) async throws(ChatError) -> UserProfileUpdateSummary {
    var summary = UserProfileUpdateSummary(updateSuccesses: 0, updateFailures: 0, changedContacts: [])
    for contact in try store.read({ try $0.contacts(of: changed) }) {
      guard (try? sendingConnection(contact)) != nil, !contact.contactConnIncognito else { continue }
      do throws(ChatError) {
        try await locked(.contact(contact.contactId)) { () throws(ChatError) in
          // As it is now that nobody else changes it.
          let contact = try store.read { try $0.contact(contact.contactId, of: changed) }
          let before = user.merged(contact)
          let after = changed.merged(contact)
          let profile = changed.sharedProfile(for: after, sharesTTL: false)
          guard profile != user.sharedProfile(for: before, sharesTTL: false) else { return }
          _ = try await send(.info(profile), to: after, of: changed)
          summary.updateSuccesses += 1
          guard after.directOrUsed, after.mergedPreferences != before.mergedPreferences else { return }
          summary.changedContacts.append(after)
          try addFeatureChanges(from: before, to: after, of: changed, isSent: true, offers: .user)
        }
      } catch {
        summary.updateFailures += 1
        tell(.chatErrors(chatErrors: [error]))
      }
    }
    return summary
  }

  // MARK: Deleting

  private func deleteChat(
    _ type: ChatType, _ id: Int64, _ mode: ChatDeleteMode
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    switch type {
    case .direct:
      return try await locked(.contact(id)) { () throws(ChatError) in try await deleteContact(user, id, mode) }
    case .contactConnection:
      let pending = try store.read { try $0.pendingConnection(id, of: user) }
      let connection = try agentConnection(pending.pccAgentConnId)
      try await withAgent(connection) { (agent) throws(AgentError) in try await agent.delete([connection]) }
      try store.transaction { try $0.deletePendingConnection(id, of: user) }
      return .response1(.contactConnectionDeleted(user: user, connection: pending))
    case .group, .local, .contactRequest: throw .unsupported
    }
  }

  private func deleteContact(_ user: User, _ id: Int64, _ mode: ChatDeleteMode) async throws(ChatError) -> ChatResponse
  {
    let contact = try store.read { try $0.contact(id, of: user) }
    switch mode {
    case .full(let notify):
      try await disconnect(contact, notify, user)
      try store.transaction { try $0.deleteContact(contact, of: user) }
      cleanNow()
      return .response1(.contactDeleted(user: user, contact: contact))
    case .entity(let notify):
      try await disconnect(contact, notify, user)
      let deleted = try store.transaction { transaction in
        try transaction.deleteConnections(ofContact: id)
        _ = try transaction.setStatus(.deletedByUser, of: contact)
        return try transaction.contact(id, of: user)
      }
      return .response1(.contactDeleted(user: user, contact: deleted))
    case .messages:
      _ = try clearChat(.direct, id)
      let cleared = try store.transaction { try $0.setChatDeleted(true, of: contact) }
      return .response1(.contactDeleted(user: user, contact: cleared))
    }
  }

  private func disconnect(_ contact: Contact, _ notify: Bool, _ user: User) async throws(ChatError) {
    let tells = notify && contact.ready && contact.active
    if tells { _ = try? await send(.directDel, to: contact, of: user) }
    let names = try store.read { try $0.connections(ofContact: contact.contactId) }
    var connections: [ConnectionID] = []
    for connection in names { connections.append(try agentConnection(connection.agentConnId)) }
    let all = connections
    guard !all.isEmpty else { return }
    try await withAgent { (agent) throws(AgentError) in try await agent.delete(all, waitForDelivery: tells) }
  }
}
