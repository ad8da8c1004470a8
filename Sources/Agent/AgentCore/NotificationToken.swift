import NotificationProtocol
import SMPProtocol
import SimplexCrypto

/// How messages are announced to a device that does not run the application. The raw values are stored.
public enum NotificationMode: Int64, Sendable, CaseIterable {
  /// The device is woken from time to time, and looks for messages.
  case periodic = 1
  /// Each message is pushed.
  case instant = 2
}

/// The registration of this device at a notification server, which sends pushes to it. An agent has one at most.
public struct NotificationToken: Sendable {
  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// The notification server.
  public var server: NotificationServer
  /// The device as the server knows it.
  public var device: PushDevice
  /// The key that authorizes commands about the token and its subscriptions.
  public var key: AuthorizationPrivateKey
  /// The device's key of the boxes in pushes.
  public var dhKey: X25519.PrivateKey
  /// The token at the server, once it is registered.
  public var id: EntityID?
  /// The key of the boxes in pushes, once the token is registered.
  public var boxKey: BoxKey?
  /// Whether the server accepts it, as far as is known.
  public var status = TokenStatus.new
  /// The next step; nil while the application has to do something.
  public var action: TokenAction?
  /// How messages are announced.
  public var mode: NotificationMode
  /// When the action is due, in milliseconds; nil for never.
  public var dueAt: Int64?
  /// How often the action has failed.
  public var attempts: Int64 = 0
  /// Since when the server cannot be used, in milliseconds.
  public var failingSince: Int64?

  /// A token that is to be registered.
  public init(
    server: NotificationServer, device: PushDevice, key: AuthorizationPrivateKey, dhKey: X25519.PrivateKey,
    mode: NotificationMode
  ) {
    self.server = server
    self.device = device
    self.key = key
    self.dhKey = dhKey
    self.mode = mode
  }
}

/// The next step of a token at its server.
public enum TokenAction: Hashable, Sendable {
  /// TNEW.
  case register
  /// TRPL: the device has another token of its push service.
  case replace(PushDevice)
  /// TVFY.
  case verify(RegistrationCode)
  /// TCRN: the interval of periodic pushes, once the token is verified.
  case setInterval
  /// TCHK.
  case check
}

/// A token that is to be deleted at its server.
public struct TokenDeletion: Sendable {
  /// Its number; 0 before it is inserted.
  public var number: Int64 = 0
  /// The notification server.
  public var server: NotificationServer
  /// The token at the server.
  public var id: EntityID
  /// The key that authorizes the deletion of the token.
  public var key: AuthorizationPrivateKey
  /// Since when, in milliseconds.
  public var createdAt: Int64
  /// When it is tried next, in milliseconds.
  public var dueAt: Int64
  /// How often it was tried.
  public var attempts: Int64 = 0

  /// The deletion of a token.
  public init(server: NotificationServer, id: EntityID, key: AuthorizationPrivateKey, createdAt: Int64) {
    self.server = server
    self.id = id
    self.key = key
    self.createdAt = createdAt
    dueAt = createdAt
  }
}

/// The token of the device, as the application sees it.
public struct NotificationTokenInfo: Hashable, Sendable {
  /// The device.
  public var device: PushDevice
  /// Whether the server accepts it.
  public var status: TokenStatus
  /// How messages are announced.
  public var mode: NotificationMode
  /// The notification server.
  public var server: NotificationServer

  /// The part of a token that the application sees.
  public init(_ token: NotificationToken) {
    device = token.device
    status = token.status
    mode = token.mode
    server = token.server
  }
}
