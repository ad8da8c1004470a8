import SimplexJSON

/// The versions of a protocol that one side understands.
public struct VersionRange: JSONCodable, Hashable, Sendable {
  /// The lowest version.
  public var minVersion: Int
  /// The highest version.
  public var maxVersion: Int

  /// The versions from `minVersion` to `maxVersion`.
  public init(_ minVersion: Int, _ maxVersion: Int) {
    self.minVersion = minVersion
    self.maxVersion = maxVersion
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    minVersion = try fields.get("minVersion")
    maxVersion = try fields.get("maxVersion")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("minVersion", minVersion)
    json.field("maxVersion", maxVersion)
    json.endObject()
  }
}
