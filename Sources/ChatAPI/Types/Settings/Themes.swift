import SimplexJSON

/// Changes of the light and the dark theme.
public struct ThemeModeOverrides: JSONCodable, Hashable, Sendable {
  /// Changes of the light theme.
  public var light: ThemeModeOverride?
  /// Changes of the dark theme.
  public var dark: ThemeModeOverride?

  /// A value of its members.
  public init(
    light: ThemeModeOverride? = nil, dark: ThemeModeOverride? = nil
  ) {
    self.light = light
    self.dark = dark
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    light = try fields.get("light")
    dark = try fields.get("dark")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("light", light)
    json.field("dark", dark)
    json.endObject()
  }
}

/// Changes of a theme.
public struct ThemeModeOverride: JSONCodable, Hashable, Sendable {
  /// Whether it is the light or the dark theme.
  public var mode: DefaultThemeMode
  /// The wallpaper.
  public var wallpaper: ThemeWallpaper?
  /// Colours that differ from the base.
  public var colors: ThemeColors

  /// A value of its members.
  public init(
    mode: DefaultThemeMode, wallpaper: ThemeWallpaper? = nil, colors: ThemeColors
  ) {
    self.mode = mode
    self.wallpaper = wallpaper
    self.colors = colors
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    mode = try fields.get("mode")
    wallpaper = try fields.get("wallpaper")
    colors = try fields.get("colors")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("mode", mode)
    json.field("wallpaper", wallpaper)
    json.field("colors", colors)
    json.endObject()
  }
}

/// A theme the user made.
public struct ThemeOverrides: JSONCodable, Hashable, Sendable {
  /// Id of the theme.
  public var themeId: String
  /// The theme that gives all values not set here.
  public var base: DefaultTheme
  /// The wallpaper.
  public var wallpaper: ThemeWallpaper?
  /// Colours that differ from the base.
  public var colors: ThemeColors

  /// A value of its members.
  public init(
    themeId: String, base: DefaultTheme, wallpaper: ThemeWallpaper? = nil, colors: ThemeColors
  ) {
    self.themeId = themeId
    self.base = base
    self.wallpaper = wallpaper
    self.colors = colors
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    themeId = try fields.get("themeId")
    base = try fields.get("base")
    wallpaper = try fields.get("wallpaper")
    colors = try fields.get("colors")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("themeId", themeId)
    json.field("base", base)
    json.field("wallpaper", wallpaper)
    json.field("colors", colors)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    preset: String? = nil, imageFile: String? = nil, background: String? = nil, tint: String? = nil,
    scaleType: WallpaperScaleType? = nil, scale: Double? = nil
  ) {
    self.preset = preset
    self.imageFile = imageFile
    self.background = background
    self.tint = tint
    self.scaleType = scaleType
    self.scale = scale
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    preset = try fields.get("preset")
    imageFile = try fields.get("imageFile")
    background = try fields.get("background")
    tint = try fields.get("tint")
    scaleType = try fields.get("scaleType")
    scale = try fields.get("scale")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("preset", preset)
    json.field("imageFile", imageFile)
    json.field("background", background)
    json.field("tint", tint)
    json.field("scaleType", scaleType)
    json.field("scale", scale)
    json.endObject()
  }
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
