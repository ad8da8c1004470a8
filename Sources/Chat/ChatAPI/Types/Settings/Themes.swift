import SimplexJSON

/// Changes of the light and the dark theme.
public struct ThemeModeOverrides: JSONCodable, Hashable, Sendable {
  /// Changes of the light theme.
  public var light: ThemeModeOverride?
  /// Changes of the dark theme.
  public var dark: ThemeModeOverride?
}

/// Changes of a theme.
public struct ThemeModeOverride: JSONCodable, Hashable, Sendable {
  /// Whether it is the light or the dark theme.
  public var mode: DefaultThemeMode
  /// The wallpaper.
  public var wallpaper: ThemeWallpaper?
  /// Colours that differ from the base.
  public var colors: ThemeColors
}

/// A theme the user made.
public struct ThemeOverrides: JSONCodable, Hashable, Sendable {
  /// Id of the theme.
  public var themeId: String
  /// The theme of all values that are not set here.
  public var base: DefaultTheme
  /// The wallpaper.
  public var wallpaper: ThemeWallpaper?
  /// Colours that differ from the base.
  public var colors: ThemeColors
}

/// A wallpaper.
public struct ThemeWallpaper: JSONCodable, Hashable, Sendable {
  /// Name of a wallpaper that came with the app.
  public var preset: String?
  /// Name of the wallpaper's file.
  public var imageFile: String?
  /// Background colour.
  public var background: String?
  /// Colour laid over the wallpaper.
  public var tint: String?
  /// How the wallpaper fills the screen.
  public var scaleType: WallpaperScaleType?
  /// Scale of the wallpaper.
  public var scale: Double?
}

/// How a wallpaper fills the screen.
public enum WallpaperScaleType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case fill
  case fit
  case `repeat`
}

/// Light or dark.
public enum DefaultThemeMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case light
  case dark
}
