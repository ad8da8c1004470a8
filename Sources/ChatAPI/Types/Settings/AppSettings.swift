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

  /// A value of its members.
  public init(
    appPlatform: AppPlatform? = nil, networkConfig: NetCfg? = nil, networkProxy: NetworkProxy? = nil,
    privacyEncryptLocalFiles: Bool? = nil, privacyAskToApproveRelays: Bool? = nil, privacyAcceptImages: Bool? = nil,
    privacyLinkPreviews: Bool? = nil, privacySanitizeLinks: Bool? = nil, privacyShowChatPreviews: Bool? = nil,
    privacySaveLastDraft: Bool? = nil, privacyProtectScreen: Bool? = nil, privacyMediaBlurRadius: Int? = nil,
    notificationMode: AppSettingsNotificationMode? = nil, notificationPreviewMode: NotificationPreviewMode? = nil,
    webrtcPolicyRelay: Bool? = nil, webrtcICEServers: [String]? = nil, confirmRemoteSessions: Bool? = nil,
    connectRemoteViaMulticast: Bool? = nil, connectRemoteViaMulticastAuto: Bool? = nil, developerTools: Bool? = nil,
    confirmDBUpgrades: Bool? = nil, androidCallOnLockScreen: AppSettingsLockScreenCalls? = nil,
    iosCallKitEnabled: Bool? = nil, iosCallKitCallsInRecents: Bool? = nil, uiProfileImageCornerRadius: Double? = nil,
    uiChatItemRoundness: Double? = nil, uiChatItemTail: Bool? = nil, uiColorScheme: String? = nil,
    uiDarkColorScheme: String? = nil, uiCurrentThemeIds: [String: String]? = nil, uiThemes: [ThemeOverrides]? = nil,
    oneHandUI: Bool? = nil, chatBottomBar: Bool? = nil
  ) {
    self.appPlatform = appPlatform
    self.networkConfig = networkConfig
    self.networkProxy = networkProxy
    self.privacyEncryptLocalFiles = privacyEncryptLocalFiles
    self.privacyAskToApproveRelays = privacyAskToApproveRelays
    self.privacyAcceptImages = privacyAcceptImages
    self.privacyLinkPreviews = privacyLinkPreviews
    self.privacySanitizeLinks = privacySanitizeLinks
    self.privacyShowChatPreviews = privacyShowChatPreviews
    self.privacySaveLastDraft = privacySaveLastDraft
    self.privacyProtectScreen = privacyProtectScreen
    self.privacyMediaBlurRadius = privacyMediaBlurRadius
    self.notificationMode = notificationMode
    self.notificationPreviewMode = notificationPreviewMode
    self.webrtcPolicyRelay = webrtcPolicyRelay
    self.webrtcICEServers = webrtcICEServers
    self.confirmRemoteSessions = confirmRemoteSessions
    self.connectRemoteViaMulticast = connectRemoteViaMulticast
    self.connectRemoteViaMulticastAuto = connectRemoteViaMulticastAuto
    self.developerTools = developerTools
    self.confirmDBUpgrades = confirmDBUpgrades
    self.androidCallOnLockScreen = androidCallOnLockScreen
    self.iosCallKitEnabled = iosCallKitEnabled
    self.iosCallKitCallsInRecents = iosCallKitCallsInRecents
    self.uiProfileImageCornerRadius = uiProfileImageCornerRadius
    self.uiChatItemRoundness = uiChatItemRoundness
    self.uiChatItemTail = uiChatItemTail
    self.uiColorScheme = uiColorScheme
    self.uiDarkColorScheme = uiDarkColorScheme
    self.uiCurrentThemeIds = uiCurrentThemeIds
    self.uiThemes = uiThemes
    self.oneHandUI = oneHandUI
    self.chatBottomBar = chatBottomBar
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    appPlatform = try fields.get("appPlatform")
    networkConfig = try fields.get("networkConfig")
    networkProxy = try fields.get("networkProxy")
    privacyEncryptLocalFiles = try fields.get("privacyEncryptLocalFiles")
    privacyAskToApproveRelays = try fields.get("privacyAskToApproveRelays")
    privacyAcceptImages = try fields.get("privacyAcceptImages")
    privacyLinkPreviews = try fields.get("privacyLinkPreviews")
    privacySanitizeLinks = try fields.get("privacySanitizeLinks")
    privacyShowChatPreviews = try fields.get("privacyShowChatPreviews")
    privacySaveLastDraft = try fields.get("privacySaveLastDraft")
    privacyProtectScreen = try fields.get("privacyProtectScreen")
    privacyMediaBlurRadius = try fields.get("privacyMediaBlurRadius")
    notificationMode = try fields.get("notificationMode")
    notificationPreviewMode = try fields.get("notificationPreviewMode")
    webrtcPolicyRelay = try fields.get("webrtcPolicyRelay")
    webrtcICEServers = try fields.get("webrtcICEServers")
    confirmRemoteSessions = try fields.get("confirmRemoteSessions")
    connectRemoteViaMulticast = try fields.get("connectRemoteViaMulticast")
    connectRemoteViaMulticastAuto = try fields.get("connectRemoteViaMulticastAuto")
    developerTools = try fields.get("developerTools")
    confirmDBUpgrades = try fields.get("confirmDBUpgrades")
    androidCallOnLockScreen = try fields.get("androidCallOnLockScreen")
    iosCallKitEnabled = try fields.get("iosCallKitEnabled")
    iosCallKitCallsInRecents = try fields.get("iosCallKitCallsInRecents")
    uiProfileImageCornerRadius = try fields.get("uiProfileImageCornerRadius")
    uiChatItemRoundness = try fields.get("uiChatItemRoundness")
    uiChatItemTail = try fields.get("uiChatItemTail")
    uiColorScheme = try fields.get("uiColorScheme")
    uiDarkColorScheme = try fields.get("uiDarkColorScheme")
    uiCurrentThemeIds = try fields.get("uiCurrentThemeIds")
    uiThemes = try fields.get("uiThemes")
    oneHandUI = try fields.get("oneHandUI")
    chatBottomBar = try fields.get("chatBottomBar")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("appPlatform", appPlatform)
    json.field("networkConfig", networkConfig)
    json.field("networkProxy", networkProxy)
    json.field("privacyEncryptLocalFiles", privacyEncryptLocalFiles)
    json.field("privacyAskToApproveRelays", privacyAskToApproveRelays)
    json.field("privacyAcceptImages", privacyAcceptImages)
    json.field("privacyLinkPreviews", privacyLinkPreviews)
    json.field("privacySanitizeLinks", privacySanitizeLinks)
    json.field("privacyShowChatPreviews", privacyShowChatPreviews)
    json.field("privacySaveLastDraft", privacySaveLastDraft)
    json.field("privacyProtectScreen", privacyProtectScreen)
    json.field("privacyMediaBlurRadius", privacyMediaBlurRadius)
    json.field("notificationMode", notificationMode)
    json.field("notificationPreviewMode", notificationPreviewMode)
    json.field("webrtcPolicyRelay", webrtcPolicyRelay)
    json.field("webrtcICEServers", webrtcICEServers)
    json.field("confirmRemoteSessions", confirmRemoteSessions)
    json.field("connectRemoteViaMulticast", connectRemoteViaMulticast)
    json.field("connectRemoteViaMulticastAuto", connectRemoteViaMulticastAuto)
    json.field("developerTools", developerTools)
    json.field("confirmDBUpgrades", confirmDBUpgrades)
    json.field("androidCallOnLockScreen", androidCallOnLockScreen)
    json.field("iosCallKitEnabled", iosCallKitEnabled)
    json.field("iosCallKitCallsInRecents", iosCallKitCallsInRecents)
    json.field("uiProfileImageCornerRadius", uiProfileImageCornerRadius)
    json.field("uiChatItemRoundness", uiChatItemRoundness)
    json.field("uiChatItemTail", uiChatItemTail)
    json.field("uiColorScheme", uiColorScheme)
    json.field("uiDarkColorScheme", uiDarkColorScheme)
    json.field("uiCurrentThemeIds", uiCurrentThemeIds)
    json.field("uiThemes", uiThemes)
    json.field("oneHandUI", oneHandUI)
    json.field("chatBottomBar", chatBottomBar)
    json.endObject()
  }
}
