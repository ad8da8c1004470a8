import ChatAPI

// MARK: Notifications
extension ChatModel {
  /// The token of this device.
  public var deviceToken: DeviceToken? {
    get { self[.notifications, \.notifications.deviceToken] }
    set { self[.notifications, \.notifications.deviceToken] = newValue }
  }
  /// The token that was registered.
  public var savedToken: DeviceToken? {
    get { self[.notifications, \.notifications.savedToken] }
    set { self[.notifications, \.notifications.savedToken] = newValue }
  }
  /// Whether the token is registered.
  public var tokenRegistered: Bool {
    get { self[.notifications, \.notifications.tokenRegistered] }
    set { self[.notifications, \.notifications.tokenRegistered] = newValue }
  }
  /// Why the token has to be registered again.
  public var reRegisterTknStatus: NtfTknStatus? {
    get { self[.notifications, \.notifications.reRegisterTknStatus] }
    set { self[.notifications, \.notifications.reRegisterTknStatus] = newValue }
  }
  /// Whether the notification server accepts the token.
  public var tokenStatus: NtfTknStatus? {
    get { self[.notifications, \.notifications.tokenStatus] }
    set { self[.notifications, \.notifications.tokenStatus] = newValue }
  }
  /// How messages are fetched in the background.
  public var notificationMode: NotificationsMode {
    get { self[.notifications, \.notifications.notificationMode] }
    set { self[.notifications, \.notifications.notificationMode] = newValue }
  }
  /// Address of the notification server.
  public var notificationServer: String? {
    get { self[.notifications, \.notifications.notificationServer] }
    set { self[.notifications, \.notifications.notificationServer] = newValue }
  }
  /// What notifications show.
  public var notificationPreview: NotificationPreviewMode {
    get { self[.notifications, \.notifications.notificationPreview] }
    set { self[.notifications, \.notifications.notificationPreview] = newValue }
  }
  /// What was done with a notification, to be acted upon.
  public var notificationResponse: NotificationResponse? {
    get { self[.notifications, \.notifications.notificationResponse] }
    set { self[.notifications, \.notifications.notificationResponse] = newValue }
  }
  /// The request to connect that a notification led to.
  public var ntfContactRequest: NTFContactRequest? {
    get { self[.notifications, \.notifications.ntfContactRequest] }
    set { self[.notifications, \.notifications.ntfContactRequest] = newValue }
  }
  /// The call that a notification was answered with.
  public var ntfCallInvitationAction: NtfCallInvitationAction? {
    get { self[.notifications, \.notifications.ntfCallInvitationAction] }
    set { self[.notifications, \.notifications.ntfCallInvitationAction] = newValue }
  }
  /// Whether messages are fetched in the background.
  public var ntfEnablePeriodic: Bool { notificationMode != .off }
}

// MARK: Calls
extension ChatModel {
  /// Invitations to calls that wait for an answer, by chat.
  public var callInvitations: [ChatId: RcvCallInvitation] {
    get { self[.calls, \.calls.callInvitations] }
    set { self[.calls, \.calls.callInvitations] = newValue }
  }
  /// The call under way.
  public var activeCall: Call? {
    get { self[.calls, \.calls.activeCall] }
    set { self[.calls, \.calls.activeCall] = newValue }
  }
  /// The commands for the engine of the call, in order; the engine removes them.
  public var callCommand: [WebRTCCommand] {
    get { self[.calls, \.calls.callCommands] }
    set { self[.calls, \.calls.callCommands] = newValue }
  }
  /// Whether the call fills the screen.
  public var showCallView: Bool {
    get { self[.calls, \.calls.showCallView] }
    set { self[.calls, \.calls.showCallView] = newValue }
  }
  /// Whether the call is shown small.
  public var activeCallViewIsCollapsed: Bool {
    get { self[.calls, \.calls.activeCallViewIsCollapsed] }
    set { self[.calls, \.calls.activeCallViewIsCollapsed] = newValue }
  }
}

// MARK: Remote desktop
extension ChatModel {
  /// The session with a desktop.
  public var remoteCtrlSession: RemoteCtrlSession? {
    get { self[.remote, \.remoteCtrlSession] }
    set { self[.remote, \.remoteCtrlSession] = newValue }
  }
  /// Whether a desktop is connected.
  public var activeRemoteCtrl: Bool { remoteCtrlSession?.active ?? false }
  /// The mobile devices that this device controls, and the sessions with them.
  public var remoteHosts: RemoteHostsState { self[.remote, \.remoteHosts] }
  /// The mobile device whose profile is shown; nil for the profile of this device.
  public var currentRemoteHost: RemoteHostInfo? { remoteHosts.current }
}

// MARK: The rest
extension ChatModel {
  /// The user's address.
  public var userAddress: UserContactLink? {
    get { self[.misc, \.misc.userAddress] }
    set { self[.misc, \.misc.userAddress] = newValue }
  }
  /// Whether the address has a short link with data, or there is none to have one.
  public var addressShortLinkDataSet: Bool { userAddress?.shortLinkDataSet ?? true }
  /// After how long items are deleted.
  public var chatItemTTL: ChatItemTTL {
    get { self[.misc, \.misc.chatItemTTL] }
    set { self[.misc, \.misc.chatItemTTL] = newValue }
  }
  /// A link that was opened while the app was active.
  public var appOpenUrl: String? {
    get { self[.misc, \.misc.appOpenUrl] }
    set { self[.misc, \.misc.appOpenUrl] = newValue }
  }
  /// A link that was opened while the app was not.
  public var appOpenUrlLater: String? {
    get { self[.misc, \.misc.appOpenUrlLater] }
    set { self[.misc, \.misc.appOpenUrlLater] = newValue }
  }
  /// The invitation that is shown.
  public var showingInvitation: ShowingInvitation? {
    get { self[.misc, \.misc.showingInvitation] }
    set { self[.misc, \.misc.showingInvitation] = newValue }
  }
  /// The draft that was kept.
  public var draft: ComposeState? {
    get { self[.misc, \.misc.draft] }
    set { self[.misc, \.misc.draft] = newValue }
  }
  /// The chat the draft is for.
  public var draftChatId: ChatId? {
    get { self[.misc, \.misc.draftChatId] }
    set { self[.misc, \.misc.draftChatId] = newValue }
  }
  /// The network.
  public var networkInfo: UserNetworkInfo {
    get { self[.misc, \.misc.networkInfo] }
    set { self[.misc, \.misc.networkInfo] = newValue }
  }
  /// Conditions of the server operators; nil until they were loaded.
  public var conditions: ServerOperatorConditions? {
    get { self[.misc, \.misc.conditions] }
    set { self[.misc, \.misc.conditions] = newValue }
  }
  /// The sound being played.
  public var stopPreviousRecPlay: String? {
    get { self[.misc, \.misc.stopPreviousRecPlay] }
    set { self[.misc, \.misc.stopPreviousRecPlay] = newValue }
  }
  /// Whether the terminal is shown.
  public var showingTerminal: Bool {
    get { self[.misc, \.misc.showingTerminal] }
    set { self[.misc, \.misc.showingTerminal] = newValue }
  }
}
