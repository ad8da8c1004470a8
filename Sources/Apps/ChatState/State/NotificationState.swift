import ChatAPI

/// A request to connect that a notification led to.
public struct NTFContactRequest: Hashable, Sendable {
  /// The chat of the request.
  public var chatId: ChatId

  /// A request.
  public init(chatId: ChatId) { self.chatId = chatId }
}

/// What a person did with a notification.
public struct NotificationResponse: Hashable, Sendable {
  /// The user it was for.
  public var userId: Int64
  /// The chat it was about.
  public var chatId: ChatId?
  /// The chosen action; empty for opening it.
  public var action: String

  /// A response.
  public init(userId: Int64, chatId: ChatId? = nil, action: String = "") {
    self.userId = userId
    self.chatId = chatId
    self.action = action
  }
}

/// A call that a notification was answered with.
public struct NtfCallInvitationAction: Hashable, Sendable {
  /// The chat of the caller.
  public var chatId: ChatId
  /// What to do.
  public var action: NtfCallAction

  /// An action.
  public init(chatId: ChatId, action: NtfCallAction) {
    self.chatId = chatId
    self.action = action
  }
}

/// Notifications: the token of the device, how it is registered, and what was done with notifications.
public struct NotificationState: Hashable, Sendable {
  /// The token of this device.
  public var deviceToken: DeviceToken?
  /// The token that was registered.
  public var savedToken: DeviceToken?
  /// Whether the token is registered.
  public var tokenRegistered = false
  /// Why the token has to be registered again.
  public var reRegisterTknStatus: NtfTknStatus?
  /// Whether the notification server accepts the token.
  public var tokenStatus: NtfTknStatus?
  /// How messages are fetched in the background.
  public var notificationMode = NotificationsMode.off
  /// Address of the notification server.
  public var notificationServer: String?
  /// What notifications show.
  public var notificationPreview = NotificationPreviewMode.message
  /// What was done with a notification, to be acted upon.
  public var notificationResponse: NotificationResponse?
  /// The request to connect that a notification led to.
  public var ntfContactRequest: NTFContactRequest?
  /// The call that a notification was answered with.
  public var ntfCallInvitationAction: NtfCallInvitationAction?

  /// No notifications.
  public init() {}

  /// Takes what became of registering the token.
  mutating func registered(_ status: NtfTknStatus) {
    tokenStatus = status
    switch status {
    case .registered, .confirmed, .active, .new:
      tokenRegistered = true
      savedToken = deviceToken
      reRegisterTknStatus = nil
    case .invalid, .invalidBad, .invalidTopic, .invalidExpired, .invalidUnregistered, .expired:
      tokenRegistered = false
      reRegisterTknStatus = status
    }
  }
}
