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
}
