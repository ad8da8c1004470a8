import SimplexJSON

/// A feature of a conversation as one side sets it.
public protocol Preference: JSONCodable, Hashable, Sendable {
  /// Who may use the feature.
  var allow: FeatureAllowed { get set }
}

extension SimplePreference: Preference {}
extension TimedMessagesPreference: Preference {}

/// A feature as both sides of a conversation set it.
public struct ContactUserPreference<P: Preference>: JSONCodable, Hashable, Sendable {
  /// For whom the feature is on.
  public var enabled: FeatureEnabled
  /// What the user allows.
  public var userPreference: ContactUserPref<P>
  /// What the contact allows.
  public var contactPreference: P
}

/// Where the user's setting of a feature comes from.
public enum ContactUserPref<P: Preference>: JSONCodable, Hashable, Sendable {
  /// A setting for this contact.
  case contact(preference: P)
  /// The setting of the user's profile.
  case user(preference: P)

  /// The setting.
  public var preference: P {
    switch self {
    case .contact(let preference), .user(let preference): preference
    }
  }
}
