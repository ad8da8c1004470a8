import ChatAPI

/// The onboarding stage, up to the first conversation. Raw values are stored in preferences.
public enum OnboardingStage: String, CaseIterable, Hashable, Sendable, Identifiable {
  case step1_SimpleXInfo
  case step2_CreateProfile
  /// No longer shown.
  case step3_CreateSimpleXAddress
  case step3_ChooseServerOperators
  /// No longer shown.
  case step4_SetNotificationsMode
  case step4_NetworkCommitments
  case onboardingComplete

  /// Identifies the stage.
  public var id: Self { self }
}

/// The progress of moving a database of version 2 to the folder shared with extensions. Raw values are kept in
/// preferences.
public enum V3DBMigrationState: String, CaseIterable, Hashable, Sendable {
  case offer, postponed, exporting, export_error, exported, migrating, migration_error, migrated, ready

  /// Whether the core may be started.
  public var startChat: Bool { self == .postponed || self == .ready }
}

/// A request to authenticate the person in front of the device.
public struct LocalAuthRequest: Hashable, Sendable {
  /// The title; the reason is shown if there is none.
  public var title: String?
  /// Why it is asked.
  public var reason: String
  /// The password to compare with.
  public var password: String
  /// Whether the password that destroys all data is accepted too.
  public var selfDestruct: Bool

  /// A request.
  public init(title: String? = nil, reason: String, password: String, selfDestruct: Bool) {
    self.title = title
    self.reason = reason
    self.password = password
    self.selfDestruct = selfDestruct
  }
}

/// The life of the core and its users.
public struct SessionState: Sendable {
  /// Where a newcomer is; nil until it is known.
  public var onboardingStage: OnboardingStage?
  /// Whether to ask for receipts to be sent.
  public var setDeliveryReceipts = false
  /// The move of an old database.
  public var v3DBMigration = V3DBMigrationState.ready
  /// The active user.
  public var currentUser: User?
  /// All users that are shown.
  public var users: [UserInfo] = []
  /// Whether the database is open.
  public var chatInitialized = false
  /// Whether the core is running; nil until it is known.
  public var chatRunning: Bool?
  /// Whether the database was changed and the core has to be restarted.
  public var chatDbChanged = false
  /// Whether the database is encrypted; nil until it is known.
  public var chatDbEncrypted: Bool?
  /// The result of opening the database.
  public var chatDbStatus: DBMigrationResult?
  /// Whether the database is being opened.
  public var ctrlInitInProgress = false
  /// Whether the person has authenticated.
  public var contentViewAccessAuthenticated = false
  /// Who has to authenticate, and why.
  public var laRequest: LocalAuthRequest?

  /// Nothing was started.
  public init() {}

  /// A user by id.
  public func getUser(_ userId: Int64) -> User? {
    if let currentUser, currentUser.userId == userId { return currentUser }
    return users.first { $0.user.userId == userId }?.user
  }

  /// Where a user is in the list.
  public func getUserIndex(_ userId: Int64) -> Int? { users.firstIndex { $0.user.userId == userId } }

  mutating func updateUser(_ user: User) {
    if let index = getUserIndex(user.userId) { users[index].user = user }
    if currentUser?.userId == user.userId { currentUser = user }
  }

  mutating func removeUser(_ userId: Int64) {
    users.removeAll { $0.user.userId == userId }
  }

  /// Changes the unread count of a user; it never becomes negative.
  mutating func changeUnread(of userId: Int64, by change: Int) {
    guard change != 0, let index = getUserIndex(userId) else { return }
    users[index].unreadCount = max(0, users[index].unreadCount + change)
  }
}
