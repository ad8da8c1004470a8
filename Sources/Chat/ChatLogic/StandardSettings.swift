import ChatAPI
import SimplexJSON

extension NetCfg {
  /// The default network configuration.
  public static let standard = NetCfg(
    socksMode: .always, hostMode: .onionViaSocks, requiredHostMode: false, sessionMode: .session, smpProxyMode: .never,
    smpProxyFallback: .allow, smpWebPortServers: .preset,
    tcpConnectTimeout: NetworkTimeout(backgroundTimeout: 45_000_000, interactiveTimeout: 15_000_000),
    tcpTimeout: NetworkTimeout(backgroundTimeout: 30_000_000, interactiveTimeout: 10_000_000), tcpTimeoutPerKb: 5_000,
    rcvConcurrency: 8, tcpKeepAlive: KeepAliveOpts(keepIdle: 30, keepIntvl: 15, keepCnt: 4),
    smpPingInterval: 600_000_000, smpPingCount: 3, logTLSErrors: false)

  /// The configuration changed by typed options.
  public func changed(by options: NetworkOptions) -> NetCfg {
    var config = self
    switch options.socksProxy {
    case "off": config.socksProxy = nil
    case "on": config.socksProxy = ":9050"
    default: config.socksProxy = options.socksProxy
    }
    if let mode = options.socksMode { config.socksMode = mode }
    if let mode = options.hostMode { config.hostMode = mode }
    config.requiredHostMode = options.requiredHostMode
    if let mode = options.smpProxyMode { config.smpProxyMode = mode }
    if let fallback = options.smpProxyFallback { config.smpProxyFallback = fallback }
    if let servers = options.smpWebPortServers { config.smpWebPortServers = servers }
    // A timeout above one day is ignored.
    if let seconds = options.timeout, (1...86_400).contains(seconds) {
      // Background requests have three times the timeout.
      let limit = seconds * 1_000_000
      let connecting = limit * 3 / 2
      config.tcpTimeout = NetworkTimeout(backgroundTimeout: limit * 3, interactiveTimeout: limit)
      config.tcpConnectTimeout = NetworkTimeout(backgroundTimeout: connecting * 3, interactiveTimeout: connecting)
    }
    config.logTLSErrors = options.logTLSErrors
    return config
  }
}

extension AppSettings {
  /// The default settings of an app.
  public static let standard: AppSettings = {
    var settings = AppSettings()
    settings.networkConfig = .standard
    settings.privacyEncryptLocalFiles = true
    settings.privacyAskToApproveRelays = true
    settings.privacyAcceptImages = true
    settings.privacyLinkPreviews = true
    settings.privacySanitizeLinks = false
    settings.privacyShowChatPreviews = true
    settings.privacySaveLastDraft = true
    settings.privacyProtectScreen = false
    settings.privacyMediaBlurRadius = 0
    settings.notificationMode = .instant
    settings.notificationPreviewMode = .message
    settings.webrtcPolicyRelay = true
    settings.webrtcICEServers = []
    settings.confirmRemoteSessions = false
    settings.connectRemoteViaMulticast = true
    settings.connectRemoteViaMulticastAuto = true
    settings.developerTools = false
    settings.confirmDBUpgrades = false
    settings.androidCallOnLockScreen = .show
    settings.iosCallKitEnabled = true
    settings.iosCallKitCallsInRecents = false
    settings.uiProfileImageCornerRadius = 22.5
    settings.uiChatItemRoundness = 0.75
    settings.uiChatItemTail = true
    settings.uiColorScheme = DefaultTheme.SYSTEM_THEME_NAME
    settings.uiDarkColorScheme = "SIMPLEX"
    settings.oneHandUI = true
    settings.chatBottomBar = true
    return settings
  }()

  /// The saved settings, completed by those of the platform and then by the default ones.
  public static func combined(saved: AppSettings?, platform: AppSettings?) -> AppSettings {
    var members: [String: JSONValue] = [:]
    for settings in [standard, platform, saved] {
      guard let settings, let object = try? JSONValue(jsonBytes: settings.jsonBytes()) else { continue }
      for member in object.members ?? [] { members[member.key] = member.value }
    }
    let all = JSONValue.object(members.map { JSONValue.Member($0.key, $0.value) })
    return (try? AppSettings(jsonBytes: all.jsonBytes())) ?? saved ?? platform ?? standard
  }
}
