/// The protocol versions a party supports, from the lowest to the highest.
public struct VersionRange: Hashable, Sendable {
  /// The lowest supported version.
  public let lowest: UInt16
  /// The highest supported version, not below `lowest`.
  public let highest: UInt16

  /// A range; nil where `lowest` is above `highest`.
  public init?(_ lowest: UInt16, _ highest: UInt16) {
    guard lowest <= highest else { return nil }
    self.lowest = lowest
    self.highest = highest
  }

  /// A range of one version.
  public init(_ version: UInt16) {
    lowest = version
    highest = version
  }

  /// A range known to be well-formed, for constants.
  public init(_ range: ClosedRange<UInt16>) {
    lowest = range.lowerBound
    highest = range.upperBound
  }

  /// Whether the version is supported.
  public func contains(_ version: UInt16) -> Bool { version >= lowest && version <= highest }

  /// The versions both parties support; its `highest` is the version they use. Nil where there is none.
  public func intersection(_ other: VersionRange) -> VersionRange? {
    VersionRange(max(lowest, other.lowest), min(highest, other.highest))
  }

  /// Two versions of 2 bytes each.
  public static let codec = Codec<UInt16>.integer.pair(.integer, separator: "").compactMap(
    "a version range", { VersionRange($0, $1) }, { ($0.lowest, $0.highest) })

  /// `1-4`, or `4` for a single version.
  public static let textCodec = Codec<UInt16>.decimal.pair(Codec<UInt16>.decimal.optional(after: "-"), separator: "")
    .compactMap(
      "a version range", { VersionRange($0, $1 ?? $0) },
      { ($0.lowest, $0.highest == $0.lowest ? nil : $0.highest) })
}
