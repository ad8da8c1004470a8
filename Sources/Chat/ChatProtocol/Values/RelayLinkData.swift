import ChatAPI
import SimplexJSON

/// The content of the short link that a relay of a channel makes for it.
public struct RelayShortLinkData: JSONCodable, Hashable, Sendable {
  /// Names and image of the relay.
  public var relayProfile: RelayProfile

  /// The content for a relay with this profile.
  public init(relayProfile: RelayProfile) { self.relayProfile = relayProfile }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    relayProfile = try fields.get("relayProfile")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("relayProfile", relayProfile)
    json.endObject()
  }
}
