import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SimplexJSON

/// What the app is doing, for its extensions.
public enum AppActivity: String, CaseIterable, Hashable, Sendable, PreferenceConvertible {
  case active, activating, bgRefresh, suspending, suspended, stopped

  /// Whether the core runs.
  public var running: Bool { self == .active || self == .activating || self == .bgRefresh }
  /// Whether an extension may run the core.
  public var inactive: Bool { self == .suspending || self == .suspended }
  /// Whether the core can be suspended.
  public var canSuspend: Bool { running }
}

/// Where the database is.
public enum DBContainer: String, CaseIterable, Hashable, Sendable, PreferenceConvertible {
  case documents, group
}

extension TransportSessionMode: PreferenceConvertible {}
extension SMPProxyMode: PreferenceConvertible {}
extension SMPProxyFallback: PreferenceConvertible {}
extension SMPWebPortServers: PreferenceConvertible {}

/// Settings that extensions share with the app, with the names that other versions of the app keep them under.
public enum GroupDefaults {
  /// What the app is doing.
  public static let GROUP_DEFAULT_APP_STATE = PreferenceKey<AppActivity>("appState", .active)
  /// What the notification extension is doing.
  public static let GROUP_DEFAULT_NSE_STATE = PreferenceKey<String?>("nseState", nil)
  /// What the share extension is doing.
  public static let GROUP_DEFAULT_SE_STATE = PreferenceKey<String?>("seState", nil)
  /// Where the database is.
  public static let GROUP_DEFAULT_DB_CONTAINER = PreferenceKey<DBContainer>("dbContainer", .documents)
  /// When the core was last started.
  public static let GROUP_DEFAULT_CHAT_LAST_START = PreferenceKey<Date?>("chatLastStart", nil)
  /// When it last ran in the background.
  public static let GROUP_DEFAULT_CHAT_LAST_BACKGROUND_RUN = PreferenceKey<Date?>("chatLastBackgroundRun", nil)
  /// What notifications show.
  public static let GROUP_DEFAULT_NTF_PREVIEW_MODE = PreferenceKey<NotificationPreviewMode>("ntfPreviewMode", .message)
  /// Whether the app is locked.
  public static let GROUP_DEFAULT_APP_LOCAL_AUTH_ENABLED = PreferenceKey<Bool>("appLocalAuthEnabled", true)
  /// Whether other apps can share into chats.
  public static let GROUP_DEFAULT_ALLOW_SHARE_EXTENSION = PreferenceKey<Bool>("allowShareExtension", false)
  /// Whether previews of links are sent.
  public static let GROUP_DEFAULT_PRIVACY_LINK_PREVIEWS = PreferenceKey<Bool>("privacyLinkPreviews", true)
  /// Whether to explain previews of links.
  public static let GROUP_DEFAULT_PRIVACY_LINK_PREVIEWS_SHOW_ALERT = PreferenceKey<Bool>(
    "privacyLinkPreviewsShowAlert", true)
  /// Whether tracking parameters are removed from links.
  public static let GROUP_DEFAULT_PRIVACY_SANITIZE_LINKS = PreferenceKey<Bool>("privacySanitizeLinks", false)
  /// Whether images are received automatically.
  public static let GROUP_DEFAULT_PRIVACY_ACCEPT_IMAGES = PreferenceKey<Bool>("privacyAcceptImages", true)
  /// Whether local files are encrypted.
  public static let GROUP_DEFAULT_PRIVACY_ENCRYPT_LOCAL_FILES = PreferenceKey<Bool>("privacyEncryptLocalFiles", true)
  /// Whether to ask before using unknown file servers.
  public static let GROUP_DEFAULT_PRIVACY_ASK_TO_APPROVE_RELAYS = PreferenceKey<Bool>("privacyAskToApproveRelays", true)
  /// The corner radius of profile images, in percent.
  public static let GROUP_DEFAULT_PROFILE_IMAGE_CORNER_RADIUS = PreferenceKey<Double>("profileImageCornerRadius", 22.5)
  /// The badge of the app icon.
  public static let GROUP_DEFAULT_NTF_BADGE_COUNT = PreferenceKey<Int>("ntgBadgeCount", 0)
  /// Address of the SOCKS proxy.
  public static let GROUP_DEFAULT_NETWORK_SOCKS_PROXY = PreferenceKey<String?>("networkSocksProxy", nil)
  /// Whether onion hosts are used.
  public static let GROUP_DEFAULT_NETWORK_USE_ONION_HOSTS = PreferenceKey<String>("networkUseOnionHosts", "no")
  /// Which commands share a connection to a server.
  public static let GROUP_DEFAULT_NETWORK_SESSION_MODE = PreferenceKey<TransportSessionMode>(
    "networkSessionMode", .session)
  /// When relays are reached through others.
  public static let GROUP_DEFAULT_NETWORK_SMP_PROXY_MODE = PreferenceKey<SMPProxyMode>("networkSMPProxyMode", .unknown)
  /// When a relay may be reached directly instead.
  public static let GROUP_DEFAULT_NETWORK_SMP_PROXY_FALLBACK = PreferenceKey<SMPProxyFallback>(
    "networkSMPProxyFallback", .allowProtected)
  /// Which servers are reached on port 443.
  public static let GROUP_DEFAULT_NETWORK_SMP_WEB_PORT_SERVERS = PreferenceKey<SMPWebPortServers>(
    "networkSMPWebPortServers", .preset)
  /// Timeout of connecting in the background, in microseconds.
  public static let GROUP_DEFAULT_NETWORK_TCP_CONNECT_TIMEOUT_BACKGROUND = PreferenceKey<Int>(
    "networkTCPConnectTimeoutBackground", 45_000_000)
  /// Timeout of connecting while somebody waits, in microseconds.
  public static let GROUP_DEFAULT_NETWORK_TCP_CONNECT_TIMEOUT_INTERACTIVE = PreferenceKey<Int>(
    "networkTCPConnectTimeoutInteractive", 15_000_000)
  /// Timeout of a response in the background, in microseconds. Its name in the store is historical.
  public static let GROUP_DEFAULT_NETWORK_TCP_TIMEOUT_BACKGROUND = PreferenceKey<Int>(
    "networkTCPTimeoutInteractive", 30_000_000)
  /// Timeout of a response while somebody waits, in microseconds. Its name in the store is historical.
  public static let GROUP_DEFAULT_NETWORK_TCP_TIMEOUT_INTERACTIVE = PreferenceKey<Int>(
    "networkTCPTimeoutBackground", 10_000_000)
  /// Further time per kilobyte, in microseconds.
  public static let GROUP_DEFAULT_NETWORK_TCP_TIMEOUT_PER_KB = PreferenceKey<Int>("networkTCPTimeoutPerKb", 10_000)
  /// How many messages are processed at a time.
  public static let GROUP_DEFAULT_NETWORK_RCV_CONCURRENCY = PreferenceKey<Int>("networkRcvConcurrency", 12)
  /// Time between pings, in microseconds.
  public static let GROUP_DEFAULT_NETWORK_SMP_PING_INTERVAL = PreferenceKey<Int>(
    "networkSMPPingInterval", 1_200_000_000)
  /// Lost pings before a connection is closed.
  public static let GROUP_DEFAULT_NETWORK_SMP_PING_COUNT = PreferenceKey<Int>("networkSMPPingCount", 3)
  /// Whether TCP keeps connections alive.
  public static let GROUP_DEFAULT_NETWORK_ENABLE_KEEP_ALIVE = PreferenceKey<Bool>("networkEnableKeepAlive", true)
  /// Idle seconds until the first probe.
  public static let GROUP_DEFAULT_NETWORK_TCP_KEEP_IDLE = PreferenceKey<Int>("networkTCPKeepIdle", 30)
  /// Seconds between probes.
  public static let GROUP_DEFAULT_NETWORK_TCP_KEEP_INTVL = PreferenceKey<Int>("networkTCPKeepIntvl", 15)
  /// Number of probes.
  public static let GROUP_DEFAULT_NETWORK_TCP_KEEP_CNT = PreferenceKey<Int>("networkTCPKeepCnt", 4)
  /// Whether new connections use a random profile.
  public static let GROUP_DEFAULT_INCOGNITO = PreferenceKey<Bool>("incognito", false)
  /// Whether the passphrase of the database is kept in the keychain.
  public static let GROUP_DEFAULT_STORE_DB_PASSPHRASE = PreferenceKey<Bool>("storeDBPassphrase", true)
  /// Whether the passphrase was made by the app.
  public static let GROUP_DEFAULT_INITIAL_RANDOM_DB_PASSPHRASE = PreferenceKey<Bool>("initialRandomDBPassphrase", false)
  /// Whether to ask before a database upgrade.
  public static let GROUP_DEFAULT_CONFIRM_DB_UPGRADES = PreferenceKey<Bool>("confirmDBUpgrades", false)
  /// Whether the system's call screen is used.
  public static let GROUP_DEFAULT_CALL_KIT_ENABLED = PreferenceKey<Bool>("callKitEnabled", true)
  /// Whether the layout is for one-handed use.
  public static let GROUP_DEFAULT_ONE_HAND_UI = PreferenceKey<Bool>("oneHandUI", true)
  /// Whether the bars are at the bottom.
  public static let GROUP_DEFAULT_CHAT_BOTTOM_BAR = PreferenceKey<Bool>("chatBottomBar", true)
}

// The names of the specification.

/// What the app is doing.
public let appStateGroupDefault = GroupDefaults.GROUP_DEFAULT_APP_STATE
/// Where the database is.
public let dbContainerGroupDefault = GroupDefaults.GROUP_DEFAULT_DB_CONTAINER
/// What notifications show.
public let ntfPreviewModeGroupDefault = GroupDefaults.GROUP_DEFAULT_NTF_PREVIEW_MODE
/// Whether the passphrase of the database is kept.
public let storeDBPassphraseGroupDefault = GroupDefaults.GROUP_DEFAULT_STORE_DB_PASSPHRASE
/// Whether the system's call screen is used.
public let callKitEnabledGroupDefault = GroupDefaults.GROUP_DEFAULT_CALL_KIT_ENABLED
/// The onboarding stage; a setting of the app alone.
public let onboardingStageDefault = AppDefaults.DEFAULT_ONBOARDING_STAGE
/// Name of the theme; a setting of the app alone.
public let currentThemeDefault = AppDefaults.DEFAULT_CURRENT_THEME
/// Name of the dark theme; a setting of the app alone.
public let systemDarkThemeDefault = AppDefaults.DEFAULT_SYSTEM_DARK_THEME
/// Themes that the user made; a setting of the app alone.
public let themeOverridesDefault = AppDefaults.DEFAULT_THEME_OVERRIDES
/// The chosen theme per base theme; a setting of the app alone.
public let currentThemeIdsDefault = AppDefaults.DEFAULT_CURRENT_THEME_IDS
