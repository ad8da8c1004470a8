import SimplexJSON

/// Themes that come with the app.
public enum DefaultTheme: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case LIGHT, DARK, SIMPLEX, BLACK

  /// The name that selects the theme of the system.
  public static let SYSTEM_THEME_NAME = "SYSTEM"

  /// Whether it is a light or a dark theme.
  public var mode: DefaultThemeMode { self == .LIGHT ? .light : .dark }
}
