import WireCodec

/// The service that sends pushes to a device. Source: push-notifications.md, "NTF protocol".
public enum PushService: String, Hashable, Sendable, CaseIterable {
  /// Apple's service for development.
  case appleDevelopment = "apns_dev"
  /// Apple's service.
  case apple = "apns_prod"
  /// A service in place of Apple's, for tests.
  case appleTest = "apns_test"
  /// No service: pushes are dropped.
  case null = "apns_null"

  /// Two letters.
  public static let codec = Codec<PushService>.tagged(
    "a push service",
    Alternative("AD", .appleDevelopment), Alternative("AP", .apple), Alternative("AT", .appleTest),
    Alternative("AN", .null))
}

/// A device as a push service knows it.
public struct PushDevice: Hashable, Sendable {
  /// The service.
  public var service: PushService
  /// The token that the service gave the device. Hexadecimal digits with Apple's services, but not checked here.
  public var token: String

  public init(service: PushService, token: String) {
    self.service = service
    self.token = token
  }

  /// The service, and the token after a 1-byte length.
  public static let codec = Codec<PushDevice>.record(
    Field("service", \.service, PushService.codec), Field("token", \.token, Codec<String>.shortText),
    build: { PushDevice(service: $0, token: $1) })

  /// `apns_prod 0123456789abcdef`: the token has an even number of lowercase hexadecimal digits, or is that of
  /// ``test``.
  public static let textCodec: Codec<PushDevice> = {
    let service = Codec<String>.word().compactMap(
      "a push service", { PushService(rawValue: $0) }, \.rawValue)
    let token = Codec<String>.word(endingAt: " ,;\n")
    return service.pair(token).compactMap(
      "a token of a push service",
      { service, token in
        let device = PushDevice(service: service, token: token)
        return device == test || device.hasHexadecimalToken ? device : nil
      }, { ($0.service, $0.token) })
  }()

  /// The device that clients register to test a server: no push is sent to it.
  public static let test = PushDevice(service: .null, token: "test_ntf_token")

  /// Whether the token has an even number of lowercase hexadecimal digits, two at least.
  public var hasHexadecimalToken: Bool {
    let digits = token.utf8
    return !digits.isEmpty && digits.count % 2 == 0
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}

extension PushDevice: CustomStringConvertible {
  /// The service alone: the token is not for logs.
  public var description: String { service.rawValue }
}
