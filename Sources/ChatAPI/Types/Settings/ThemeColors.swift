import SimplexJSON

/// Colours of a theme; absent ones come from the base.
public struct ThemeColors: JSONCodable, Hashable, Sendable {
  /// Accent colour, `#rrggbb` or `#aarrggbb`.
  public var primary: String?
  /// Variant of the accent colour.
  public var primaryVariant: String?
  /// Secondary colour.
  public var secondary: String?
  /// Variant of the secondary colour.
  public var secondaryVariant: String?
  /// Background colour.
  public var background: String?
  /// Colour of menus.
  public var surface: String?
  /// Colour of titles.
  public var title: String?
  /// Second variant of the accent colour.
  public var primaryVariant2: String?
  /// Background of sent messages.
  public var sentMessage: String?
  /// Background of quotes in sent messages.
  public var sentQuote: String?
  /// Background of received messages.
  public var receivedMessage: String?
  /// Background of quotes in received messages.
  public var receivedQuote: String?

  /// A value of its members.
  public init(
    primary: String? = nil, primaryVariant: String? = nil, secondary: String? = nil, secondaryVariant: String? = nil,
    background: String? = nil, surface: String? = nil, title: String? = nil, primaryVariant2: String? = nil,
    sentMessage: String? = nil, sentQuote: String? = nil, receivedMessage: String? = nil, receivedQuote: String? = nil
  ) {
    self.primary = primary
    self.primaryVariant = primaryVariant
    self.secondary = secondary
    self.secondaryVariant = secondaryVariant
    self.background = background
    self.surface = surface
    self.title = title
    self.primaryVariant2 = primaryVariant2
    self.sentMessage = sentMessage
    self.sentQuote = sentQuote
    self.receivedMessage = receivedMessage
    self.receivedQuote = receivedQuote
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    primary = try fields.get("accent")
    primaryVariant = try fields.get("accentVariant")
    secondary = try fields.get("secondary")
    secondaryVariant = try fields.get("secondaryVariant")
    background = try fields.get("background")
    surface = try fields.get("menus")
    title = try fields.get("title")
    primaryVariant2 = try fields.get("accentVariant2")
    sentMessage = try fields.get("sentMessage")
    sentQuote = try fields.get("sentReply")
    receivedMessage = try fields.get("receivedMessage")
    receivedQuote = try fields.get("receivedReply")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("accent", primary)
    json.field("accentVariant", primaryVariant)
    json.field("secondary", secondary)
    json.field("secondaryVariant", secondaryVariant)
    json.field("background", background)
    json.field("menus", surface)
    json.field("title", title)
    json.field("accentVariant2", primaryVariant2)
    json.field("sentMessage", sentMessage)
    json.field("sentReply", sentQuote)
    json.field("receivedMessage", receivedMessage)
    json.field("receivedReply", receivedQuote)
    json.endObject()
  }
}
