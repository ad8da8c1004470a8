import SimplexJSON

/// Colours of a theme; absent ones come from the base.
public struct ThemeColors: JSONCodable, Hashable, Sendable {
  /// Accent colour, `#rrggbb` or `#aarrggbb`.
  public var primary: String?  // json: accent
  /// Variant of the accent colour.
  public var primaryVariant: String?  // json: accentVariant
  /// Secondary colour.
  public var secondary: String?
  /// Variant of the secondary colour.
  public var secondaryVariant: String?
  /// Background colour.
  public var background: String?
  /// Colour of menus.
  public var surface: String?  // json: menus
  /// Colour of titles.
  public var title: String?
  /// Second variant of the accent colour.
  public var primaryVariant2: String?  // json: accentVariant2
  /// Background of sent messages.
  public var sentMessage: String?
  /// Background of quotes in sent messages.
  public var sentQuote: String?  // json: sentReply
  /// Background of received messages.
  public var receivedMessage: String?
  /// Background of quotes in received messages.
  public var receivedQuote: String?  // json: receivedReply
}
