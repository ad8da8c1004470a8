import SimplexJSON

/// Why somebody may not join.
public enum GroupRejectionReason: RawRepresentable, JSONCodable, Hashable, Sendable {
  /// The name is too long.
  case longName
  /// The name is not allowed.
  case blockedName
  /// A reason of a newer version.
  case unknown(String)

  /// The reason with this name.
  public init(rawValue: String) {
    switch rawValue {
    case "long_name": self = .longName
    case "blocked_name": self = .blockedName
    default: self = .unknown(rawValue)
    }
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .longName: "long_name"
    case .blockedName: "blocked_name"
    case .unknown(let name): name
    }
  }
}
