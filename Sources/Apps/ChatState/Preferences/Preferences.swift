import ChatAPI
import Observation

/// Typed preferences over a store, for views to follow: reading a preference registers for its next change.
@Observable
@MainActor
public final class Preferences {
  @ObservationIgnored private let store: any PreferenceStore
  @ObservationIgnored private var signals: [String: Signal] = [:]
  /// The error of the last change; nil if it was stored.
  public private(set) var lastError: PreferenceError?

  /// The preferences of a store.
  public init(_ store: any PreferenceStore) { self.store = store }

  /// A preference: the stored value, or its default if no readable one is stored.
  public subscript<Value: PreferenceConvertible>(key: PreferenceKey<Value>) -> Value {
    get {
      signal(key.name).read()
      return store.value(key.name).flatMap { Value(preference: $0) } ?? key.defaultValue
    }
    set { change(key.name, to: newValue.preference) }
  }

  /// A preference that can be absent.
  public subscript<Value: PreferenceConvertible>(key: PreferenceKey<Value?>) -> Value? {
    get {
      signal(key.name).read()
      return store.value(key.name).flatMap { Value(preference: $0) } ?? key.defaultValue
    }
    set { change(key.name, to: newValue?.preference) }
  }

  /// Whether a value is stored for a preference.
  public func isSet<Value>(_ key: PreferenceKey<Value>) -> Bool {
    signal(key.name).read()
    return store.value(key.name) != nil
  }

  /// Resets a preference to its default.
  public func reset<Value>(_ key: PreferenceKey<Value>) { change(key.name, to: nil) }

  private func change(_ name: String, to value: PreferenceValue?) {
    do {
      try store.set(value, name)
      lastError = nil
    } catch {
      lastError = error
    }
    signal(name).fire()
  }

  private func signal(_ name: String) -> Signal {
    if let signal = signals[name] { return signal }
    let signal = Signal()
    signals[name] = signal
    return signal
  }
}

/// The preferences of an app: its own, those that extensions share, and its secrets.
@MainActor
public struct AppPreferences {
  /// Settings of the app alone; keys are in ``AppDefaults``.
  public let app: Preferences
  /// Settings that extensions share; keys are in ``GroupDefaults``.
  public let group: Preferences
  /// Secrets.
  public let secrets: any SecretStore

  /// Preferences of these stores.
  public init(app: Preferences, group: Preferences, secrets: any SecretStore) {
    self.app = app
    self.group = group
    self.secrets = secrets
  }

  #if !canImport(Darwin)
    /// Preferences in files of the user: settings in `$XDG_CONFIG_HOME/<name>`, secrets in the secret service if it is
    /// there, else in `$XDG_DATA_HOME/<name>`. All files have mode 0600.
    public static func files(
      name: String = "simplex", environment: [String: String] = XDGFolders.environment
    ) throws(PreferenceError) -> AppPreferences {
      let folders = XDGFolders(environment)
      let config = "\(folders.config)/\(name)"
      let secrets: any SecretStore =
        if let service = SecretServiceStore(application: name, environment: environment) {
          service
        } else {
          try FileSecretStore(path: "\(folders.data)/\(name)/secrets.json")
        }
      return AppPreferences(
        app: Preferences(try FilePreferenceStore(path: "\(config)/app.json")),
        group: Preferences(try FilePreferenceStore(path: "\(config)/group.json")), secrets: secrets)
    }
  #endif
}
