import AgentCore
import ChatAPI
import ChatStore
import SimplexCrypto
import SimplexJSON
import WireCodec

/// A command for the agent about a file. Paths are as they are stored: relative to the folder of files, or absolute.
enum FileCommand: Sendable, Hashable {
  /// Encrypts and uploads a file, with so many descriptions.
  case send(AgentFileID, user: UserID, source: CryptoFile, name: String, recipients: Int)
  /// Uploads a description as a file that leads to it.
  case sendDescription(AgentFileID, user: UserID, String)
  /// Downloads a file.
  case receive(AgentFileID, user: UserID, String, to: CryptoFile, approvedRelays: Bool)
  /// Stops receiving a file, and removes what there is of it at this path.
  case deleteReceived(AgentFileID, unfinished: String? = nil)
  /// Stops sending a file; what is at relays stays.
  case deleteSent(AgentFileID)
  /// Deletes a sent file at its relays, with the sender's description.
  case deleteAtRelays(AgentFileID, user: UserID, String)

  /// The file.
  var id: AgentFileID {
    switch self {
    case .send(let id, _, _, _, _), .sendDescription(let id, _, _), .receive(let id, _, _, _, _),
      .deleteReceived(let id, _), .deleteSent(let id), .deleteAtRelays(let id, _, _):
      id
    }
  }
}

extension FileCommand: JSONCodable {
  /// Reads the stored form.
  init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    let text: String = try fields.get("id")
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else { throw JSONError(.unknownCase(text)) }
    let id = AgentFileID(bytes)
    switch fields.tag {
    case UploadCommand.tag:
      let upload = try UploadCommand(json: json)
      self = .send(
        id, user: UserID(rawValue: upload.user), source: upload.source, name: upload.name,
        recipients: upload.recipients)
    case "sendDescription":
      self = .sendDescription(id, user: UserID(rawValue: try fields.get("user")), try fields.get("description"))
    case "receive":
      self = .receive(
        id, user: UserID(rawValue: try fields.get("user")), try fields.get("description"), to: try fields.get("file"),
        approvedRelays: try fields.get("approved"))
    case "deleteReceived": self = .deleteReceived(id, unfinished: try fields.get("unfinished"))
    case "deleteSent": self = .deleteSent(id)
    case "deleteAtRelays":
      self = .deleteAtRelays(id, user: UserID(rawValue: try fields.get("user")), try fields.get("description"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the stored form.
  func encode(to json: inout JSONWriter) {
    switch self {
    case .send(let id, let user, let source, let name, let recipients):
      return UploadCommand(id: id.text, user: user.rawValue, source: source, name: name, recipients: recipients)
        .encode(to: &json)
    case .sendDescription(let id, let user, let description):
      json.beginTagged("sendDescription")
      json.field("id", id.text)
      json.field("user", user.rawValue)
      json.field("description", description)
    case .receive(let id, let user, let description, let destination, let approved):
      json.beginTagged("receive")
      json.field("id", id.text)
      json.field("user", user.rawValue)
      json.field("description", description)
      json.field("file", destination)
      json.field("approved", approved)
    case .deleteReceived(let id, let unfinished):
      json.beginTagged("deleteReceived")
      json.field("id", id.text)
      json.field("unfinished", unfinished)
    case .deleteSent(let id):
      json.beginTagged("deleteSent")
      json.field("id", id.text)
    case .deleteAtRelays(let id, let user, let description):
      json.beginTagged("deleteAtRelays")
      json.field("id", id.text)
      json.field("user", user.rawValue)
      json.field("description", description)
    }
    json.endObject()
  }
}
