import SimplexJSON

/// The token by which a push service reaches this device.
public struct DeviceToken: JSONCodable, Hashable, Sendable {
  /// The push service.
  public var pushProvider: PushProvider
  /// The token, hexadecimal.
  public var token: String

  /// The form in commands.
  public var cmdString: String { "\(pushProvider.rawValue) \(token)" }
}

/// Push services: Apple's for development and production, and two for tests.
public enum PushProvider: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case apns_dev, apns_prod, apns_test, apns_null
}

/// How the core uses push notifications. It refuses `off`: the token is deleted instead.
public enum NotificationsMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case off = "OFF"
  case periodic = "PERIODIC"
  case instant = "INSTANT"
}

/// Whether the notification server accepts a token.
public enum NtfTknStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case new = "NEW"
  case registered = "REGISTERED"
  case invalid = "INVALID"
  case invalidBad = "INVALID,BAD"
  case invalidTopic = "INVALID,TOPIC"
  case invalidExpired = "INVALID,EXPIRED"
  case invalidUnregistered = "INVALID,UNREGISTERED"
  case confirmed = "CONFIRMED"
  case active = "ACTIVE"
  case expired = "EXPIRED"
}
