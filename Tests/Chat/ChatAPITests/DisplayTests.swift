import ChatAPI
import SimplexJSON
import SimplexTesting
import Testing

/// What user interfaces show of the types.
@Suite("Display")
struct DisplayTests {
  /// A sample of a type of the table, with some members set to what the test needs.
  private func sample<T: APIType>(
    _: T.Type, _ name: String, variant: String = "", _ members: [String: JSONValue] = [:]
  ) throws -> T {
    let row = try #require(TypeTable.shared.rowsByType[name]?.first { $0.variant == variant })
    var sampler = Sampler(table: .shared, random: SeededGenerator(seed: 7), optionals: .none)
    return try T(jsonText: sampler.sample(row).setting(members).jsonText())
  }

  @Test func chatsAreIdentifiedByPrefixAndDatabaseId() throws {
    let contact = try sample(Contact.self, "Contact", ["contactId": 5])
    #expect(ChatInfo.direct(contact: contact).id == "@5")
    let group = try sample(GroupInfo.self, "GroupInfo", ["groupId": 6])
    #expect(ChatInfo.group(groupInfo: group, groupChatScope: nil).id == "#6")
    let notes = try sample(NoteFolder.self, "NoteFolder", ["noteFolderId": 7])
    #expect(ChatInfo.local(noteFolder: notes).id == "*7")
    let request = try sample(UserContactRequest.self, "UserContactRequest", ["contactRequestId": 8])
    #expect(ChatInfo.contactRequest(contactRequest: request).id == "<@8")
    let connection = try sample(PendingContactConnection.self, "PendingContactConnection", ["pccConnId": 9])
    let chat = ChatInfo.contactConnection(contactConnection: connection)
    #expect(chat.id == ":9")
    #expect(chat.chatType == .contactConnection && chat.apiId == 9)
    #expect(ChatInfo.invalidJSON(chatType: .group, json: .null).id.isEmpty)
  }

  @Test(
    arguments: [
      ("", "Alice", "", "Alice"), ("", "Alice", "Alice", "Alice"), ("", "Alice", "Alice L.", "Alice / Alice L."),
      ("Al", "Alice", "Alice L.", "Al"),
    ])
  func aliasesGoBeforeNames(alias: String, name: String, fullName: String, expected: String) {
    let profile = LocalProfile(profileId: 1, displayName: name, fullName: fullName, localAlias: alias)
    #expect(profile.chatViewName == expected)
  }

  @Test(
    arguments: [
      (.always, .always, true, true), (.always, .yes, true, true), (.yes, .yes, true, true),
      (.always, .no, false, true), (.no, .always, true, false), (.yes, .no, false, false), (.no, .yes, false, false),
      (.no, .no, false, false),
    ] as [(FeatureAllowed, FeatureAllowed, Bool, Bool)])
  func featuresAreOnIfBothSidesAllow(user: FeatureAllowed, contact: FeatureAllowed, forUser: Bool, forContact: Bool) {
    let enabled = FeatureEnabled.enabled(
      asymmetric: true, user: SimplePreference(allow: user), contact: SimplePreference(allow: contact))
    #expect(enabled == FeatureEnabled(forUser: forUser, forContact: forContact))
    let symmetric = FeatureEnabled.enabled(
      asymmetric: false, user: SimplePreference(allow: user), contact: SimplePreference(allow: contact))
    #expect(symmetric.forUser == (forUser && forContact) && symmetric.forContact == (forUser && forContact))
  }

  @Test func groupFeaturesMayNeedARole() throws {
    let voice: JSONValue = ["enable": "on", "role": "admin"]
    for (role, expected) in [("owner", true), ("admin", true), ("moderator", false), ("relay", false)] {
      var group = try sample(GroupInfo.self, "GroupInfo")
      group.fullGroupPreferences.voice = try RoleGroupPreference(jsonText: voice.jsonText())
      group.membership.memberRole = GroupMemberRole(rawValue: role)
      let chat = ChatInfo.group(groupInfo: group, groupChatScope: nil)
      #expect(chat.featureEnabled(.voice) == expected)
      #expect(!chat.featureEnabled(.calls))
    }
  }

  @Test func settingOnePreferenceKeepsTheOthers() {
    let preferences = Preferences(timedMessages: TimedMessagesPreference(allow: .no, ttl: 60)).setAllowed(.voice)
    #expect(preferences.voice?.allow == .yes)
    #expect(preferences.setAllowed(.timedMessages).timedMessages == TimedMessagesPreference(allow: .yes, ttl: 60))
    #expect(preferences.setAllowed(.timedMessages, param: 5).timedMessages?.ttl == 5)
  }

  @Test(
    arguments: [
      (CIContent.rcvMsgContent(msgContent: .text("hello")), "hello"),
      (.sndCall(status: .ended, duration: 75), "call ended, 01:15"),
      (.rcvCall(status: .ended, duration: 3661), "call ended, 01:01:01"),
      (.rcvIntegrityError(msgError: .msgSkipped(fromMsgId: 3, toMsgId: 5)), "3 skipped messages"),
      (
        .rcvChatFeature(
          feature: .timedMessages, enabled: FeatureEnabled(forUser: true, forContact: true), param: 604_800),
        "Disappearing messages: 1 week"
      ),
      (
        .sndGroupFeature(
          groupFeature: .voice, preference: GroupPreference(enable: .on), param: nil, memberRole_: .admin),
        "Voice messages: on (admins)"
      ),
      (.rcvChatPreference(feature: .calls, allowed: .no, param: nil), "no longer offers Calls"),
      (.rcvGroupEvent(rcvGroupEvent: .groupDeleted), "deleted the group"), (.chatBanner, ""),
    ])
  func itemsHaveWords(content: CIContent, text: String) {
    #expect(content.text == text)
  }

  /// Every variant of every error family has a text of its own.
  @Test func everyErrorHasAText() throws {
    var texts: [String: Set<String>] = [:]
    for (family, wrapper, key) in [
      ("ChatErrorType", "error", "errorType"), ("StoreError", "errorStore", "storeError"),
      ("DatabaseError", "errorDatabase", "databaseError"),
      ("RemoteCtrlError", "errorRemoteCtrl", "remoteCtrlError"), ("AgentErrorType", "errorAgent", "agentError"),
    ] {
      for row in try #require(TypeTable.shared.rowsByType[family]) {
        var sampler = Sampler(table: .shared, random: SeededGenerator(seed: 1), optionals: .none)
        let members: [JSONValue.Member] = [
          .init("type", .string(wrapper)), .init(key, sampler.sample(row)), .init("agentConnId", ""),
        ]
        let error = try ChatError(jsonText: JSONValue.object(members).jsonText())
        #expect(!error.text.isEmpty)
        #expect(error.errorType == "\(wrapper) \(row.variant)")
        texts[family, default: []].insert(error.text)
      }
    }
    #expect(texts["ChatErrorType"]?.count ?? 0 > 60)
    #expect(texts["StoreError"]?.count ?? 0 > 75)
  }

  @Test func errorsAreDescribedByTheirText() {
    let error = ChatError.errorAgent(agentError: .CMD(cmdErr: .PROHIBITED, errContext: "receiveMessage"))
    #expect("\(error)" == "The operation is not possible now (receiveMessage)")
  }
}

extension JSONValue {
  /// The object with these members in place of its own.
  fileprivate func setting(_ changes: [String: JSONValue]) -> JSONValue {
    .object((members ?? []).map { Member($0.key, changes[$0.key] ?? $0.value) })
  }
}
