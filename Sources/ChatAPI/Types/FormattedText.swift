/// A piece of message text and how to show it.
public struct FormattedText: Hashable, Sendable {
  /// The text without the marks that format it.
  public var text: String
  /// How to show it; nil for plain text.
  public var format: Format?

  /// A piece of text.
  public init(text: String, format: Format? = nil) {
    self.text = text
    self.format = format
  }

  /// The whole text as one plain piece; no pieces for empty text.
  public static func plain(_ text: String) -> [FormattedText] {
    text.isEmpty ? [] : [FormattedText(text: text)]
  }

  /// Whether the text is hidden until it is revealed.
  public var isSecret: Bool { format == .secret }

  /// The web address that the piece leads to, if it is one.
  public var linkUri: String? {
    switch format {
    case .uri: text
    case .hyperLink(_, let linkUri): linkUri
    default: nil
    }
  }
}

/// How a piece of message text is shown.
public enum Format: Hashable, Sendable {
  /// `*bold*`
  case bold
  /// `_italic_`
  case italic
  /// `~struck through~`
  case strikeThrough
  /// `` `code` ``
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
  /// `/command`, to be sent to a bot.
  case command(commandStr: String)
  /// `@member`
  case mention(memberName: String)
  /// An e-mail address.
  case email
  /// A telephone number.
  case phone
  /// A format that this version does not know, or that carries no link it could show.
  case unknown

  /// Whether it is a SimpleX address or invitation.
  public var isSimplexLink: Bool {
    if case .simplexLink = self { true } else { false }
  }
}

/// The colours that markdown can name.
public enum FormatColor: String, CaseIterable, Hashable, Sendable {
  case red, green, blue, yellow, cyan, magenta, black, white
}

/// What a SimpleX link leads to.
public enum SimplexLinkType: String, CaseIterable, Hashable, Sendable {
  case contact, invitation, group, channel, relay
}
