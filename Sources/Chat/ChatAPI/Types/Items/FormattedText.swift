import SimplexJSON

/// A piece of message text and how to show it.
public struct FormattedText: JSONCodable, Hashable, Sendable {
  /// How to show it; nil for plain text.
  public var format: Format?
  /// The text without the marks that format it.
  public var text: String

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

/// The pieces of a text; none if it is all plain.
public struct ParsedMarkdown: JSONCodable, Hashable, Sendable {
  /// The pieces.
  public var formattedText: [FormattedText]?
}

/// The colours that markdown can name.
public enum FormatColor: String, JSONCodable, CaseIterable, Hashable, Sendable {
  case red, green, blue, yellow, cyan, magenta, black, white
}

/// What a SimpleX link leads to.
public enum SimplexLinkType: String, JSONCodable, CaseIterable, Hashable, Sendable {
  case contact, invitation, group, channel, relay
}
