import SimplexJSON

/// The version of a core as dotted text, such as `7.0.0.6`. Versions are compared number by number; a version precedes
/// the versions that continue it. Source: the reference's type `AppVersion`.
public struct AppVersion: Hashable, Sendable {
  /// The maximum count of numbers.
  public static let limit = 8

  /// The numbers, at least one.
  public let numbers: [UInt32]

  private init(checked numbers: [UInt32]) { self.numbers = numbers }

  /// The lowest version of a peer that sides work with.
  public static let lowestSupported = AppVersion(checked: [6, 5, 0, 12])

  /// A version of one to eight numbers.
  public init?(_ numbers: [UInt32]) {
    guard !numbers.isEmpty, numbers.count <= Self.limit else { return nil }
    self.numbers = numbers
  }

  /// The version that a text names; nil where it is anything but numbers with dots between them.
  public init?(text: some StringProtocol) {
    guard text.utf8.count <= 11 * Self.limit else { return nil }
    var numbers: [UInt32] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard !part.isEmpty, part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt32(part)
      else { return nil }
      numbers.append(number)
    }
    self.init(numbers)
  }
}

extension AppVersion: Comparable, CustomStringConvertible {
  public static func < (left: AppVersion, right: AppVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }

  /// The numbers with dots between them.
  public var description: String { numbers.map { String($0) }.joined(separator: ".") }
}

extension AppVersion: JSONDecodable, JSONEncodable {
  /// Reads the text.
  public init(json: JSONNode) throws(JSONError) {
    guard let version = AppVersion(text: try json.string()) else { throw JSONError(.invalidText(type: "AppVersion")) }
    self = version
  }

  /// Writes the text.
  public func encode(to json: inout JSONWriter) { json.string(description) }
}

/// The versions of cores that a side works with. Source: the reference's type `AppVersionRange`.
public struct AppVersions: Hashable, Sendable {
  /// The lowest version.
  public let lowest: AppVersion
  /// The highest version, not below `lowest`: the version of the side itself.
  public let highest: AppVersion

  /// A range; nil where `lowest` is above `highest`.
  public init?(_ lowest: AppVersion, _ highest: AppVersion) {
    guard lowest <= highest else { return nil }
    self.lowest = lowest
    self.highest = highest
  }

  /// The versions that a side of this version works with; nil if it is lower than ``AppVersion/lowestSupported``.
  public init?(upTo own: AppVersion) { self.init(.lowestSupported, own) }

  /// Whether the version lies in the range.
  public func contains(_ version: AppVersion) -> Bool { lowest <= version && version <= highest }

  /// The version that two sides use: the lower one of their highest; nil where the ranges have nothing in common.
  public func agreed(with other: AppVersions) -> AppVersion? {
    guard lowest <= other.highest, other.lowest <= highest else { return nil }
    return min(highest, other.highest)
  }
}

extension AppVersions: JSONDecodable, JSONEncodable {
  /// Reads the range.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let highest: AppVersion = try fields.get("maxVersion")
    guard let versions = AppVersions(try fields.get("minVersion"), highest) else {
      throw JSONError(.outOfRange(type: "AppVersionRange"))
    }
    self = versions
  }

  /// Writes the range, its members sorted by name as signatures of invitations require.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("maxVersion", highest)
    json.field("minVersion", lowest)
    json.endObject()
  }
}
