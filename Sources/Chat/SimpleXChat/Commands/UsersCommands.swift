import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import FoundationTypes
import SimplexCrypto
import WireCodec

// Users: creating, switching, hiding, muting, receipts, deleting.

extension ChatController {
  func performUsers(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .showActiveUser: return .response0(.activeUser(user: try currentUser()))
    case .createActiveUser(let profile, let pastTimestamp, let chatRelay, let clientService):
      return try await createUser(
        profile, pastTimestamp: pastTimestamp, chatRelay: chatRelay, clientService: clientService)
    case .listUsers: return .response0(.usersList(users: try store.read { try $0.usersInfo() }))
    case .apiSetActiveUser(let id, let password): return try setActiveUser(id, password)
    case .setAllContactReceipts(let enable):
      _ = try runningUser()
      try turn { try $0.rows.setReceiptsOfAllUsers(enable) }
      try refreshActiveUser()
      return .done()
    case .apiSetUserContactReceipts(let id, let settings):
      return try changeUser(id) { try $0.setContactReceipts(settings, of: $1) }
    case .apiSetUserGroupReceipts(let id, let settings):
      return try changeUser(id) { try $0.setGroupReceipts(settings, of: $1) }
    case .apiSetUserAutoAcceptMemberContacts(let id, let enable):
      return try changeUser(id) { try $0.setAutoAcceptMemberContacts(enable, of: $1) }
    case .apiHideUser(let id, let password): return try hideUser(id, password)
    case .apiUnhideUser(let id, let password): return try unhideUser(id, password)
    case .apiMuteUser(let id): return try setNotifications(of: id, false)
    case .apiUnmuteUser(let id): return try setNotifications(of: id, true)
    case .apiDeleteUser(let id, let deletingQueues, let password):
      return try await deleteUser(id, deletingQueues: deletingQueues, password: password)
    case .apiUpdateProfile(let id, let profile): return try await updateProfile(of: try runningUser(id), profile)
    case .apiSetUserUIThemes(let id, let themes):
      let user = try runningUser()
      var changed = try turn { turn in
        let changed = try turn.rows.user(id)
        try turn.rows.setThemes(themes, of: changed)
        return changed
      }
      changed.uiThemes = themes
      if user.userId == id { activeUser = changed }
      return .done(changed)
    case .apiUserRead(let id):
      let user = try runningUser(id)
      let last = try store.read { try $0.lastItemNumber() }
      while try turn({ try $0.rows.markAllRead(of: user, through: last, limit: Self.readingBatch) }) {
        await Task.yield()
      }
      return .done(user)
    default: return nil
    }
  }

  // MARK: Creating

  private func createUser(
    _ given: Profile?, pastTimestamp: Bool, chatRelay: Bool, clientService: Bool
  ) async throws(ChatError) -> ChatResponse {
    if let given { try Self.checkName(given.displayName) }
    var random = SystemRandom()
    let profile = given ?? .random(random.next())
    try Self.requireUnique(profile, isChatRelay: chatRelay, among: try store.read { try $0.users() })
    let servers = try serversForNewUser()
    usersBeingCreated += 1
    defer { usersBeingCreated -= 1 }
    let agentUser = try await withAgent { (agent) throws(AgentError) in
      try await agent.createUser(servers: self.agentServers(servers))
    }
    let days = Double(random.next() % (1 << 20)) / Double(1 << 20)
    let user: User
    do throws(ChatError) {
      user = try turn { turn in
        // Another command may have created a user meanwhile.
        let others = try turn.rows.users()
        try Self.requireUnique(profile, isChatRelay: chatRelay, among: others)
        let user = try turn.rows.createUser(
          agentUserId: String(agentUser.rawValue), profile: profile, chatRelay: chatRelay,
          clientService: clientService,
          createdAt: pastTimestamp ? turn.rows.now.addingTimeInterval(-(2 + days) * 86_400) : nil)
        for group in servers { _ = try turn.rows.setServers(group, of: user) }
        // The option is about the first user.
        if options.addsPresetContacts || !others.isEmpty {
          for card in Profile.presetCards { _ = try turn.rows.createContact(profile: card, of: user) }
        }
        _ = try turn.rows.createNoteFolder(of: user)
        return user
      }
    } catch {
      // If this fails too, the next start deletes it.
      try? await withAgent { (agent) throws(AgentError) in
        try await agent.deleteUser(agentUser, deletingQueues: false)
      }
      throw error
    }
    activeUser = user
    // The user exists, so the command must not fail; the next start sets the servers.
    do throws(ChatError) { try await updateAgentFileServers() } catch { emit(error) }
    return .response0(.activeUser(user: user))
  }

  /// Checks that a new user differs from the others. Hidden ones count as not there: their names are as free ones are.
  /// - Throws: `userExists`; `chatRelayExists`.
  private static func requireUnique(_ profile: Profile, isChatRelay: Bool, among users: [User]) throws(ChatError) {
    for user in users where !user.isConcealed {
      if user.localDisplayName == profile.displayName {
        throw .error(errorType: .userExists(contactName: profile.displayName))
      }
      if isChatRelay && user.userChatRelay { throw .error(errorType: .chatRelayExists) }
    }
  }

  /// The servers of a new user: those of the active one, or the preset ones for the first.
  private func serversForNewUser() throws(ChatError) -> [UserOperatorServers] {
    guard let activeUser else {
      var random = SystemRandomNumberGenerator()
      let presets = presetServers
      let operators = try turn { try $0.rows.updatePresetOperators(presets.groups.compactMap(\.operator)) }
      let byTag = Dictionary(operators.map { ($0.operatorTag, $0) }) { first, _ in first }
      return presets.forNewUser(
        operators: presets.groups.map { $0.operator.flatMap { byTag[$0.operatorTag] } }, using: &random)
    }
    return try groupedServers(of: activeUser)
      .map { group in
        var group = group
        for index in group.smpServers.indices { group.smpServers[index].serverId = nil }
        for index in group.xftpServers.indices { group.xftpServers[index].serverId = nil }
        for index in group.chatRelays.indices { group.chatRelays[index].chatRelayId = nil }
        return group
      }
  }

  /// Throws `invalidDisplayName`, with the nearest valid name, for one that cannot be used.
  static func checkName(_ name: String) throws(ChatError) {
    guard !DisplayName.isValid(name) else { return }
    throw .error(errorType: .invalidDisplayName(displayName: name, validName: DisplayName.valid(name)))
  }

  // MARK: Switching

  private func setActiveUser(_ id: Int64, _ password: String?) throws(ChatError) -> ChatResponse {
    guard isRunning else { throw .error(errorType: .chatNotStarted) }
    let user = try privateUser(id)
    try checkPassword(of: user, password)
    let active = try turn { try $0.rows.setActive(user) }
    activeUser = active
    return .response0(.activeUser(user: active))
  }

  /// The user with this database id. A missing user and a hidden one with another password cause the same error.
  func privateUser(_ id: Int64) throws(ChatError) -> User {
    guard let user = try? store.read({ try $0.user(id) }) else { throw .error(errorType: .userUnknown) }
    return user
  }

  /// Throws `userUnknown` for a hidden user, unless the password is right or, without one, the user is active.
  func checkPassword(of user: User, _ password: String?) throws(ChatError) {
    guard user.viewPwdHash != nil else { return }
    guard password.map(user.hasPassword) ?? (activeUser?.userId == user.userId) else {
      throw .error(errorType: .userUnknown)
    }
  }

  private func changeUser(
    _ id: Int64, _ change: (ChatTransaction, User) throws -> Void
  ) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let changed = try privateUser(id)
    try checkPassword(of: changed, nil)
    try turn { try change($0.rows, changed) }
    try refreshActiveUser()
    return .done(user)
  }

  /// Reads the active user again, after it was changed.
  func refreshActiveUser() throws(ChatError) { activeUser = try store.read { try $0.activeUser() } }

  /// Stores whether a user is a service, who would subscribe to all queues at once. The number and the name have to be
  /// those of the same user.
  func setClientService(_ enable: Bool, of id: Int64, named name: String) throws(ChatError) -> ChatResponse {
    guard !isRunning else { throw .error(errorType: .chatNotStopped) }
    _ = try currentUser()
    let user = try privateUser(id)
    guard user.profile.displayName == name else { throw .error(errorType: .userUnknown) }
    try turn { try $0.rows.setClientService(enable, of: user) }
    try refreshActiveUser()
    return .done(try privateUser(id))
  }

  // MARK: Hiding and muting

  private func hideUser(_ id: Int64, _ password: String) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    var hidden = try privateUser(id)
    guard hidden.viewPwdHash == nil else { throw .error(errorType: .userAlreadyHidden(userId: id)) }
    guard !password.isEmpty else { throw .error(errorType: .emptyUserPassword(userId: id)) }
    let visible = try store.read { try $0.users() }.filter { $0.viewPwdHash == nil }
    guard visible.count > 1 else { throw .error(errorType: .cantHideLastUser(userId: id)) }
    var random = SystemRandom()
    let salt = Base64URL.string(random.bytes(16))
    guard let hash = ProfilePassword.hash(password, salt: salt) else { throw .error(errorType: .userUnknown) }
    hidden.viewPwdHash = UserPwdHash(hash: hash, salt: salt)
    hidden.showNtfs = false
    return try setPrivacy(user, hidden)
  }

  private func unhideUser(_ id: Int64, _ password: String) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    var shown = try privateUser(id)
    guard shown.viewPwdHash != nil else { throw .error(errorType: .userNotHidden(userId: id)) }
    guard !password.isEmpty else { throw .error(errorType: .emptyUserPassword(userId: id)) }
    try checkPassword(of: shown, password)
    shown.viewPwdHash = nil
    shown.showNtfs = true
    return try setPrivacy(user, shown)
  }

  private func setNotifications(of id: Int64, _ show: Bool) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    var changed = try privateUser(id)
    guard changed.viewPwdHash == nil else { throw .error(errorType: .hiddenUserAlwaysMuted(userId: id)) }
    changed.showNtfs = show
    return try setPrivacy(user, changed)
  }

  private func setPrivacy(_ user: User, _ changed: User) throws(ChatError) -> ChatResponse {
    try turn { try $0.rows.setPrivacy(of: changed) }
    guard user.userId == changed.userId else {
      return .response1(.userPrivacy(user: user, updatedUser: changed))
    }
    activeUser = changed
    return .response1(.userPrivacy(user: changed, updatedUser: changed))
  }

  // MARK: Deleting

  private func deleteUser(
    _ id: Int64, deletingQueues: Bool, password: String?
  ) async throws(ChatError) -> ChatResponse {
    _ = try runningUser()
    let user = try privateUser(id)
    try checkPassword(of: user, password)
    let otherVisible = try store.read { try $0.users() }.contains { $0.userId != id && $0.viewPwdHash == nil }
    if user.activeUser && otherVisible { throw .error(errorType: .cantDeleteActiveUser(userId: id)) }
    try turn { turn in
      try turn.deleteUser(user, deletingQueues: deletingQueues)
      if user.activeUser { turn.setActive(nil) }
    }
    // Without an active user no chat runs that would continue the job.
    if user.activeUser {
      try await finishDeletingUsers()
      // The desktop may have given the command, and waits for the response.
      Task { await endDesktopSession() }
    }
    // Removes the files that are marked already; the rest go with the next cleaning.
    try? await removeFiles()
    return .done()
  }

  /// Deletes what is left of deleted users, where there is no user with whom a chat could be started.
  func finishDeletingUsers() async throws(ChatError) {
    while let job = try store.read({ try $0.jobOfDeletedUser() }) {
      guard try turn({ try $0.work(on: job) }) else { return }
      await Task.yield()
    }
  }
}

extension User {
  /// Whether nobody is to learn that the user exists.
  var isConcealed: Bool { viewPwdHash != nil && !activeUser }

  /// Whether this is the password of a hidden user.
  func hasPassword(_ password: String) -> Bool {
    guard let expected = viewPwdHash else { return false }
    let hash = ProfilePassword.hash(password, salt: expected.salt).map { Array($0.utf8) } ?? []
    return constantTimeEqual(hash.span.bytes, Array(expected.hash.utf8).span.bytes)
  }
}

extension Turn {
  /// Deletes a user. Nothing of the user's is found any more; much of it is removed in later turns.
  fileprivate func deleteUser(_ user: User, deletingQueues: Bool) throws {
    try rows.deleteUser(user)
    try command(.deleteUser(try user.agentID, deletingQueues: deletingQueues))
    guard try !deleteSome(ofDeletedUser: user.userId) else { return }
    try later(.user, about: user.userId, payload: user.agentUserId, of: user)
  }

  /// Deletes some of what a deleted user had.
  /// - Returns: whether that was all.
  func deleteSome(ofDeletedUser id: Int64) throws -> Bool {
    guard try rows.deleteSome(ofDeletedUser: id, limit: environment.options.membersPerTurn) else { return false }
    // The files.
    purgeSoon()
    return true
  }
}
