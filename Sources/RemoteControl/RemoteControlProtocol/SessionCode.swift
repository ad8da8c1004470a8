import SMPProtocol
import SimplexCrypto

/// The code of a session that users compare on both devices: the TLS session identifier as a decimal number in groups
/// of five digits. Source: XRCP, "Session verification".
public struct SessionCode: Hashable, Sendable, CustomStringConvertible {
  /// The groups with spaces between them.
  public let description: String

  /// The code of a session.
  public init(_ session: SessionID) { description = VerificationCode.text(session.bytes) }

  /// Whether a user entered this code; spaces do not matter.
  public func matches(_ text: String) -> Bool { VerificationCode.isSame(text, description) }
}
