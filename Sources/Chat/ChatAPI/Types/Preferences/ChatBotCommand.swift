import SimplexJSON

/// A command or menu that a bot offers.
public enum ChatBotCommand: JSONCodable, Hashable, Sendable {
  case command(keyword: String, label: String, params: String?)
  case menu(label: String, commands: [ChatBotCommand])

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "command":
      self = try .command(
        keyword: fields.get("keyword"), label: fields.get("label"), params: fields.get("params"))
    case "menu": self = try .menu(label: fields.get("label"), commands: fields.get("commands"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .command(let keyword, let label, let params):
      json.beginTagged("command")
      json.field("keyword", keyword)
      json.field("label", label)
      json.field("params", params)
      json.endObject()
    case .menu(let label, let commands):
      json.beginTagged("menu")
      json.field("label", label)
      json.field("commands", commands)
      json.endObject()
    }
  }
}
