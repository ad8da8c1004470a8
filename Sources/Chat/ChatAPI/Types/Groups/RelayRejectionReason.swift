import SimplexJSON

/// Why a relay does not serve a group (version 18).
public enum RelayRejectionReason: RawRepresentable, JSONCodable, Hashable, Sendable {
  /// It refused or left the group before, and does not join again.
  case rejoinRejected
  /// A reason of a newer version.
  case unknown(String)

  /// The reason with this name.
  public init(rawValue: String) { self = rawValue == "rejoin_rejected" ? .rejoinRejected : .unknown(rawValue) }

  /// The name.
  public var rawValue: String {
    switch self {
    case .rejoinRejected: "rejoin_rejected"
    case .unknown(let name): name
    }
  }
}
