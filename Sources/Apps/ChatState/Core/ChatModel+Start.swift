import ChatAPI

// Starting, and changing users.
extension ChatModel {
  /// Opens the database, and starts the core if there is a user.
  ///
  /// If the database cannot be opened, ``chatDbStatus`` says why and nothing else changes: the caller asks for the
  /// passphrase, or for a confirmation, and calls again.
  ///
  /// - Parameters:
  ///   - onboarded: The onboarding stage stored in preferences.
  ///   - open: Opens the database.
  public func initChatAndMigrate(
    paths: AppFilePaths? = nil, encryptLocalFiles: Bool = true, onboarded: OnboardingStage = .onboardingComplete,
    start: Bool = true, open: @Sendable () async -> OpenedCore
  ) async throws(ChatError) {
    ctrlInitInProgress = true
    defer { ctrlInitInProgress = false }
    let opened = await open()
    chatDbEncrypted = opened.isEncrypted
    chatDbStatus = opened.status
    guard opened.status == .ok, let core = opened.core else { return }
    stopReceiving()
    self.core = core
    // Files that are still on their way report it again.
    update { state in
      state.transfers = TransfersState()
      state.changes.insert(.transfers)
    }
    receiveEvents()
    if let paths {
      _ = try await core.response(
        .apiSetAppFilePaths(
          filesFolder: paths.filesFolder, tempFolder: paths.tempFolder, assetsFolder: paths.assetsFolder),
        as: ChatResponse2.self)
    }
    _ = try await core.response(.apiSetEncryptLocalFiles(enable: encryptLocalFiles), as: ChatResponse2.self)
    chatInitialized = true
    currentUser = try await activeUser()
    if case .serverOperatorConditions(let conditions)? = try? await core.response(
      .apiGetServerOperators, as: ChatResponse0.self)
    {
      self.conditions = conditions
    }
    if currentUser == nil {
      onboardingStage = .step1_SimpleXInfo
    } else if start {
      try await startChat(onboarded: onboarded)
    }
  }

  /// Loads what is shown, and starts the core.
  public func startChat(onboarded: OnboardingStage = .onboardingComplete) async throws(ChatError) {
    let core = try requireCore()
    var isRunning = false
    if case .chatRunning? = try? await core.response(.checkChatRunning, as: ChatResponse0.self) { isRunning = true }
    try await getUserChatData()
    if !isRunning {
      await loadNotificationToken()
      _ = try await core.response(.startChat(mainApp: true, enableSndFiles: true), as: ChatResponse0.self)
    }
    onboardingStage = stage(after: onboarded)
    chatRunning = true
    // Without them, the chats work.
    try? await refreshCallInvitations()
  }

  /// Makes a profile and the user of it the active one, and starts the core if it is the first.
  public func createActiveUser(_ profile: Profile) async throws(ChatError) {
    try await request(.createActiveUser(profile: profile, pastTimestamp: false)) {
      (response: ChatResponse0) throws(ChatError) in
      guard case .activeUser(let user) = response else { throw response.unexpected }
      self.closeChat()
      self.currentUser = user
    }
    if chatRunning == true { try await getUserChatData() } else { try await startChat() }
  }

  /// Stops the core; what is shown stays.
  public func stopChat() async throws(ChatError) {
    _ = try await requireCore().response(.apiStopChat, as: ChatResponse0.self)
    chatRunning = false
  }

  /// Makes another user the active one, and loads its chats. Nothing of the previous user stays open.
  ///
  /// - Parameters:
  ///   - userId: The user; nil to take the one that is active in the core.
  ///   - viewPwd: The password of a hidden user.
  ///   - keepingChatId: A chat that stays as it is, such as one that moved to this user.
  public func changeActiveUser(
    _ userId: Int64?, viewPwd: String? = nil, keepingChatId: ChatId? = nil
  ) async throws(ChatError) {
    func become(_ user: User?) {
      if keepingChatId == nil { closeChat() }
      currentUser = user
    }
    if let userId {
      try await request(.apiSetActiveUser(userId: userId, viewPwd: viewPwd)) {
        (response: ChatResponse0) throws(ChatError) in
        guard case .activeUser(let active) = response else { throw response.unexpected }
        become(active)
      }
    } else {
      become(try await activeUser())
    }
    try await getUserChatData(keepingChatId: keepingChatId)
  }

  /// Loads the chats, the tags, the address and the settings of the current user.
  public func getUserChatData(keepingChatId: ChatId? = nil) async throws(ChatError) {
    let core = try requireCore()
    guard let user = currentUser else { return }
    try await request(.apiGetChats(userId: user.userId)) { (response: ChatResponse0) throws(ChatError) in
      guard case .apiChats(_, let list) = response else { throw response.unexpected }
      guard self.currentUser?.userId == user.userId else { return }
      self.updateChats(list, keepingChatId: keepingChatId)
    }
    // Counts of users after the list, which changes them by the difference that it makes.
    try await request(.listUsers) { (response: ChatResponse0) throws(ChatError) in
      guard case .usersList(let users) = response else { throw response.unexpected }
      self.users = users
    }
    var tags: [ChatTag] = []
    if case .chatTags(_, let userTags)? = try? await core.response(
      .apiGetChatTags(userId: user.userId), as: ChatResponse0.self)
    {
      tags = userTags
    }
    self.tags.activeFilter = nil
    self.tags.userTags = tags
    userAddress = await address(of: user)
    if case .chatItemTTL(_, let seconds)? = try? await core.response(
      .apiGetChatItemTTL(userId: user.userId), as: ChatResponse0.self)
    {
      chatItemTTL = ChatItemTTL(seconds)
    }
  }

  /// Loads the members of a group, if it is open by then.
  public func loadGroupMembers(_ groupInfo: GroupInfo) async throws(ChatError) {
    try await request(.apiListMembers(groupId: groupInfo.groupId)) { (response: ChatResponse2) throws(ChatError) in
      guard case .groupMembers(_, let group) = response else { throw response.unexpected }
      self.update { $0.setGroupMembers(groupInfo.id, group.members) }
    }
  }

  func requireCore() throws(ChatError) -> any ChatCore {
    guard let core else { throw .error(errorType: .chatNotStarted) }
    return core
  }

  private func activeUser() async throws(ChatError) -> User? {
    let result: APIResult<ChatResponse0> = await (try requireCore()).send(.showActiveUser)
    switch result {
    case .result(.activeUser(let user)): return user
    case .error(.error(errorType: .noActiveUser)): return nil
    default: throw result.unexpected
    }
  }

  private func address(of user: User) async -> UserContactLink? {
    guard
      case .userContactLink(_, let link)? = try? await core?.response(
        .apiShowMyAddress(userId: user.userId), as: ChatResponse1.self)
    else { return nil }
    return link
  }

  private func loadNotificationToken() async {
    guard
      case .ntfToken(let token, let status, let mode, let server)? = try? await core?.response(
        .apiGetNtfToken, as: ChatResponse2.self)
    else { return }
    savedToken = token
    tokenStatus = status
    notificationMode = mode
    notificationServer = server
  }

  /// A newcomer with a first profile still has to see what the network is.
  private func stage(after saved: OnboardingStage) -> OnboardingStage {
    let isNew = saved == .step1_SimpleXInfo || saved == .step2_CreateProfile
    return isNew && users.count == 1 ? .step4_NetworkCommitments : saved
  }
}
