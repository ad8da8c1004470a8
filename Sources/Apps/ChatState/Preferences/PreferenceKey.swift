import ChatAPI
import SimplexJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a store of preferences keeps under a key.
public enum PreferenceValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case strings([String])
}

/// A type that can be kept as a preference.
public protocol PreferenceConvertible: Sendable {
  /// Reads a stored value; nil if it is not of this type, such as one of a newer version.
  init?(preference: PreferenceValue)
  /// The value to store.
  var preference: PreferenceValue { get }
}

/// A named preference with its type and its default, which is used if no readable value is stored.
public struct PreferenceKey<Value: PreferenceConvertible>: Sendable {
  /// The name in the store.
  public let name: String
  /// The default.
  public let defaultValue: Value

  /// A preference.
  public init(_ name: String, _ defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

extension Bool: PreferenceConvertible {
  /// Reads a truth value; a number is true unless it is 0, as `UserDefaults` has it.
  public init?(preference: PreferenceValue) {
    switch preference {
    case .bool(let value): self = value
    case .integer(let value): self = value != 0
    default: return nil
    }
  }
  /// The truth value.
  public var preference: PreferenceValue { .bool(self) }
}

extension Int: PreferenceConvertible {
  /// Reads a number.
  public init?(preference: PreferenceValue) {
    guard case .integer(let value) = preference else { return nil }
    self.init(exactly: value)
  }
  /// The number.
  public var preference: PreferenceValue { .integer(Int64(self)) }
}

extension Double: PreferenceConvertible {
  /// Reads a number.
  public init?(preference: PreferenceValue) {
    switch preference {
    case .double(let value): self = value
    case .integer(let value): self = Double(value)
    default: return nil
    }
  }
  /// The number.
  public var preference: PreferenceValue { .double(self) }
}

extension String: PreferenceConvertible {
  /// Reads a text.
  public init?(preference: PreferenceValue) {
    guard case .string(let value) = preference else { return nil }
    self = value
  }
  /// The text.
  public var preference: PreferenceValue { .string(self) }
}

extension [String]: PreferenceConvertible {
  /// Reads texts.
  public init?(preference: PreferenceValue) {
    guard case .strings(let values) = preference else { return nil }
    self = values
  }
  /// The texts.
  public var preference: PreferenceValue { .strings(self) }
}

extension Date: PreferenceConvertible {
  /// Reads a time: seconds after 2001-01-01.
  public init?(preference: PreferenceValue) {
    guard let seconds = Double(preference: preference), seconds.isFinite else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  /// Seconds after 2001-01-01.
  public var preference: PreferenceValue { .double(timeIntervalSinceReferenceDate) }
}

/// Types with a name for each value. A name of another version is ignored, so that the default is used.
extension PreferenceConvertible where Self: RawRepresentable, RawValue == String {
  /// Reads the name.
  public init?(preference: PreferenceValue) {
    guard case .string(let name) = preference else { return nil }
    self.init(rawValue: name)
  }
  /// The name.
  public var preference: PreferenceValue { .string(rawValue) }
}

/// A value that is kept as JSON text.
public struct JSONPreference<Value: JSONCodable & Sendable>: PreferenceConvertible {
  /// The value.
  public var value: Value

  /// A value to be kept as text.
  public init(_ value: Value) { self.value = value }

  /// Reads the text.
  public init?(preference: PreferenceValue) {
    guard case .string(let text) = preference, let document = try? JSONDocument(parsing: text),
      let value = try? Value(json: document.root)
    else { return nil }
    self.value = value
  }

  /// The text.
  public var preference: PreferenceValue { .string(value.jsonText()) }
}

extension Optional: PreferenceConvertible where Wrapped: PreferenceConvertible {
  /// Reads the value; nil if it cannot be read.
  public init?(preference: PreferenceValue) { self = Wrapped(preference: preference) }
  /// The value; an empty text means none, but stores remove the key instead.
  public var preference: PreferenceValue { self?.preference ?? .string("") }
}

extension OnboardingStage: PreferenceConvertible {}
extension V3DBMigrationState: PreferenceConvertible {}
extension NotificationPreviewMode: PreferenceConvertible {}
extension AppSettingsLockScreenCalls: PreferenceConvertible {}
