import WireCodec

/// The status of a token at its notification server. Source: push-notifications.md, "NTF protocol".
public enum TokenStatus: Hashable, Sendable {
  /// Not registered yet.
  case new
  /// Registered; the code was not delivered yet.
  case registered
  /// The push service refuses the token; the reason from version 3 on.
  case invalid(TokenInvalidReason?)
  /// The push service accepted the code.
  case confirmed
  /// The device has proved that it received the code.
  case active
  /// The push service accepts the token no more.
  case expired

  /// Its name, and a comma and the reason if there is one. Also the text form.
  public static let codec: Codec<TokenStatus> = Codec<String>.word().compactMap(
    "a status of a token", { TokenStatus(text: $0) }, \.text)

  /// The text form, such as `ACTIVE` or `INVALID,BAD`.
  public var text: String {
    switch self {
    case .new: "NEW"
    case .registered: "REGISTERED"
    case .invalid(nil): "INVALID"
    case .invalid(let reason?): "INVALID,\(reason.rawValue)"
    case .confirmed: "CONFIRMED"
    case .active: "ACTIVE"
    case .expired: "EXPIRED"
    }
  }

  /// The status with this text form; nil for other texts.
  public init?(text: String) {
    switch text {
    case "NEW": self = .new
    case "REGISTERED": self = .registered
    case "INVALID": self = .invalid(nil)
    case "CONFIRMED": self = .confirmed
    case "ACTIVE": self = .active
    case "EXPIRED": self = .expired
    default:
      guard text.hasPrefix("INVALID,"), let reason = TokenInvalidReason(rawValue: String(text.dropFirst(8))) else {
        return nil
      }
      self = .invalid(reason)
    }
  }

  /// Whether TVFY with the right code succeeds.
  public var allowsVerification: Bool {
    switch self {
    case .registered, .confirmed, .active: true
    case .new, .invalid, .expired: false
    }
  }

  /// Whether commands about subscriptions succeed.
  public var allowsSubscriptions: Bool {
    switch self {
    case .active, .invalid, .expired: true
    case .new, .registered, .confirmed: false
    }
  }
}

/// Why the push service refuses a token.
public enum TokenInvalidReason: String, Hashable, Sendable, CaseIterable {
  /// The service does not know it.
  case bad = "BAD"
  /// It belongs to another app.
  case topic = "TOPIC"
  /// It has expired.
  case expired = "EXPIRED"
  /// The app was removed from the device.
  case unregistered = "UNREGISTERED"
}

/// The secret that a server pushes to a device, to check that it belongs to the client.
public struct RegistrationCode: Hashable, Sendable {
  /// The code; ``size`` bytes from our server, up to 255 from others.
  public var bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The size of the codes that servers generate, in bytes.
  public static let size = 32

  /// The code after a 1-byte length.
  public static let codec = Codec<[UInt8]>.short.map({ RegistrationCode($0) }, \.bytes)

  /// The code in base64url.
  public static let textCodec = Codec<[UInt8]>.base64url.map({ RegistrationCode($0) }, \.bytes)
}
