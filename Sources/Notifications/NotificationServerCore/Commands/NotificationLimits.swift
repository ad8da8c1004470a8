/// What clients of a notification server may cause.
public struct NotificationLimits: Hashable, Sendable {
  /// The longest token of a device, in bytes.
  public var deviceToken = 100
  /// The number of relays at which a token has subscriptions.
  public var relaysPerToken = 50
  /// The number of subscriptions of a token.
  public var subscriptionsPerToken = 100_000
  /// The shortest interval of periodic pushes, in minutes.
  public var shortestInterval: UInt16 = 20
  /// Whether devices of the service for tests are accepted.
  public var allowsTestDevices = false
  /// The seconds after which a token that was never verified is deleted.
  public var unverifiedLifetime: Int64 = 86_400

  /// The default limits.
  public init() {}
}
