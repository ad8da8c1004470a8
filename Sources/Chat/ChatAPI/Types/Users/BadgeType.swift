import SimplexJSON

/// The kind of a supporter's badge.
public enum BadgeType: RawRepresentable, JSONCodable, Hashable, Sendable {
  case supporter, legend, investor
  /// A kind of a newer version.
  case unknown(type: String)

  /// The kind with this name.
  public init(rawValue: String) {
    switch rawValue {
    case "supporter": self = .supporter
    case "legend": self = .legend
    case "investor": self = .investor
    default: self = .unknown(type: rawValue)
    }
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .supporter: "supporter"
    case .legend: "legend"
    case .investor: "investor"
    case .unknown(let type): type
    }
  }
}
