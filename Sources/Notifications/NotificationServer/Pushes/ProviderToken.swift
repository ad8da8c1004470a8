import RelayChassis
import SimplexCrypto
import Synchronization
import WireCodec

/// The credentials of the owner of an app at Apple's service.
public struct AppleKey: Sendable {
  /// The identifier of the team, 10 letters and digits.
  public let team: String
  /// The identifier of the key, 10 letters and digits.
  public let identifier: String
  /// The key.
  public let key: ES256Key

  /// Nil where an identifier has other characters than letters and digits.
  public init?(team: String, identifier: String, key: ES256Key) {
    let isPlain = { (text: String) in
      !text.isEmpty && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a || $0 >= 0x30 && $0 <= 0x39 }
    }
    guard isPlain(team), isPlain(identifier) else { return nil }
    self.team = team
    self.identifier = identifier
    self.key = key
  }
}

/// The JSON web token by which the owner of an app authorizes pushes (RFC 7519, ES256). Apple accepts one for an hour,
/// and not more than one in 20 minutes.
public final class ProviderToken: Sendable {
  /// The seconds for which a token is used.
  static let lifetime: Int64 = 1_800
  /// The age in seconds below which a token cannot have expired.
  static let youngest: Int64 = 60

  private struct Issued {
    var text: String
    var steady: Int64
  }

  private let owner: AppleKey
  private let issued = Mutex<Issued?>(nil)
  private let wall: @Sendable () -> Int64
  private let steady: @Sendable () -> Int64

  /// Tokens of an owner. Clocks in seconds: since 1970, and a steady one.
  public init(
    _ owner: AppleKey, wall: @escaping @Sendable () -> Int64 = currentSeconds,
    steady: @escaping @Sendable () -> Int64 = steadySeconds
  ) {
    self.owner = owner
    self.wall = wall
    self.steady = steady
  }

  /// The token to use now.
  public var current: String {
    issued.withLock { issued in
      let now = steady()
      if let issued, now - issued.steady < Self.lifetime { return issued.text }
      let text = issue()
      issued = Issued(text: text, steady: now)
      return text
    }
  }

  /// The service says that a token has expired. Returns whether there is another one now.
  public func expired(_ text: String) -> Bool {
    issued.withLock { issued in
      guard let current = issued, current.text == text else { return true }
      guard steady() - current.steady >= Self.youngest else { return false }
      issued = nil
      return true
    }
  }

  private func issue() -> String {
    let header = #"{"alg":"ES256","kid":"\#(owner.identifier)"}"#
    let claims = #"{"iss":"\#(owner.team)","iat":\#(wall())}"#
    let content = "\(Base64URL.unpadded(Array(header.utf8))).\(Base64URL.unpadded(Array(claims.utf8)))"
    return "\(content).\(Base64URL.unpadded(owner.key.signature(of: Array(content.utf8))))"
  }
}
