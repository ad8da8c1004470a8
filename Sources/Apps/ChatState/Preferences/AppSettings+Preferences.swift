import ChatAPI

/// A member of the settings that the core stores, and its preference. One declaration for both directions.
@MainActor
private struct Setting {
  let export: (inout AppSettings, AppPreferences) -> Void
  let take: (AppSettings, AppPreferences) -> Void

  init<Value: PreferenceConvertible>(
    _ member: WritableKeyPath<AppSettings, Value?>, in store: KeyPath<AppPreferences, Preferences>,
    as key: PreferenceKey<Value>
  ) {
    export = { settings, preferences in settings[keyPath: member] = preferences[keyPath: store][key] }
    take = { settings, preferences in
      if let value = settings[keyPath: member] { preferences[keyPath: store][key] = value }
    }
  }
}

extension AppPreferences {
  private static var settings: [Setting] {
    [
      Setting(\.privacyEncryptLocalFiles, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PRIVACY_ENCRYPT_LOCAL_FILES),
      Setting(\.privacyAskToApproveRelays, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PRIVACY_ASK_TO_APPROVE_RELAYS),
      Setting(\.privacyAcceptImages, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PRIVACY_ACCEPT_IMAGES),
      Setting(\.privacyLinkPreviews, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PRIVACY_LINK_PREVIEWS),
      Setting(\.privacySanitizeLinks, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PRIVACY_SANITIZE_LINKS),
      Setting(\.privacyShowChatPreviews, in: \.app, as: AppDefaults.DEFAULT_PRIVACY_SHOW_CHAT_PREVIEWS),
      Setting(\.privacySaveLastDraft, in: \.app, as: AppDefaults.DEFAULT_PRIVACY_SAVE_LAST_DRAFT),
      Setting(\.privacyProtectScreen, in: \.app, as: AppDefaults.DEFAULT_PRIVACY_PROTECT_SCREEN),
      Setting(\.privacyMediaBlurRadius, in: \.app, as: AppDefaults.DEFAULT_PRIVACY_MEDIA_BLUR_RADIUS),
      Setting(\.notificationPreviewMode, in: \.group, as: GroupDefaults.GROUP_DEFAULT_NTF_PREVIEW_MODE),
      Setting(\.webrtcPolicyRelay, in: \.app, as: AppDefaults.DEFAULT_WEBRTC_POLICY_RELAY),
      Setting(\.confirmRemoteSessions, in: \.app, as: AppDefaults.DEFAULT_CONFIRM_REMOTE_SESSIONS),
      Setting(\.connectRemoteViaMulticast, in: \.app, as: AppDefaults.DEFAULT_CONNECT_REMOTE_VIA_MULTICAST),
      Setting(\.connectRemoteViaMulticastAuto, in: \.app, as: AppDefaults.DEFAULT_CONNECT_REMOTE_VIA_MULTICAST_AUTO),
      Setting(\.developerTools, in: \.app, as: AppDefaults.DEFAULT_DEVELOPER_TOOLS),
      Setting(\.confirmDBUpgrades, in: \.group, as: GroupDefaults.GROUP_DEFAULT_CONFIRM_DB_UPGRADES),
      Setting(\.androidCallOnLockScreen, in: \.app, as: AppDefaults.ANDROID_DEFAULT_CALL_ON_LOCK_SCREEN),
      Setting(\.iosCallKitEnabled, in: \.group, as: GroupDefaults.GROUP_DEFAULT_CALL_KIT_ENABLED),
      Setting(\.iosCallKitCallsInRecents, in: \.app, as: AppDefaults.DEFAULT_CALL_KIT_CALLS_IN_RECENTS),
      Setting(\.uiProfileImageCornerRadius, in: \.group, as: GroupDefaults.GROUP_DEFAULT_PROFILE_IMAGE_CORNER_RADIUS),
      Setting(\.uiChatItemRoundness, in: \.app, as: AppDefaults.DEFAULT_CHAT_ITEM_ROUNDNESS),
      Setting(\.uiChatItemTail, in: \.app, as: AppDefaults.DEFAULT_CHAT_ITEM_TAIL),
      Setting(\.uiColorScheme, in: \.app, as: AppDefaults.DEFAULT_CURRENT_THEME),
      Setting(\.uiDarkColorScheme, in: \.app, as: AppDefaults.DEFAULT_SYSTEM_DARK_THEME),
      Setting(\.oneHandUI, in: \.group, as: GroupDefaults.GROUP_DEFAULT_ONE_HAND_UI),
      Setting(\.chatBottomBar, in: \.group, as: GroupDefaults.GROUP_DEFAULT_CHAT_BOTTOM_BAR),
    ]
  }

  /// These preferences as settings that the core stores, for migration to another device.
  public func settings(notificationMode: NotificationsMode = .off) -> AppSettings {
    var settings = AppSettings()
    for setting in Self.settings { setting.export(&settings, self) }
    settings.notificationMode = AppSettingsNotificationMode(notificationMode)
    settings.webrtcICEServers = app[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS]
    settings.networkProxy = app[AppDefaults.DEFAULT_NETWORK_PROXY]?.value
    settings.uiCurrentThemeIds = app[currentThemeIdsDefault].value
    settings.uiThemes = app[themeOverridesDefault].value
    return settings
  }

  /// Applies settings that the core stored. Preferences that they do not contain are unchanged.
  public func take(_ settings: AppSettings) {
    for setting in Self.settings { setting.take(settings, self) }
    if let servers = settings.webrtcICEServers { app[AppDefaults.DEFAULT_WEBRTC_ICE_SERVERS] = servers }
    if let proxy = settings.networkProxy { app[AppDefaults.DEFAULT_NETWORK_PROXY] = JSONPreference(proxy) }
    if let ids = settings.uiCurrentThemeIds { app[currentThemeIdsDefault] = JSONPreference(ids) }
    if let themes = settings.uiThemes { app[themeOverridesDefault] = JSONPreference(themes) }
  }
}

extension ChatModel {
  /// Stores the app's preferences in the core.
  public func saveSettings(_ preferences: AppPreferences) async throws(ChatError) {
    let settings = preferences.settings(notificationMode: notificationMode)
    let response = try await requireCore().response(.apiSaveSettings(settings: settings), as: ChatResponse2.self)
    guard case .cmdOk = response else { throw response.unexpected }
  }

  /// Applies the preferences that the core stored, such as those of another device.
  public func loadSettings(_ preferences: AppPreferences) async throws(ChatError) {
    let response = try await requireCore().response(
      .apiGetSettings(settings: preferences.settings(notificationMode: notificationMode)), as: ChatResponse2.self)
    guard case .appSettings(let settings) = response else { throw response.unexpected }
    preferences.take(settings)
    if let mode = settings.notificationMode { notificationMode = NotificationsMode(mode) }
  }
}

extension AppSettingsNotificationMode {
  init(_ mode: NotificationsMode) {
    switch mode {
    case .off: self = .off
    case .periodic: self = .periodic
    case .instant: self = .instant
    }
  }
}

extension NotificationsMode {
  init(_ mode: AppSettingsNotificationMode) {
    switch mode {
    case .off: self = .off
    case .periodic: self = .periodic
    case .instant: self = .instant
    }
  }
}
