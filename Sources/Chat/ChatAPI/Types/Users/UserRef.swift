import SimplexJSON

/// Anything that names a user.
public protocol UserLike: Identifiable, Sendable {
  /// Database id of the user.
  var userId: Int64 { get }
}

extension User: UserLike {
  /// Database id of the user.
  public var id: Int64 { userId }
}

/// The members of a ``User`` that say who it is.
public struct UserRef: JSONCodable, Hashable, UserLike {
  /// Database id of the user.
  public var userId: Int64
  /// The name made unique on this device.
  public var localDisplayName: ContactName

  /// Database id of the user.
  public var id: Int64 { userId }
}
