#if canImport(Darwin)
  import Foundation

  /// Preferences in the user defaults of an app, or of a group of an app and its extensions.
  public final class UserDefaultsStore: PreferenceStore {
    // Documented as safe to use from several threads, but not marked so.
    private nonisolated(unsafe) let defaults: UserDefaults

    /// The defaults of an app group; those of the app if there is no name.
    ///
    /// - Returns: nil if the app does not belong to the group.
    public init?(group: String? = nil) {
      guard let defaults = group.map(UserDefaults.init(suiteName:)) ?? .standard else { return nil }
      self.defaults = defaults
    }

    /// The value with a name.
    public func value(_ name: String) -> PreferenceValue? {
      switch defaults.object(forKey: name) {
      case let texts as [String]: .strings(texts)
      case let text as String: .string(text)
      case let date as Date: date.preference
      case let number as NSNumber:
        if CFGetTypeID(number) == CFBooleanGetTypeID() {
          .bool(number.boolValue)
        } else if CFNumberIsFloatType(number) {
          .double(number.doubleValue)
        } else {
          .integer(number.int64Value)
        }
      default: nil
      }
    }

    /// Keeps a value under a name.
    public func set(_ value: PreferenceValue?, _ name: String) {
      switch value {
      case .bool(let value): defaults.set(value, forKey: name)
      case .integer(let value): defaults.set(value, forKey: name)
      case .double(let value): defaults.set(value, forKey: name)
      case .string(let value): defaults.set(value, forKey: name)
      case .strings(let value): defaults.set(value, forKey: name)
      case nil: defaults.removeObject(forKey: name)
      }
    }
  }
#endif
