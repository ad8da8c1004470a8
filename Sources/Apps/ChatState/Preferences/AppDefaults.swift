import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SimplexJSON

/// The method that unlocks the app.
public enum LAMode: String, CaseIterable, Hashable, Sendable, PreferenceConvertible {
  case system, passcode
}

/// How links of the network are shown in messages.
public enum SimpleXLinkMode: String, CaseIterable, Hashable, Sendable, PreferenceConvertible {
  case description, full, browser
}

/// How links were last entered.
public enum ConnectViaLinkTab: String, CaseIterable, Hashable, Sendable, PreferenceConvertible {
  case scan, paste
}

/// Settings of the app alone, with the names that other versions of the app keep them under.
public enum AppDefaults {
  /// Whether to offer locking the app.
  public static let DEFAULT_SHOW_LA_NOTICE = PreferenceKey<Bool>("showLocalAuthenticationNotice", false)
  /// Whether locking was offered.
  public static let DEFAULT_LA_NOTICE_SHOWN = PreferenceKey<Bool>("localAuthenticationNoticeShown", false)
  /// Whether the app is locked. Extensions read the group's copy.
  public static let DEFAULT_PERFORM_LA = PreferenceKey<Bool>("performLocalAuthentication", false)
  /// The method that unlocks the app.
  public static let DEFAULT_LA_MODE = PreferenceKey<LAMode>("localAuthenticationMode", .system)
  /// Seconds in the background until the app locks.
  public static let DEFAULT_LA_LOCK_DELAY = PreferenceKey<Int>("localAuthenticationLockDelay", 30)
  /// Whether there is a password that destroys all data.
  public static let DEFAULT_LA_SELF_DESTRUCT = PreferenceKey<Bool>("localAuthenticationSelfDestruct", false)
  /// Name of the profile made after that.
  public static let DEFAULT_LA_SELF_DESTRUCT_DISPLAY_NAME = PreferenceKey<String?>(
    "localAuthenticationSelfDestructDisplayName", nil)
  /// Whether permission to notify was asked for.
  public static let DEFAULT_NOTIFICATION_ALERT_SHOWN = PreferenceKey<Bool>("notificationAlertShown", false)
  /// Whether calls go through relays only.
  public static let DEFAULT_WEBRTC_POLICY_RELAY = PreferenceKey<Bool>("webrtcPolicyRelay", true)
  /// ICE servers for calls.
  public static let DEFAULT_WEBRTC_ICE_SERVERS = PreferenceKey<[String]?>("webrtcICEServers", nil)
  /// Whether calls are shown in the system's recents.
  public static let DEFAULT_CALL_KIT_CALLS_IN_RECENTS = PreferenceKey<Bool>("callKitCallsInRecents", false)
  /// Whether images are received automatically. Extensions read the group's copy.
  public static let DEFAULT_PRIVACY_ACCEPT_IMAGES = PreferenceKey<Bool>("privacyAcceptImages", true)
  /// Whether previews of links are sent. Extensions read the group's copy.
  public static let DEFAULT_PRIVACY_LINK_PREVIEWS = PreferenceKey<Bool>("privacyLinkPreviews", true)
  /// How links of the network are shown.
  public static let DEFAULT_PRIVACY_SIMPLEX_LINK_MODE = PreferenceKey<SimpleXLinkMode>(
    "privacySimplexLinkMode", .description)
  /// Whether the list shows messages.
  public static let DEFAULT_PRIVACY_SHOW_CHAT_PREVIEWS = PreferenceKey<Bool>("privacyShowChatPreviews", true)
  /// Whether the last draft is kept.
  public static let DEFAULT_PRIVACY_SAVE_LAST_DRAFT = PreferenceKey<Bool>("privacySaveLastDraft", true)
  /// Whether the screen is hidden in the app switcher.
  public static let DEFAULT_PRIVACY_PROTECT_SCREEN = PreferenceKey<Bool>("privacyProtectScreen", false)
  /// Whether the user chose whether to send receipts.
  public static let DEFAULT_PRIVACY_DELIVERY_RECEIPTS_SET = PreferenceKey<Bool>("privacyDeliveryReceiptsSet", false)
  /// How much media is blurred.
  public static let DEFAULT_PRIVACY_MEDIA_BLUR_RADIUS = PreferenceKey<Int>("privacyMediaBlurRadius", 0)
  /// No longer used.
  public static let DEFAULT_EXPERIMENTAL_CALLS = PreferenceKey<Bool>("experimentalCalls", false)
  /// Name of the last archive.
  public static let DEFAULT_CHAT_ARCHIVE_NAME = PreferenceKey<String?>("chatArchiveName", nil)
  /// The time of the last archive.
  public static let DEFAULT_CHAT_ARCHIVE_TIME = PreferenceKey<Date?>("chatArchiveTime", nil)
  /// The state of the migration of an old database.
  public static let DEFAULT_CHAT_V3_DB_MIGRATION = PreferenceKey<V3DBMigrationState>("chatV3DBMigration", .ready)
  /// Whether settings in the database are to be taken at the next start.
  public static let DEFAULT_SHOULD_IMPORT_APP_SETTINGS = PreferenceKey<Bool>("shouldImportAppSettings", false)
  /// Whether developer tools are shown.
  public static let DEFAULT_DEVELOPER_TOOLS = PreferenceKey<Bool>("developerTools", false)
  /// Whether encrypting the database has begun and not ended.
  public static let DEFAULT_ENCRYPTION_STARTED = PreferenceKey<Bool>("encryptionStarted", false)
  /// When it began.
  public static let DEFAULT_ENCRYPTION_STARTED_AT = PreferenceKey<Date?>("encryptionStartedAt", nil)
  /// The corner radius of profile images, in percent.
  public static let DEFAULT_PROFILE_IMAGE_CORNER_RADIUS = PreferenceKey<Double>("profileImageCornerRadius", 22.5)
  /// The corner radius of messages, 0 to 1.
  public static let DEFAULT_CHAT_ITEM_ROUNDNESS = PreferenceKey<Double>("chatItemRoundness", 0.75)
  /// Whether messages have a tail.
  public static let DEFAULT_CHAT_ITEM_TAIL = PreferenceKey<Bool>("chatItemTail", true)
  /// Whether the layout for one-handed use was offered.
  public static let DEFAULT_ONE_HAND_UI_CARD_SHOWN = PreferenceKey<Bool>("oneHandUICardShown", false)
  /// Whether an address was offered.
  public static let DEFAULT_ADDRESS_CREATION_CARD_SHOWN = PreferenceKey<Bool>("addressCreationCardShown", false)
  /// The transparency of bars.
  public static let DEFAULT_TOOLBAR_MATERIAL = PreferenceKey<String>("toolbarMaterial", "ultraThin")
  /// How links were last entered.
  public static let DEFAULT_CONNECT_VIA_LINK_TAB = PreferenceKey<ConnectViaLinkTab>("connectViaLinkTab", .scan)
  /// Whether live messages were explained.
  public static let DEFAULT_LIVE_MESSAGE_ALERT_SHOWN = PreferenceKey<Bool>("liveMessageAlertShown", false)
  /// Whether to explain hidden profiles.
  public static let DEFAULT_SHOW_HIDDEN_PROFILES_NOTICE = PreferenceKey<Bool>("showHiddenProfilesNotice", true)
  /// Whether to explain muted profiles.
  public static let DEFAULT_SHOW_MUTE_PROFILE_ALERT = PreferenceKey<Bool>("showMuteProfileAlert", true)
  /// Whether to explain where reports are.
  public static let DEFAULT_SHOW_REPORTS_IN_SUPPORT_CHAT_ALERT = PreferenceKey<Bool>(
    "showReportsInSupportChatAlert", true)
  /// The version whose news were shown.
  public static let DEFAULT_WHATS_NEW_VERSION = PreferenceKey<String?>("defaultWhatsNewVersion", nil)
  /// The onboarding stage.
  public static let DEFAULT_ONBOARDING_STAGE = PreferenceKey<OnboardingStage>("onboardingStage", .onboardingComplete)
  /// The state of the migration to this device.
  public static let DEFAULT_MIGRATION_TO_STAGE = PreferenceKey<String?>("migrationToStage", nil)
  /// The state of the migration from this device.
  public static let DEFAULT_MIGRATION_FROM_STAGE = PreferenceKey<String?>("migrationFromStage", nil)
  /// Seconds last chosen for disappearing messages.
  public static let DEFAULT_CUSTOM_DISAPPEARING_MESSAGE_TIME = PreferenceKey<Int>("customDisappearingMessageTime", 300)
  /// Whether the list shows unread and favourite chats only.
  public static let DEFAULT_SHOW_UNREAD_AND_FAVORITES = PreferenceKey<Bool>("showUnreadAndFavorites", false)
  /// Name of this device for desktops.
  public static let DEFAULT_DEVICE_NAME_FOR_REMOTE_ACCESS = PreferenceKey<String?>("deviceNameForRemoteAccess", nil)
  /// Whether to ask before a session with a desktop.
  public static let DEFAULT_CONFIRM_REMOTE_SESSIONS = PreferenceKey<Bool>("confirmRemoteSessions", false)
  /// Whether to search for desktops in the local network.
  public static let DEFAULT_CONNECT_REMOTE_VIA_MULTICAST = PreferenceKey<Bool>("connectRemoteViaMulticast", true)
  /// Whether to connect to one that was found.
  public static let DEFAULT_CONNECT_REMOTE_VIA_MULTICAST_AUTO = PreferenceKey<Bool>(
    "connectRemoteViaMulticastAuto", true)
  /// Whether to explain deleting a conversation.
  public static let DEFAULT_SHOW_DELETE_CONVERSATION_NOTICE = PreferenceKey<Bool>("showDeleteConversationNotice", true)
  /// Whether to explain deleting a contact.
  public static let DEFAULT_SHOW_DELETE_CONTACT_NOTICE = PreferenceKey<Bool>("showDeleteContactNotice", true)
  /// Whether messages sent through another relay are marked.
  public static let DEFAULT_SHOW_SENT_VIA_RPOXY = PreferenceKey<Bool>("showSentViaProxy", false)
  /// Whether the share of live connections is shown.
  public static let DEFAULT_SHOW_SUBSCRIPTION_PERCENTAGE = PreferenceKey<Bool>("showSubscriptionPercentage", false)
  /// Name of the theme.
  public static let DEFAULT_CURRENT_THEME = PreferenceKey<String>("currentTheme", "SYSTEM")
  /// Name of the theme used when the system is dark.
  public static let DEFAULT_SYSTEM_DARK_THEME = PreferenceKey<String>("systemDarkTheme", "DARK")
  /// The chosen theme per base theme.
  public static let DEFAULT_CURRENT_THEME_IDS = PreferenceKey<JSONPreference<[String: String]>>(
    "currentThemeIds", JSONPreference([:]))
  /// Themes that the user made.
  public static let DEFAULT_THEME_OVERRIDES = PreferenceKey<JSONPreference<[ThemeOverrides]>>(
    "themeOverrides", JSONPreference([]))
  /// The SOCKS proxy.
  public static let DEFAULT_NETWORK_PROXY = PreferenceKey<JSONPreference<NetworkProxy>?>("networkProxy", nil)
  /// What calls do on the lock screen of Android; kept for settings that move between devices.
  public static let ANDROID_DEFAULT_CALL_ON_LOCK_SCREEN = PreferenceKey<AppSettingsLockScreenCalls>(
    "androidCallOnLockScreen", .show)
}
