/// The types of the catalog that have another name here, or none: the catalog names what the core's sources declare,
/// in which wrappers, parametrised preferences and the JSON forms of types are types of their own.
enum SpecificationNames {
  /// By the catalog's name, the type here.
  static let renamed: [String: String] = [
    "ACreatedConnLink": "CreatedConnLink", "AProtocolType": "ServerProtocol", "AUserChatRelay": "UserChatRelay",
    "AUserServer": "UserServer", "CallMedia": "CallMediaType", "CallsPreference": "SimplePreference",
    "Chat": "ChatData", "ChatWallpaper": "ThemeWallpaper", "ChatWallpaperScale": "WallpaperScaleType",
    "CommandError": "ProtocolCommandError", "ContactUserPref": "ContactUserPref<SimplePreference>",
    "ContactUserPreference": "ContactUserPreference<SimplePreference>",
    "DirectMessagesGroupPreference": "RoleGroupPreference", "E2EInfo": "E2EEInfo", "ErrorType": "ProtocolErrorType",
    "FilesGroupPreference": "RoleGroupPreference", "FilesPreference": "SimplePreference",
    "FullDeleteGroupPreference": "RoleGroupPreference", "FullDeletePreference": "SimplePreference",
    "HandshakeError": "SMPHandshakeError", "HistoryGroupPreference": "GroupPreference",
    "JSONAnyChatItem": "AChatItem", "JSONCIContent": "CIContent", "JSONCIDeleted": "CIDeleted",
    "JSONCIDirection": "CIDirection", "JSONCIFileStatus": "CIFileStatus", "JSONCIReaction": "ACIReaction",
    "JSONCIStatus": "CIStatus", "JSONChatInfo": "ChatInfo", "LockScreenCalls": "AppSettingsLockScreenCalls",
    "NTInvalidReason": "NtfTknStatus", "NetworkConfig": "NetCfg", "NotificationMode": "AppSettingsNotificationMode",
    "PrefEnabled": "FeatureEnabled",
    "ReactionsGroupPreference": "GroupPreference", "ReactionsPreference": "SimplePreference",
    "ReportsGroupPreference": "GroupPreference", "SessionsGroupPreference": "RoleGroupPreference",
    "SessionsPreference": "SimplePreference", "SimplexLinksGroupPreference": "RoleGroupPreference",
    "SupportGroupPreference": "GroupPreference", "ThemeColorScheme": "DefaultTheme",
    "TransportError": "ProtocolTransportError", "UIColorMode": "DefaultThemeMode",
    "UIColors": "ThemeColors", "UITheme": "ThemeOverrides", "UIThemeEntityOverride": "ThemeModeOverride",
    "UIThemeEntityOverrides": "ThemeModeOverrides", "UpdatedUserOperatorServers": "UserOperatorServers",
    "VoiceGroupPreference": "RoleGroupPreference", "VoicePreference": "SimplePreference",
  ]

  /// Wrappers of a text, number or other simple value, which members of other types hold as it is.
  static let plain: [String: [String]] = [
    "String": [
      "AConnectionLink", "AProtoServerWithAuth", "AgentConnId", "AgentInvId", "AgentQueueId", "AgentRcvFileId",
      "AgentSndFileId", "AgentUserId", "AppVersion", "B64UrlByteString", "BBSPresHeader", "BBSProof", "BBSSignature",
      "BadgeMasterKey", "BasicAuth", "CbNonce", "ConnectionLink", "DBEncryptionKey", "DarkColorScheme", "FileDigest",
      "GroupLinkId", "Key",
      "KeyHash", "MemberId", "ProofPresHeader", "ProtoServerWithAuth", "ProtocolServer", "SbKey", "SharedMsgId",
      "SocksAuth", "SocksProxy", "SocksProxyWithAuth", "TransportHost", "UIColor", "UIColorScheme", "XContactId",
    ],
    "Int": ["OptionalInt", "Version", "VersionRoster"],
    "Bool": ["BoolDef", "PQEncryption", "PQSupport"],
    "JSONValue": ["CustomData"],
    "its element": ["ListDef", "StrJSON"],
    "ImageData": ["ImageData"],
    "arguments": ["PaginationByTime"],
  ]
}
