import SimplexJSON

/// Settings of the app, kept by the core for migration to another device.
public struct AppSettings: JSONCodable, Hashable, Sendable {
  /// The platform the settings were saved on.
  public var appPlatform: AppPlatform?
  /// Network settings.
  public var networkConfig: NetCfg?
  /// SOCKS proxy.
  public var networkProxy: NetworkProxy?
  /// Whether local files are encrypted.
  public var privacyEncryptLocalFiles: Bool?
  /// Whether to ask before using unknown file servers.
  public var privacyAskToApproveRelays: Bool?
  /// Whether images are received automatically.
  public var privacyAcceptImages: Bool?
  /// Whether previews of links are sent.
  public var privacyLinkPreviews: Bool?
  /// Whether tracking parameters are removed from links.
  public var privacySanitizeLinks: Bool?
  /// Whether the list shows messages.
  public var privacyShowChatPreviews: Bool?
  /// Whether the last draft is kept.
  public var privacySaveLastDraft: Bool?
  /// Whether the screen is hidden in the app switcher.
  public var privacyProtectScreen: Bool?
  /// How much media is blurred.
  public var privacyMediaBlurRadius: Int?
  /// How messages are fetched in the background.
  public var notificationMode: AppSettingsNotificationMode?
  /// What notifications show.
  public var notificationPreviewMode: NotificationPreviewMode?
  /// Whether calls go through relays only.
  public var webrtcPolicyRelay: Bool?
  /// ICE servers for calls.
  public var webrtcICEServers: [String]?
  /// Whether to ask before a remote session.
  public var confirmRemoteSessions: Bool?
  /// Whether to search for desktops in the local network.
  public var connectRemoteViaMulticast: Bool?
  /// Whether to connect to a desktop found in the local network.
  public var connectRemoteViaMulticastAuto: Bool?
  /// Whether developer tools are shown.
  public var developerTools: Bool?
  /// Whether to ask before a database upgrade.
  public var confirmDBUpgrades: Bool?
  /// What calls do on the lock screen of Android.
  public var androidCallOnLockScreen: AppSettingsLockScreenCalls?
  /// Whether the call screen of iOS is used.
  public var iosCallKitEnabled: Bool?
  /// Whether calls are shown in the recents of iOS.
  public var iosCallKitCallsInRecents: Bool?
  /// How round profile images are, in percent.
  public var uiProfileImageCornerRadius: Double?
  /// How round messages are, 0 to 1.
  public var uiChatItemRoundness: Double?
  /// Whether messages have a tail.
  public var uiChatItemTail: Bool?
  /// `SYSTEM` or the name of a theme.
  public var uiColorScheme: String?
  /// The theme used when the system is dark.
  public var uiDarkColorScheme: String?
  /// The chosen theme per base theme.
  public var uiCurrentThemeIds: [String: String]?
  /// Themes the user made.
  public var uiThemes: [ThemeOverrides]?
  /// Whether the bars are within reach of one hand.
  public var oneHandUI: Bool?
  /// Whether the bars are at the bottom.
  public var chatBottomBar: Bool?
}
