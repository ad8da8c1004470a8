import SimplexJSON

/// How a piece of message text is shown.
public enum Format: JSONCodable, Hashable, Sendable {
  /// `*bold*`
  case bold
  /// `_italic_`
  case italic
  /// `~struck through~`
  case strikeThrough
  /// Code, between backquotes.
  case snippet
  /// `#hidden until revealed#`
  case secret
  /// `!- small!`
  case small
  /// `!1 red!` or `!red red!`
  case colored(color: FormatColor)
  /// A web address.
  case uri
  /// `[text](https://…)`
  case hyperLink(showText: String?, linkUri: String)
  /// A SimpleX address or invitation, with the servers that it names.
  case simplexLink(showText: String?, linkType: SimplexLinkType, simplexUri: String, smpHosts: [String])
  /// A SimpleX name.
  case simplexName(nameInfo: SimplexNameInfo)
  /// `/command`, to be sent to a bot.
  case command(commandStr: String)
  /// `@member`
  case mention(memberName: String)
  /// An e-mail address.
  case email
  /// A telephone number.
  case phone
  /// A format that this version does not know, kept as it is.
  case unknown(json: JSONValue)

  /// Whether it is a SimpleX address or invitation.
  public var isSimplexLink: Bool {
    if case .simplexLink = self { true } else { false }
  }

  /// Reads the variant; anything that is not a known one is unknown.
  public init(json: JSONNode) throws(JSONError) {
    do {
      self = try Format(known: json)
    } catch {
      self = .unknown(json: try JSONValue(json: json))
    }
  }

  private init(known json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "bold": self = .bold
    case "italic": self = .italic
    case "strikeThrough": self = .strikeThrough
    case "snippet": self = .snippet
    case "secret": self = .secret
    case "small": self = .small
    case "colored": self = .colored(color: try fields.get("color"))
    case "uri": self = .uri
    case "hyperLink": self = try .hyperLink(showText: fields.get("showText"), linkUri: fields.get("linkUri"))
    case "simplexLink":
      self = try .simplexLink(
        showText: fields.get("showText"), linkType: fields.get("linkType"), simplexUri: fields.get("simplexUri"),
        smpHosts: fields.get("smpHosts"))
    case "simplexName": self = .simplexName(nameInfo: try fields.get("nameInfo"))
    case "command": self = .command(commandStr: try fields.get("commandStr"))
    case "mention": self = .mention(memberName: try fields.get("memberName"))
    case "email": self = .email
    case "phone": self = .phone
    case "unknown": self = .unknown(json: try fields.get("json"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .bold: json.tag("bold")
    case .italic: json.tag("italic")
    case .strikeThrough: json.tag("strikeThrough")
    case .snippet: json.tag("snippet")
    case .secret: json.tag("secret")
    case .small: json.tag("small")
    case .colored(let color): json.sum("colored", "color", color)
    case .uri: json.tag("uri")
    case .hyperLink(let showText, let linkUri):
      json.sum("hyperLink", "showText", showText, "linkUri", linkUri)
    case .simplexLink(let showText, let linkType, let simplexUri, let smpHosts):
      json.sum(
        "simplexLink", "showText", showText, "linkType", linkType, "simplexUri", simplexUri, "smpHosts", smpHosts)
    case .simplexName(let nameInfo): json.sum("simplexName", "nameInfo", nameInfo)
    case .command(let commandStr): json.sum("command", "commandStr", commandStr)
    case .mention(let memberName): json.sum("mention", "memberName", memberName)
    case .email: json.tag("email")
    case .phone: json.tag("phone")
    case .unknown(let original): json.sum("unknown", "json", original)
    }
  }
}
