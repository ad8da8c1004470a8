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

  /// A value of its members.
  public init(enabled: FeatureEnabled, userPreference: ContactUserPref<P>, contactPreference: P) {
    self.enabled = enabled
    self.userPreference = userPreference
    self.contactPreference = contactPreference
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    enabled = try fields.get("enabled")
    userPreference = try fields.get("userPreference")
    contactPreference = try fields.get("contactPreference")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("enabled", enabled)
    json.field("userPreference", userPreference)
    json.field("contactPreference", contactPreference)
    json.endObject()
  }
}

/// Where the user's setting of a feature comes from.
public enum ContactUserPref<P: Preference>: JSONCodable, Hashable, Sendable {
  /// It is set for the contact.
  case contact(preference: P)
  /// It is that of the user's profile.
  case user(preference: P)

  /// The setting.
  public var preference: P {
    switch self {
    case .contact(let preference), .user(let preference): preference
    }
  }

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "contact": self = .contact(preference: try fields.get("preference"))
    case "user": self = .user(preference: try fields.get("preference"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .contact(let preference): json.sum("contact", "preference", preference)
    case .user(let preference): json.sum("user", "preference", preference)
    }
  }
}
