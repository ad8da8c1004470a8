import ChatAPI
import SimplexJSON

/// The command for the agent that encrypts and uploads a file, as ``StoredAgentCommand`` has it. An import of a profile
/// stores it, too.
public struct UploadCommand: Hashable, Sendable {
  /// The number of its kind, which all commands about files have.
  public static let kind = 11

  /// The agent's identifier of the file, base64url.
  public var id: String
  /// The agent's number of the user.
  public var user: Int64
  /// The path as it is stored: relative to the folder of files, or absolute.
  public var source: CryptoFile
  /// The name that recipients see.
  public var name: String
  /// How many recipients get a description.
  public var recipients: Int

  /// The command with all its parts.
  public init(id: String, user: Int64, source: CryptoFile, name: String, recipients: Int) {
    (self.id, self.user, self.source, self.name, self.recipients) = (id, user, source, name, recipients)
  }
}

extension UploadCommand: JSONCodable {
  /// The tag of the stored form among commands about files.
  public static let tag = "send"

  /// Reads the stored form.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    guard fields.tag == Self.tag else { throw fields.unknownTag() }
    self.init(
      id: try fields.get("id"), user: try fields.get("user"), source: try fields.get("file"),
      name: try fields.get("name"), recipients: try fields.get("recipients"))
  }

  /// Writes the stored form.
  public func encode(to json: inout JSONWriter) {
    json.beginTagged(Self.tag)
    json.field("id", id)
    json.field("user", user)
    json.field("file", source)
    json.field("name", name)
    json.field("recipients", recipients)
    json.endObject()
  }
}
