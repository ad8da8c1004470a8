import ChatAPI
import ChatState
import Foundation
import SimplexTesting
import Testing

/// Every name of the state specification exists. This file compiles only if it does; the list of
/// names is the specification's.
@Suite @MainActor struct SpecificationTests {
  /// The names of the specification, with their types where it has them.
  private static func specification() throws -> [(name: String, type: String)] {
    try String(
      contentsOf: Vectors.folder.appending(path: "state-specification.tsv"), encoding: .utf8
    ).split(separator: "\n").dropFirst().map { row in
      let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
      return ("\(columns[0]).\(columns[2])", columns.count > 3 ? String(columns[3]) : "")
    }
  }

  /// Types that differ on purpose: no types of user interfaces, and links as text (docs/compat.md).
  private static let deviations = [
    "ChatModel.notificationResponse": "NotificationResponse?",
    "ChatModel.ntfCallInvitationAction": "NtfCallInvitationAction?",
    "ChatModel.callCommand": "[WebRTCCommand]",
    "ChatModel.appOpenUrl": "String?",
    "ChatModel.appOpenUrlLater": "String?",
    "ChatModel.conditions": "ServerOperatorConditions?",
    "ChatModel.stopPreviousRecPlay": "String?",
    "ChatModel.filesToDelete": "{String}",
    "ChatInfo.invalidJSON": "ChatType, JSONValue",
  ]

  @Test func `Types are those of the specification`() throws {
    let evidence = Self.models.merging(Self.values) { $1 }
    let specified = try Self.specification().filter { !$0.type.isEmpty }
    #expect(specified.count == 83)
    var differences: [String] = []
    for (name, type) in specified {
      let expected = Self.deviations[name] ?? Self.normalized(type)
      let actual = evidence[name].map(Self.typeText) ?? "missing"
      if actual != expected { differences.append("\(name): \(actual), expected \(expected)") }
    }
    #expect(differences == [])
  }

  /// The type of a property, or the payload of a case, as Swift code without names of modules.
  private static func typeText(_ evidence: Any) -> String {
    if let path = evidence as? AnyKeyPath { return normalized("\(type(of: path).valueType)") }
    // "@Sendable (Contact) -> ChatInfo": the part between the first parenthesis and its arrow.
    let parts = "\(type(of: evidence))".components(separatedBy: " -> ")
    return normalized(String(parts[0].drop { $0 != "(" }.dropFirst().dropLast()))
  }

  private static func normalized(_ type: String) -> String {
    // The arrow of a function must not end the brackets of a generic type.
    var text = type.replacing("@MainActor @Sendable ", with: "").replacing("-> ()", with: "→ Void")
      .replacing("-> Void", with: "→ Void")
    while true {
      let before = text
      text = text.replacing(/Optional<([^<>]*)>/) { "\($0.1)?" }
      text = text.replacing(/Array<([^<>]*)>/) { "[\($0.1)]" }
      text = text.replacing(/Dictionary<([^<>,]*), ([^<>]*)>/) { "[\($0.1): \($0.2)]" }
      text = text.replacing(/Set<([^<>]*)>/) { "{\($0.1)}" }
      if text == before { break }
    }
    return text.replacing("ChatItem.ID", with: "Int64").replacing("ChatId", with: "String")
  }

  @Test func `Nothing of the specification is missing`() throws {
    let names = try Self.specification().map(\.name)
    #expect(names.count == 122)
    let evidence = Self.models.merging(Self.values) { $1 }.merging(Self.preferences) { $1 }
    #expect(Set(names).subtracting(evidence.keys) == [])
    #expect(Set(evidence.keys).subtracting(names) == [])
  }

  private static var models: [String: Any] {
    [
      "ChatModel.onboardingStage": \ChatModel.onboardingStage,
      "ChatModel.chatInitialized": \ChatModel.chatInitialized,
      "ChatModel.chatRunning": \ChatModel.chatRunning,
      "ChatModel.chatDbChanged": \ChatModel.chatDbChanged,
      "ChatModel.chatDbEncrypted": \ChatModel.chatDbEncrypted,
      "ChatModel.chatDbStatus": \ChatModel.chatDbStatus,
      "ChatModel.ctrlInitInProgress": \ChatModel.ctrlInitInProgress,
      "ChatModel.migrationState": \ChatModel.migrationState,
      "ChatModel.currentUser": \ChatModel.currentUser,
      "ChatModel.users": \ChatModel.users,
      "ChatModel.v3DBMigration": \ChatModel.v3DBMigration,
      "ChatModel.chats": \ChatModel.chats,
      "ChatModel.deletedChats": \ChatModel.deletedChats,
      "ChatModel.chatId": \ChatModel.chatId,
      "ChatModel.chatAgentConnId": \ChatModel.chatAgentConnId,
      "ChatModel.chatSubStatus": \ChatModel.chatSubStatus,
      "ChatModel.openAroundItemId": \ChatModel.openAroundItemId,
      "ChatModel.chatToTop": \ChatModel.chatToTop,
      "ChatModel.groupMembers": \ChatModel.groupMembers,
      "ChatModel.groupMembersIndexes": \ChatModel.groupMembersIndexes,
      "ChatModel.membersLoaded": \ChatModel.membersLoaded,
      "ChatModel.secondaryIM": \ChatModel.secondaryIM,
      "ChatModel.contentViewAccessAuthenticated": \ChatModel.contentViewAccessAuthenticated,
      "ChatModel.laRequest": \ChatModel.laRequest,
      "ChatModel.deviceToken": \ChatModel.deviceToken,
      "ChatModel.savedToken": \ChatModel.savedToken,
      "ChatModel.tokenRegistered": \ChatModel.tokenRegistered,
      "ChatModel.tokenStatus": \ChatModel.tokenStatus,
      "ChatModel.notificationMode": \ChatModel.notificationMode,
      "ChatModel.notificationServer": \ChatModel.notificationServer,
      "ChatModel.notificationPreview": \ChatModel.notificationPreview,
      "ChatModel.notificationResponse": \ChatModel.notificationResponse,
      "ChatModel.ntfContactRequest": \ChatModel.ntfContactRequest,
      "ChatModel.ntfCallInvitationAction": \ChatModel.ntfCallInvitationAction,
      "ChatModel.callInvitations": \ChatModel.callInvitations,
      "ChatModel.activeCall": \ChatModel.activeCall,
      "ChatModel.callCommand": \ChatModel.callCommand,
      "ChatModel.showCallView": \ChatModel.showCallView,
      "ChatModel.activeCallViewIsCollapsed": \ChatModel.activeCallViewIsCollapsed,
      "ChatModel.remoteCtrlSession": \ChatModel.remoteCtrlSession,
      "ChatModel.userAddress": \ChatModel.userAddress,
      "ChatModel.chatItemTTL": \ChatModel.chatItemTTL,
      "ChatModel.appOpenUrl": \ChatModel.appOpenUrl,
      "ChatModel.appOpenUrlLater": \ChatModel.appOpenUrlLater,
      "ChatModel.showingInvitation": \ChatModel.showingInvitation,
      "ChatModel.draft": \ChatModel.draft,
      "ChatModel.draftChatId": \ChatModel.draftChatId,
      "ChatModel.networkInfo": \ChatModel.networkInfo,
      "ChatModel.conditions": \ChatModel.conditions,
      "ChatModel.stopPreviousRecPlay": \ChatModel.stopPreviousRecPlay,
      "ChatModel.messageDelivery": \ChatModel.messageDelivery,
      "ChatModel.filesToDelete": \ChatModel.filesToDelete,
      "ChatModel.im": \ChatModel.im,
      "ChatModel.getUser": ChatModel.getUser(_:),
      "ChatModel.updateUser": ChatModel.updateUser(_:),
      "ChatModel.removeUser": ChatModel.removeUser(_:),
      "ChatModel.getChat": ChatModel.getChat(_:),
      "ChatModel.addChat": ChatModel.addChat(_:),
      "ChatModel.updateChatInfo": ChatModel.updateChatInfo(_:),
      "ChatModel.replaceChat": ChatModel.replaceChat(_:_:),
      "ChatModel.removeChat": ChatModel.removeChat(_:),
      "ChatModel.popChat": ChatModel.popChat(_:_:),
      "ChatModel.totalUnreadCountForAllUsers": ChatModel.totalUnreadCountForAllUsers,
      "ItemsModel.reversedChatItems": \ItemsModel.reversedChatItems,
      "ItemsModel.itemAdded": \ItemsModel.itemAdded,
      "ItemsModel.chatState": \ItemsModel.chatState,
      "ItemsModel.isLoading": \ItemsModel.isLoading,
      "ItemsModel.showLoadingProgress": \ItemsModel.showLoadingProgress,
      "ItemsModel.preloadState": \ItemsModel.preloadState,
      "ItemsModel.secondaryIMFilter": \ItemsModel.secondaryIMFilter,
      "ItemsModel.lastItemsLoaded": \ItemsModel.lastItemsLoaded,
      "ItemsModel.contentTag": \ItemsModel.contentTag,
      "ItemsModel.groupScopeInfo": \ItemsModel.groupScopeInfo,
      "ItemsModel.loadOpenChat": ItemsModel.loadOpenChat(_:willNavigate:),
      "ItemsModel.loadOpenChatNoWait": ItemsModel.loadOpenChatNoWait(_:_:),
      "ItemsModel.loadSecondaryChat": ItemsModel.loadSecondaryChat(_:chatFilter:in:willNavigate:),
      "ChatTagsModel.userTags": \ChatTagsModel.userTags,
      "ChatTagsModel.activeFilter": \ChatTagsModel.activeFilter,
      "ChatTagsModel.presetTags": \ChatTagsModel.presetTags,
      "ChatTagsModel.unreadTags": \ChatTagsModel.unreadTags,
      "ChannelRelaysModel.groupId": \ChannelRelaysModel.groupId,
      "ChannelRelaysModel.groupRelays": \ChannelRelaysModel.groupRelays,
      "ChannelRelaysModel.set": ChannelRelaysModel.set(groupId:groupRelays:),
      "ChannelRelaysModel.reset": ChannelRelaysModel.reset,
    ]
  }

  private static var values: [String: Any] {
    [
      "Chat.chatInfo": \Chat.chatInfo,
      "Chat.chatItems": \Chat.chatItems,
      "Chat.chatStats": \Chat.chatStats,
      "Chat.created": \Chat.created,
      "Chat.id": \Chat.id,
      "Chat.viewId": \Chat.viewId,
      "Chat.unreadTag": \Chat.unreadTag,
      "Chat.supportUnreadCount": \Chat.supportUnreadCount,
      "ChatInfo.direct": ChatInfo.direct(contact:),
      "ChatInfo.group": ChatInfo.group(groupInfo:groupChatScope:),
      "ChatInfo.local": ChatInfo.local(noteFolder:),
      "ChatInfo.contactRequest": ChatInfo.contactRequest(contactRequest:),
      "ChatInfo.contactConnection": ChatInfo.contactConnection(contactConnection:),
      "ChatInfo.invalidJSON": ChatInfo.invalidJSON(chatType:json:),
      "ChatInfo.chatType": \ChatInfo.chatType,
      "ChatInfo.id": \ChatInfo.id,
      "ChatInfo.displayName": \ChatInfo.displayName,
      "ChatInfo.image": \ChatInfo.image,
      "ChatInfo.chatSettings": \ChatInfo.chatSettings,
      "ChatInfo.chatTags": \ChatInfo.chatTags,
    ]
  }

  private static var preferences: [String: Any] {
    [
      "Preferences.DEFAULT_PERFORM_LA": AppDefaults.DEFAULT_PERFORM_LA,
      "Preferences.DEFAULT_PRIVACY_PROTECT_SCREEN": AppDefaults.DEFAULT_PRIVACY_PROTECT_SCREEN,
      "Preferences.DEFAULT_SHOW_LA_NOTICE": AppDefaults.DEFAULT_SHOW_LA_NOTICE,
      "Preferences.DEFAULT_NOTIFICATION_ALERT_SHOWN": AppDefaults.DEFAULT_NOTIFICATION_ALERT_SHOWN,
      "Preferences.DEFAULT_CALL_KIT_CALLS_IN_RECENTS": AppDefaults.DEFAULT_CALL_KIT_CALLS_IN_RECENTS,
      "Preferences.appStateGroupDefault": appStateGroupDefault,
      "Preferences.dbContainerGroupDefault": dbContainerGroupDefault,
      "Preferences.ntfPreviewModeGroupDefault": ntfPreviewModeGroupDefault,
      "Preferences.storeDBPassphraseGroupDefault": storeDBPassphraseGroupDefault,
      "Preferences.callKitEnabledGroupDefault": callKitEnabledGroupDefault,
      "Preferences.onboardingStageDefault": onboardingStageDefault,
      "Preferences.currentThemeDefault": currentThemeDefault,
      "Preferences.systemDarkThemeDefault": systemDarkThemeDefault,
      "Preferences.themeOverridesDefault": themeOverridesDefault,
      "Preferences.currentThemeIdsDefault": currentThemeIdsDefault,
      "Preferences.kcDatabasePassword": kcDatabasePassword,
      "Preferences.kcAppPassword": kcAppPassword,
      "Preferences.kcSelfDestructPassword": kcSelfDestructPassword,
    ]
  }
}
