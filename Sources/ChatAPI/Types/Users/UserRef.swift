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

  /// A user of this id and name.
  public init(userId: Int64, localDisplayName: ContactName) {
    self.userId = userId
    self.localDisplayName = localDisplayName
  }

  /// Database id of the user.
  public var id: Int64 { userId }

  /// Reads the object; other members of a user are ignored.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userId = try fields.get("userId")
    localDisplayName = try fields.get("localDisplayName")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userId", userId)
    json.field("localDisplayName", localDisplayName)
    json.endObject()
  }
}
