import ChatAPI
import ChatStore
import Foundation
import Testing

/// A contact of the user with a connection that is ready.
@discardableResult
func makeContact(_ name: String = "bob", in store: ChatDatabase, of user: User, preferences: Preferences? = nil) throws
  -> Contact
{
  try store.transaction { db in
    var new = NewConnection(agentConnId: "conn-\(name)", entity: .contact(nil))
    new.initiated = true
    let connection = try db.createConnection(new, of: user)
    try db.setStatus(.ready, ofConnection: connection.connId)
    let ready = try db.connection(connection.connId, of: user)
    return try db.createContact(profile: profile(name, preferences: preferences), connection: ready, of: user)
  }
}

@Suite struct ContactTests {
  let store: ChatDatabase
  let alice: User

  init() throws {
    store = try memoryStore()
    alice = try store.makeUser()
  }

  @Test func connectionsBecomeContacts() throws {
    let link = CreatedConnLink(connFullLink: "simplex:/invitation#1", connShortLink: "https://a/i#1")
    let pending = try store.transaction { db in
      var new = NewConnection(agentConnId: "a1", entity: .contact(nil), chatVersion: 14)
      new.invitation = link
      new.initiated = true
      new.pqSupport = true
      return try db.createPendingConnection(new, of: alice)
    }
    #expect(pending.connLinkInv == link && pending.pccConnStatus == .new && !pending.viaContactUri)
    let named = try store.transaction { try $0.setAlias("my friend", ofPending: pending, of: alice) }
    #expect(named.localAlias == "my friend")
    #expect(try store.read { try $0.connectionEntity(invitations: ["x", link.connFullLink], of: alice) } != nil)
    #expect(
      try store.read { try $0.connectionEntity(shortInvitation: "https://a/i#1", of: alice)?.link } == link.connFullLink
    )
    #expect(throws: ChatError.self) {
      try store.transaction {
        try $0.createConnection(NewConnection(agentConnId: "a1", entity: .contact(nil)), of: alice)
      }
    }
    let contact = try store.transaction { db in
      let connection = try db.connection(agentConnId: "a1", of: alice)
      try db.setStatus(.ready, ofConnection: connection.connId)
      return try db.createContact(profile: profile("bob"), connection: connection, of: alice)
    }
    #expect(contact.localDisplayName == "bob" && contact.profile.localAlias == "my friend")
    #expect(contact.activeConn?.connStatus == .ready && contact.activeConn?.pqSupport == true)
    #expect(contact.contactUsed && contact.chatSettings == ChatSettings(enableNtfs: .all, favorite: false))
    // Ready connections have forgotten their invitation.
    #expect(try store.read { try $0.connectionEntity(invitations: [link.connFullLink], of: alice) } == nil)
    #expect(
      storeError { _ = try store.read { try $0.pendingConnection(pending.pccConnId, of: alice) } }
        == .pendingConnectionNotFound(connId: pending.pccConnId))
    guard
      case .rcvDirectMsgConnection(_, let found) = try store.read({
        try $0.connectionEntity(agentConnId: "a1", of: alice)
      })
    else {
      Issue.record("not a contact's connection")
      return
    }
    #expect(found == contact)
    #expect(try store.read { try $0.user(ofConnection: "a1") } == alice)
    #expect(try store.read { try $0.connectionsToSubscribe(of: alice) } == ["a1"])
  }

  @Test func namesStayUnique() throws {
    let names = try store.transaction { db in
      try (0..<4).map { _ in try db.createContact(profile: profile("bob"), of: alice).localDisplayName }
    }
    #expect(names == ["bob", "bob_1", "bob_2", "bob_3"])
    let tricky = try store.transaction { try $0.createContact(profile: profile("bob_4"), of: alice) }
    #expect(tricky.localDisplayName == "bob_4")
    #expect(
      try store.transaction { try $0.createContact(profile: profile("bob"), of: alice).localDisplayName } == "bob_5")
    // The user's own name is taken as well.
    #expect(
      try store.transaction { try $0.createContact(profile: profile("alice"), of: alice).localDisplayName } == "alice_1"
    )
    // A name that was given back can be taken again.
    try store.transaction { try $0.deleteContact(tricky, of: alice) }
    #expect(
      try store.transaction { try $0.createContact(profile: profile("bob_4"), of: alice).localDisplayName } == "bob_4")
  }

  @Test func profilesAndPreferencesMerge() throws {
    let bob = try makeContact(
      in: store, of: alice, preferences: Preferences(voice: .init(allow: .no), calls: .init(allow: .always)))
    #expect(bob.mergedPreferences.voice.enabled == FeatureEnabled(forUser: false, forContact: false))
    #expect(bob.mergedPreferences.files.enabled == FeatureEnabled(forUser: true, forContact: true))
    guard case .user = bob.mergedPreferences.files.userPreference else {
      Issue.record("the profile's preference"); return
    }
    let changed = try store.transaction {
      try $0.setPreferences(Preferences(fullDelete: .init(allow: .always)), of: bob, of: alice)
    }
    #expect(changed.mergedPreferences.fullDelete.enabled == FeatureEnabled(forUser: false, forContact: true))
    #expect(changed.userPreferences.fullDelete?.allow == .always)
    let renamed = try store.transaction { try $0.updateProfile(of: changed, to: profile("robert"), of: alice) }
    #expect(renamed.localDisplayName == "robert" && renamed.mergedPreferences.voice.enabled.forUser)
    #expect(try store.read { try $0.contact(named: "robert", of: alice) } == renamed)
    #expect(
      storeError { _ = try store.read { try $0.contactID(named: "bob", of: alice) } }
        == .contactNotFoundByName(contactName: "bob"))
  }

  @Test func settingsOfTheChat() throws {
    let bob = try makeContact(in: store, of: alice)
    let chat = ChatRef(chatType: .direct, chatId: bob.contactId)
    let changed = try store.transaction { db in
      let tag = try db.createChatTag(ChatTagData(emoji: "🏠", text: "home"), of: alice)
      try db.setChatTags([tag], of: chat, of: alice)
      try db.setSettings(ChatSettings(enableNtfs: .none, sendRcpts: false, favorite: true), of: chat, of: alice)
      try db.setItemTTL(3600, of: chat, of: alice)
      try db.setCustomData(["a": 1], of: chat, of: alice)
      try db.touch(chat, at: Date(timeIntervalSince1970: 1_800_000_000), of: alice)
      return try db.contact(bob.contactId, of: alice)
    }
    #expect(changed.chatSettings == ChatSettings(enableNtfs: .none, sendRcpts: false, favorite: true))
    #expect(changed.chatItemTTL == 3600 && changed.customData == ["a": 1] && changed.chatTags.count == 1)
    #expect(changed.chatTs == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(
      storeError { _ = try store.transaction { try $0.createChatTag(ChatTagData(text: "home"), of: alice) } }
        == .uniqueID)
    try store.transaction { try $0.deleteChatTag(changed.chatTags[0], of: alice) }
    #expect(try store.read { try $0.contact(bob.contactId, of: alice) }.chatTags.isEmpty)
    try store.transaction { try $0.setContactReceipts(.init(enable: true, clearOverrides: true), of: alice) }
    #expect(try store.read { try $0.contact(bob.contactId, of: alice) }.chatSettings.sendRcpts == nil)
  }

  @Test func preparedContactsMove() throws {
    let link = CreatedConnLink(connFullLink: "simplex:/contact#1", connShortLink: "https://a/a#1")
    let prepared = try store.transaction { db in
      try db.createPreparedContact(
        profile: profile("bob"), link: link, mode: .con, welcomeSharedMsgId: "d2Vs", of: alice)
    }
    #expect(prepared.preparedContact?.connLinkToConnect == link && prepared.activeConn == nil)
    #expect(try store.read { try $0.contact(shortLinkToConnect: "https://a/a#1", of: alice) } == prepared)
    let carol = try store.makeUser("carol")
    let moved = try store.transaction { try $0.move(prepared: prepared, from: alice, to: carol) }
    #expect(moved.contactId == prepared.contactId)
    #expect(
      storeError { _ = try store.read { try $0.contact(prepared.contactId, of: alice) } }
        == .contactNotFound(contactId: prepared.contactId))
    try store.transaction { db in
      var new = NewConnection(agentConnId: "p1", entity: .contact(moved.contactId), status: .prepared)
      new.viaLink = link
      new.viaLinkHash = "hash"
      new.xContactId = "eGlk"
      _ = try db.createConnection(new, of: carol)
      #expect(try db.contact(viaLinkHashes: ["other", "hash"], of: carol)?.contactId == moved.contactId)
      #expect(try db.connectionEntity(viaLinkHashes: ["hash"], of: carol) != nil)
    }
  }

  @Test func addressAndRequests() throws {
    let link = CreatedConnLink(connFullLink: "simplex:/contact#a", connShortLink: "https://a/a#a")
    let address = try store.transaction { try $0.createAddress(link: link, agentConnId: "addr", of: alice) }
    #expect(address.connLinkContact == link && address.shortLinkDataSet)
    #expect(
      storeError { _ = try store.transaction { try $0.createAddress(link: link, agentConnId: "addr2", of: alice) } }
        == .duplicateContactLink)
    let settings = AddressSettings(
      businessAddress: false, autoAccept: AutoAccept(acceptIncognito: true), autoReply: .text("hi"))
    try store.transaction { try $0.setSettings(settings, ofAddress: address.userContactLinkId) }
    #expect(try store.read { try $0.address(of: alice) }.addressSettings == settings)
    guard case .userContactConnection = try store.read({ try $0.connectionEntity(agentConnId: "addr", of: alice) })
    else {
      Issue.record("not an address")
      return
    }

    let received = ReceivedContactRequest(
      addressId: address.userContactLinkId, agentInvitationId: "inv1", peerVersions: VersionRange(1, 16),
      profile: profile("bob"), xContactId: "eDE=")
    guard case .current(nil, let request, let contact?) = try store.transaction({ try $0.receive(received, of: alice) })
    else {
      Issue.record("not a new request")
      return
    }
    #expect(request.contactId_ == contact.contactId && contact.contactRequestId == request.contactRequestId)
    var repeated = received
    repeated.profile = profile("robert")
    repeated.agentInvitationId = "inv2"
    let again = repeated
    guard
      case .current(let before?, let after, let renamed?) = try store.transaction({ try $0.receive(again, of: alice) })
    else {
      Issue.record("not a repeated request")
      return
    }
    #expect(before == request && after.agentInvitationId == "inv2" && renamed.localDisplayName == "robert")
    #expect(try store.read { try $0.contactRequestID(named: "robert", of: alice) } == request.contactRequestId)
    // Accept.
    try store.transaction { db in
      var new = NewConnection(agentConnId: "acc", entity: .contact(contact.contactId))
      new.viaAddress = address.userContactLinkId
      _ = try db.createConnection(new, of: alice)
      try db.setAcceptedXContactId("eDE=", ofContact: contact.contactId)
      try db.deleteContactRequest(request.contactRequestId, of: alice)
    }
    guard case .accepted(nil, let accepted) = try store.transaction({ try $0.receive(received, of: alice) }) else {
      Issue.record("not an accepted request")
      return
    }
    #expect(accepted.contactId == contact.contactId && accepted.activeConn != nil && accepted.contactRequestId == nil)
    let user = try store.transaction { try $0.setContactLink(link.connShortLink, inProfileOf: alice) }
    #expect(try store.transaction { try $0.deleteAddress(of: user) }.profile.contactLink == nil)
    #expect(
      storeError { _ = try store.read { try $0.connection(agentConnId: "addr", of: alice) } }
        == .connectionNotFound(agentConnId: "addr"))
  }

  @Test func incognitoProfiles() throws {
    let pending = try store.transaction { db in
      var new = NewConnection(agentConnId: "i1", entity: .contact(nil))
      new.customUserProfileId = try db.createIncognitoProfile(
        Profile(displayName: "nobody", fullName: "", contactLink: "link"), of: alice)
      return try db.createPendingConnection(new, of: alice)
    }
    let id = try #require(pending.customUserProfileId)
    #expect(try store.read { try $0.profile(id, of: alice) }.contactLink == nil)
    let contact = try store.transaction { db in
      try db.createContact(
        profile: profile("bob"), connection: try db.connection(agentConnId: "i1", of: alice), of: alice)
    }
    guard case .contact = contact.mergedPreferences.voice.userPreference else {
      Issue.record("incognito has no default"); return
    }
    try store.transaction { try $0.deleteContact(contact, of: alice) }
    #expect(storeError { _ = try store.read { try $0.profile(id, of: alice) } } == .profileNotFound(profileId: id))
  }

  @Test func countersAndVersions() throws {
    let bob = try makeContact(in: store, of: alice)
    let id = try #require(bob.activeConn?.connId)
    try store.transaction { db in
      #expect(try db.countAuthorizationError(ofConnection: id) == 1)
      #expect(try db.countAuthorizationError(ofConnection: id) == 2)
      #expect(try db.countQuotaError(ofConnection: id) == 1)
      try db.setVersions(15, peer: VersionRange(1, 15), ofConnection: id)
      try db.setPQEnabled(sending: true, receiving: nil, ofConnection: id)
      try db.setVerified(code: "12345", ofConnection: id)
      let connection = try db.connection(id, of: alice)
      #expect(connection.authErrCounter == 2 && connection.quotaErrCounter == 1 && connection.connChatVersion == 15)
      #expect(connection.pqSndEnabled == true && connection.pqRcvEnabled == nil)
      #expect(connection.connectionCode?.securityCode == "12345")
      #expect(try db.setStatus(of: connection, from: .new, to: .joined).connStatus == .ready)
      try db.setStatus(.failed(connError: "why"), ofConnection: id)
      #expect(try db.connection(id, of: alice).connStatus == .failed(connError: "why"))
    }
  }
}
