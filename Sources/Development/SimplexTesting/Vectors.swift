import Foundation

/// Golden data under `Tests/Vectors`.
public enum Vectors {
  /// The folder, found from this source file, so that tests run from any working directory.
  public static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Tests/Vectors")

  /// The content of one file.
  public static func load(_ name: String) throws -> Golden {
    let data = try Data(contentsOf: folder.appendingPathComponent(name))
    return Golden(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed), path: name)
  }
}

/// A JSON value of golden data, read with the members a test expects; the error of a missing one names its path.
///
/// It is never changed after it was read, so it can be shared.
public struct Golden: @unchecked Sendable {
  /// The JSON value as `JSONSerialization` returns it.
  public let value: Any
  /// Its path, for messages.
  public let path: String

  init(_ value: Any, path: String) {
    self.value = value
    self.path = path
  }

  /// A member that is missing or has another type.
  public struct Missing: Error, CustomStringConvertible {
    /// What was expected, and its path.
    public let description: String

    /// What was expected, and its path.
    public init(description: String) { self.description = description }
  }

  /// The member with this name; nil where it is absent or null.
  public subscript(name: String) -> Golden? {
    guard let member = (value as? [String: Any])?[name], !(member is NSNull) else { return nil }
    return Golden(member, path: "\(path).\(name)")
  }

  /// The member with this name, which is required.
  public func member(_ name: String) throws -> Golden {
    guard let member = self[name] else { throw Missing(description: "\(path) has no member \(name)") }
    return member
  }

  /// The member with this name, null where it is absent or null.
  public func memberOrNull(_ name: String) -> Golden {
    self[name] ?? Golden(NSNull(), path: "\(path).\(name)")
  }

  /// Whether this is null.
  public var isNull: Bool { value is NSNull }

  /// The elements of an array.
  public func elements() throws -> [Golden] {
    let array: [Any] = try cast("an array")
    return array.enumerated().map { Golden($1, path: "\(path)[\($0)]") }
  }

  /// The elements of the array in the member with this name.
  public func elements(_ name: String) throws -> [Golden] { try member(name).elements() }

  /// The names of an object's members, sorted.
  public func names() throws -> [String] {
    let object: [String: Any] = try cast("an object")
    return object.keys.sorted()
  }

  /// The text.
  public func string() throws -> String { try cast("a string") }

  /// The text of the member with this name.
  public func string(_ name: String) throws -> String { try member(name).string() }

  /// The whole number.
  public func int() throws -> Int {
    let number: NSNumber = try cast("a number")
    return number.intValue
  }

  /// The whole number of the member with this name.
  public func int(_ name: String) throws -> Int { try member(name).int() }

  /// The Boolean.
  public func bool() throws -> Bool { try cast("a Boolean") }

  /// The Boolean of the member with this name.
  public func bool(_ name: String) throws -> Bool { try member(name).bool() }

  /// The bytes of a hexadecimal string.
  public func hex() throws -> [UInt8] {
    guard let bytes = [UInt8](hex: try string()) else { throw Missing(description: "\(path) is no hex") }
    return bytes
  }

  /// The bytes of the hexadecimal string in the member with this name.
  public func hex(_ name: String) throws -> [UInt8] { try member(name).hex() }

  private func cast<T>(_ what: String) throws -> T {
    guard let value = value as? T else { throw Missing(description: "\(path) is not \(what)") }
    return value
  }
}

extension [UInt8] {
  /// The bytes of hexadecimal digits; nil where there are others, or an odd number of them.
  public init?(hex: some StringProtocol) {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Lowercase hexadecimal digits.
  public var hex: String {
    let digits = Array<Character>("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension Golden: CustomStringConvertible {
  /// The path of the value, by which tests list their arguments.
  public var description: String { path }
}
