import ChatAPI

// Starting, and changing users.
extension ChatModel {
  /// Opens the database, and starts the core if there is a user.
  ///
  /// If the database cannot be opened, ``chatDbStatus`` says why and nothing else changes: the caller asks for the
  /// passphrase, or for a confirmation, and calls again.
  ///
  /// - Parameters:
  ///   - onboarded: Where the newcomer was, as kept in preferences.
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
    self.core = core
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

  /// Starts the core, loads what is shown, and begins to receive events.
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
    receiveEvents()
    chatRunning = true
  }

  /// Makes a profile and the user of it the active one, and starts the core if it is the first.
  public func createActiveUser(_ profile: Profile) async throws(ChatError) {
    let response = try await requireCore().response(
      .createActiveUser(profile: profile, pastTimestamp: false), as: ChatResponse0.self)
    guard case .activeUser(let user) = response else { throw response.unexpected }
    closeChat()
    currentUser = user
    if chatRunning == true { try await getUserChatData() } else { try await startChat() }
  }

  /// Stops the core; what is shown stays.
  public func stopChat() async throws(ChatError) {
    _ = try await requireCore().response(.apiStopChat, as: ChatResponse0.self)
    receiver?.cancel()
    receiver = nil
    chatRunning = false
  }

  /// Receives events until the core has no more, or the model is gone.
  public func receiveEvents() {
    guard receiver == nil, let core else { return }
    receiver = Task { @MainActor [weak self] in
      while !Task.isCancelled, let result = await core.nextEvent() {
        guard let self else { return }
        switch result {
        case .result(let event): processReceivedMsg(event)
        case .error, .invalid: onEffect(.ignored(responseType: result.responseType))
        }
      }
    }
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
    let core = try requireCore()
    let user: User?
    if let userId {
      let response = try await core.response(
        .apiSetActiveUser(userId: userId, viewPwd: viewPwd), as: ChatResponse0.self)
      guard case .activeUser(let active) = response else { throw response.unexpected }
      user = active
    } else {
      user = try await activeUser()
    }
    if keepingChatId == nil { closeChat() }
    currentUser = user
    try await getUserChatData(keepingChatId: keepingChatId)
  }

  /// Loads the chats, the tags, the address and the settings of the current user.
  public func getUserChatData(keepingChatId: ChatId? = nil) async throws(ChatError) {
    let core = try requireCore()
    guard let user = currentUser else { return }
    let listed = try await core.response(.listUsers, as: ChatResponse0.self)
    guard case .usersList(let users) = listed else { throw listed.unexpected }
    let chats = try await core.response(.apiGetChats(userId: user.userId), as: ChatResponse0.self)
    guard case .apiChats(_, let list) = chats else { throw chats.unexpected }
    var tags: [ChatTag] = []
    if case .chatTags(_, let userTags)? = try? await core.response(
      .apiGetChatTags(userId: user.userId), as: ChatResponse0.self)
    {
      tags = userTags
    }
    updateChats(list, keepingChatId: keepingChatId)
    self.users = users
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
    let response = try await requireCore().response(
      .apiListMembers(groupId: groupInfo.groupId), as: ChatResponse2.self)
    guard case .groupMembers(_, let group) = response else { throw response.unexpected }
    update { $0.setGroupMembers(groupInfo.id, group.members) }
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
