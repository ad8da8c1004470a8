import ChatAPI

// The properties of the specification, each a part of the state.

// MARK: App lifecycle
extension ChatModel {
  /// The onboarding stage; nil until it is known.
  public var onboardingStage: OnboardingStage? {
    get { self[.session, \.session.onboardingStage] }
    set { self[.session, \.session.onboardingStage] = newValue }
  }
  /// Whether to ask for receipts to be sent.
  public var setDeliveryReceipts: Bool {
    get { self[.session, \.session.setDeliveryReceipts] }
    set { self[.session, \.session.setDeliveryReceipts] = newValue }
  }
  /// Whether the database is open.
  public var chatInitialized: Bool {
    get { self[.session, \.session.chatInitialized] }
    set { self[.session, \.session.chatInitialized] = newValue }
  }
  /// Whether the core is running; nil until it is known.
  public var chatRunning: Bool? {
    get { self[.session, \.session.chatRunning] }
    set { self[.session, \.session.chatRunning] = newValue }
  }
  /// Whether the database was changed and the core has to be restarted.
  public var chatDbChanged: Bool {
    get { self[.session, \.session.chatDbChanged] }
    set { self[.session, \.session.chatDbChanged] = newValue }
  }
  /// Whether the database is encrypted; nil until it is known.
  public var chatDbEncrypted: Bool? {
    get { self[.session, \.session.chatDbEncrypted] }
    set { self[.session, \.session.chatDbEncrypted] = newValue }
  }
  /// The result of opening the database.
  public var chatDbStatus: DBMigrationResult? {
    get { self[.session, \.session.chatDbStatus] }
    set { self[.session, \.session.chatDbStatus] = newValue }
  }
  /// Whether the database is being opened.
  public var ctrlInitInProgress: Bool {
    get { self[.session, \.session.ctrlInitInProgress] }
    set { self[.session, \.session.ctrlInitInProgress] = newValue }
  }
  /// The migration to this device in progress.
  public var migrationState: MigrationToState? {
    get { self[.misc, \.misc.migrationState] }
    set { self[.misc, \.misc.migrationState] = newValue }
  }
  /// Whether the database could be opened.
  public var ok: Bool { chatDbStatus == .ok }
}

// MARK: Users
extension ChatModel {
  /// The active user.
  public var currentUser: User? {
    get { self[.session, \.session.currentUser] }
    set { self[.session, \.session.currentUser] = newValue }
  }
  /// All users that are shown, with the numbers of their unread items.
  public var users: [UserInfo] {
    get { self[.session, \.session.users] }
    set { self[.session, \.session.users] = newValue }
  }
  /// The state of the migration of an old database.
  public var v3DBMigration: V3DBMigrationState {
    get { self[.session, \.session.v3DBMigration] }
    set { self[.session, \.session.v3DBMigration] = newValue }
  }
}

// MARK: The open chat
extension ChatModel {
  /// Chats whose removal is being shown.
  public var deletedChats: Set<ChatId> {
    get { self[.open, \.open.deletedChats] }
    set { self[.open, \.open.deletedChats] = newValue }
  }
  /// The open chat. Leaving a chat that changed moves it to the top.
  public var chatId: ChatId? {
    get { self[.open, \.open.chatId] }
    set { update { $0.setChatId(newValue) } }
  }
  /// The agent's id of the open chat's connection.
  public var chatAgentConnId: String? {
    get { self[.open, \.open.chatAgentConnId] }
    set { self[.open, \.open.chatAgentConnId] = newValue }
  }
  /// Whether messages of the open chat are received.
  public var chatSubStatus: SubscriptionStatus? {
    get { self[.open, \.open.chatSubStatus] }
    set { self[.open, \.open.chatSubStatus] = newValue }
  }
  /// The item to scroll to when the chat opens.
  public var openAroundItemId: Int64? {
    get { self[.open, \.open.openAroundItemId] }
    set { self[.open, \.open.openAroundItemId] = newValue }
  }
  /// The chat that goes to the top once the open one is left.
  public var chatToTop: ChatId? {
    get { self[.open, \.open.chatToTop] }
    set { self[.open, \.open.chatToTop] = newValue }
  }
  /// The channel being created.
  public var creatingChannelId: ChatId? {
    get { self[.open, \.open.creatingChannelId] }
    set { self[.open, \.open.creatingChannelId] = newValue }
  }
  /// Whether the user's support chat opened automatically.
  public var secondaryPendingInviteeChatOpened: Bool {
    get { self[.open, \.open.secondaryPendingInviteeChatOpened] }
    set { self[.open, \.open.secondaryPendingInviteeChatOpened] = newValue }
  }
  /// Where a member of the open group is in ``groupMembers``, by id.
  public var groupMembersIndexes: [Int64: Int] {
    observe(.members)
    return state.members.groupMembersIndexes
  }
  /// Whether the members of the open group were loaded.
  public var membersLoaded: Bool {
    get { self[.members, \.members.membersLoaded] }
    set { self[.members, \.members.membersLoaded] = newValue }
  }
  /// Hosts of the relays of channels that are being joined, by group.
  public var channelRelayHostnames: [Int64: [String]] {
    get { self[.misc, \.misc.channelRelayHostnames] }
    set { self[.misc, \.misc.channelRelayHostnames] = newValue }
  }
}

// MARK: Authentication
extension ChatModel {
  /// Whether the person has authenticated.
  public var contentViewAccessAuthenticated: Bool {
    get { self[.session, \.session.contentViewAccessAuthenticated] }
    set { self[.session, \.session.contentViewAccessAuthenticated] = newValue }
  }
  /// Who has to authenticate, and why.
  public var laRequest: LocalAuthRequest? {
    get { self[.session, \.session.laRequest] }
    set { self[.session, \.session.laRequest] = newValue }
  }
}
