import SimplexJSON

/// Platforms of the app.
public enum AppPlatform: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case iOS
  case android
  case desktop
}

/// How messages are fetched in the background.
public enum AppSettingsNotificationMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case off
  case periodic
  case instant
}

/// What notifications show.
public enum NotificationPreviewMode: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case hidden
  case contact
  case message
}

/// What calls do on the lock screen.
public enum AppSettingsLockScreenCalls: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case disable
  case show
  case accept
}

/// Folders of the app.
public struct AppFilePathsConfig: JSONCodable, Hashable, Sendable {
  /// Folder of sent and received files.
  public var appFilesFolder: String
  /// Folder of unfinished files.
  public var appTempFolder: String
  /// Folder of wallpapers and other assets.
  public var appAssetsFolder: String
  /// Folder of files of remote hosts.
  public var appRemoteHostsFolder: String?
}
