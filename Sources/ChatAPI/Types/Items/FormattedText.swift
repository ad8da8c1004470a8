import SimplexJSON

/// A part of a text that is shown in one way.
public struct FormattedText: JSONCodable, Hashable, Sendable {
  /// How the text is shown; absent for plain text.
  public var format: Format?
  /// The text.
  public var text: String

  /// A value of its members.
  public init(
    format: Format? = nil, text: String
  ) {
    self.format = format
    self.text = text
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    format = try fields.get("format")
    text = try fields.get("text")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("format", format)
    json.field("text", text)
    json.endObject()
  }
}

/// Colours of text.
public enum FormatColor: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case red
  case green
  case blue
  case yellow
  case cyan
  case magenta
  case black
  case white
}

/// What a SimpleX link leads to.
public enum SimplexLinkType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case contact
  case invitation
  case group
  case channel
  case relay
}

/// The parts of a text.
public struct ParsedMarkdown: JSONCodable, Hashable, Sendable {
  /// The text in formatted parts; absent if it is all plain.
  public var formattedText: [FormattedText]?

  /// A value of its members.
  public init(
    formattedText: [FormattedText]? = nil
  ) {
    self.formattedText = formattedText
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    formattedText = try fields.get("formattedText")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("formattedText", formattedText)
    json.endObject()
  }
}
