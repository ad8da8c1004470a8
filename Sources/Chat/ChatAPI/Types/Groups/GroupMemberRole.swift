import SimplexJSON

/// The role of a group's member. Roles are ordered by what they may do: each includes the ones below.
public enum GroupMemberRole: RawRepresentable, JSONCodable, Hashable, Sendable, CaseIterable, Comparable {
  /// A role of a newer version; it may do nothing.
  case unknown(type: String)
  /// Forwards messages of a public group and sends none of its own.
  case relay
  /// May only read messages.
  case observer
  /// Reserved.
  case author
  /// Sends messages.
  case member
  /// Removes messages and blocks members.
  case moderator
  /// Adds and removes members and sets their roles, owners excepted.
  case admin
  /// Changes and deletes the group, and sets any role.
  case owner

  /// All known roles, the lowest first.
  public static let allCases: [GroupMemberRole] = [.relay, .observer, .author, .member, .moderator, .admin, .owner]

  /// The roles a user can give.
  public static let supportedRoles: [GroupMemberRole] = [.observer, .member, .moderator, .admin, .owner]

  /// The role with this name.
  public init(rawValue: String) {
    self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(type: rawValue)
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .unknown(let type): type
    case .relay: "relay"
    case .observer: "observer"
    case .author: "author"
    case .member: "member"
    case .moderator: "moderator"
    case .admin: "admin"
    case .owner: "owner"
    }
  }

  /// Whether `left` may do less than `right`.
  public static func < (left: GroupMemberRole, right: GroupMemberRole) -> Bool {
    left.rank == right.rank ? left.rank == 0 && left.rawValue < right.rawValue : left.rank < right.rank
  }

  private var rank: Int { (Self.allCases.firstIndex(of: self) ?? -1) + 1 }
}

/// The kind of a public group.
public enum GroupType: RawRepresentable, JSONCodable, Hashable, Sendable {
  /// Only owners and admins write.
  case channel
  /// All members write.
  case group
  /// A kind of a newer version.
  case unknown(type: String)

  /// The kind with this name.
  public init(rawValue: String) {
    switch rawValue {
    case "channel": self = .channel
    case "group": self = .group
    default: self = .unknown(type: rawValue)
    }
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .channel: "channel"
    case .group: "group"
    case .unknown(let type): type
    }
  }
}
