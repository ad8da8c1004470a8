import ChatAPI
import ChatState
import ChatStateInProcess
import SimpleXChat
import SimplexTesting
import Testing

/// The state layer over real cores, a real relay and TLS.
@Suite struct ModelTests {
  /// While two people perform random actions, the model of each always equals a fresh load of the core at the same
  /// time; no test waits until nothing is in flight.
  @Test(arguments: propertySeeds(4)) func showsWhatTheCoreHas(seed: UInt64) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await people(in: world, seed)
      async let first: Void = alice.act(times: 60) { try await alice.check("seed \(seed), alice, after \($0)") }
      async let second: Void = bob.act(times: 60) { try await bob.check("seed \(seed), bob, after \($0)") }
      _ = try await (first, second)
    }
  }

  /// The same where each person's own commands overtake each other, once all of them are answered.
  @Test(arguments: propertySeeds(4)) func showsItWhereCommandsCross(seed: UInt64) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await people(in: world, seed)
      for round in 0..<6 {
        try await withThrowingTaskGroup { group in
          for person in [alice, bob, alice, bob, alice, bob] {
            group.addTask { try await person.act(times: 6) { _ in } }
          }
          try await group.waitForAll()
        }
        try await alice.check("seed \(seed), alice, round \(round)")
        try await bob.check("seed \(seed), bob, round \(round)")
      }
    }
  }

  private func people(in world: TestWorld, _ seed: UInt64) async throws -> (ModelPerson, ModelPerson) {
    let (alice, bob) = try await world.connected("alice", "bob")
    if seed % 2 == 1 {
      _ = try await alice.run("/set delete @bob always")
      _ = try await bob.run("/set delete @alice always")
    }
    return (try await ModelPerson(alice.controller, seed), try await ModelPerson(bob.controller, seed &+ 1))
  }

  /// The app goes to the background and comes back, with its databases closed meanwhile or not. What arrived then is
  /// shown once, and writing meanwhile returns an error.
  @Test(arguments: ["", "secret"]) func comesBackFromTheBackground(key: String) async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      var options = world.options("alice", key: key)
      options.keepsKey = true
      let alice = TestCore("alice", try await ChatController.open(options))
      _ = try await alice.run("/create user alice")
      _ = try await alice.run("/_start")
      try await world.connect(alice, bob)
      let person = try await ModelPerson(alice.controller, 0)
      for round in 1...4 {
        try await person.goToTheBackground(closing: round % 2 == 0)
        _ = try await bob.run("@alice while suspended \(round)")
        // It is at the relay.
        _ = try await bob.event("chatItemsStatusesUpdated") { event in
          event.jsonText().contains("while suspended \(round)") && event.jsonText().contains(#""sndSent""#)
        }
        #expect(await person.count(of: "while suspended \(round)") == 0)
        try await person.comeBack(reopening: round % 2 == 0)
        try await person.waitUntilShown("while suspended \(round)")
        _ = try await bob.run("@alice while active \(round)")
        try await person.waitUntilShown("while active \(round)")
        try await person.say("answer \(round)")
        #expect(try await bob.message() == "answer \(round)")
        try await person.check("round \(round)")
        for text in ["while suspended", "while active", "answer"] {
          #expect(await person.count(of: "\(text) \(round)") == 1)
        }
      }
      await alice.controller.finish()
    }
  }

  @Test @MainActor func aProfileIsMadeAndShown() async throws {
    let world = try await TestWorld()
    let model = ChatModel()
    let options = world.options("carol")
    try await model.initChatAndMigrate { await InProcessCore.open(options) }
    #expect(model.ok)
    #expect(model.onboardingStage == .step1_SimpleXInfo)
    try await model.createActiveUser(Profile(displayName: "carol", fullName: ""))
    #expect(model.currentUser?.displayName == "carol")
    let notes = try #require(model.chats.first)
    #expect(notes.chatInfo.chatType == .local)
    try await model.sendMessages(to: notes.chatInfo, [ComposedMessage(msgContent: .text("remember"))])
    #expect(notes.chatItems.last?.text == "remember")
    let core = try #require(model.core as? InProcessCore)
    await core.controller.finish()
    await world.stopRelay()
  }
}

extension ModelPerson {
  /// The messages of the open chat that are not deleted.
  var shownItems: [ChatItem] {
    model.im.chatItems.filter { $0.content.msgContent != nil && $0.meta.itemDeleted == nil }
  }

  /// Edits a message of the user.
  func edit(in chat: ChatInfo) async throws -> String {
    guard let item = shownItems.filter(\.meta.editable).randomElement(using: &random) else { return "nothing to edit" }
    let text = "new \(Int.random(in: 0..<100, using: &random))"
    try await model.updateMessage(in: chat, item.id, to: UpdatedMessage(msgContent: .text(text)))
    return "editing"
  }

  /// Deletes a message of the user for everybody, or any message here.
  func delete(for mode: CIDeleteMode, in chat: ChatInfo) async throws -> String {
    let items = mode == .cidmBroadcast ? shownItems.filter(\.meta.editable) : shownItems
    guard let item = items.randomElement(using: &random) else { return "nothing to delete" }
    try await model.deleteMessages(in: chat, [item.id], mode: mode)
    return "deleting, \(mode)"
  }

  /// Adds or removes a reaction.
  func react(in chat: ChatInfo) async throws -> String {
    guard let item = shownItems.randomElement(using: &random) else { return "nothing to react to" }
    let reaction = MsgReaction.values[Int.random(in: 0..<3, using: &random)]
    try await model.react(in: chat, item.id, reaction, add: Bool.random(using: &random))
    return "reacting"
  }

  /// Performs an action in a chat of two.
  func act() async throws -> String {
    let chat = try #require(model.chats.first { $0.chatInfo.contact != nil })
    switch Int.random(in: 0..<21, using: &random) {
    case 0..<4:
      sent += 1
      try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("message \(sent)"))])
      return "sending"
    case 4: return try await edit(in: chat.chatInfo)
    case 5: return try await delete(for: .cidmBroadcast, in: chat.chatInfo)
    case 6: return try await delete(for: .cidmInternal, in: chat.chatInfo)
    case 7: return try await react(in: chat.chatInfo)
    case 8..<11:
      model.im.loadOpenChatNoWait(chat.id)
      await model.im.loaded()
      return "opening"
    case 11:
      guard let item = shownItems.randomElement(using: &random) else { break }
      await model.im.loadMore(.before(chatItemId: item.id, count: 5))
      return "loading more"
    case 12:
      try await model.markChatRead(chat)
      return "reading all"
    case 13:
      let unread = shownItems.filter(\.isRcvNew).shuffled(using: &random).prefix(3).map(\.id)
      guard !unread.isEmpty else { break }
      try await model.markRead(in: chat.chatInfo, unread)
      return "reading some"
    case 14:
      try await model.setUnread(chat, Bool.random(using: &random))
      return "marking"
    case 15:
      try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("for a second"))], ttl: 1)
      return "sending for a second"
    case 16..<19: return try await change(chat)
    case 19:
      try await model.clear(chat)
      return "clearing"
    default:
      model.closeChat()
      return "closing"
    }
    return "nothing"
  }

  /// Changes what is known of people, and what they allow.
  private func change(_ chat: Chat) async throws -> String {
    let (model, id) = (model, chat.chatInfo.apiId)
    let user = try #require(model.currentUser)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let allow: FeatureAllowed = Bool.random(using: &random) ? .always : .no
      let preferences = Preferences(voice: SimplePreference(allow: allow))
      try await model.request(.apiSetContactPrefs(contactId: id, preferences: preferences)) {
        (response: ChatResponse1) throws(ChatError) in
        guard case .contactPrefsUpdated(_, _, let contact) = response else { throw response.unexpected }
        model.updateContact(contact)
      }
      return "allowing"
    case 1:
      sent += 1
      let profile = Profile(displayName: user.displayName, fullName: "Number \(sent)")
      try await model.request(.apiUpdateProfile(userId: user.userId, profile: profile)) {
        (response: ChatResponse1) throws(ChatError) in
        guard case .userProfileUpdated = response else { throw response.unexpected }
      }
      return "renaming"
    case 2:
      sent += 1
      try await model.request(.apiSetContactAlias(contactId: id, localAlias: "friend \(sent)")) {
        (response: ChatResponse1) throws(ChatError) in
        guard case .contactAliasUpdated(_, let contact) = response else { throw response.unexpected }
        model.updateContact(contact)
      }
      return "naming"
    default:
      let notes = try #require(model.chats.first { $0.chatInfo.chatType == .local })
      try await model.sendMessages(to: notes.chatInfo, [ComposedMessage(msgContent: .text("remember"))])
      return "noting"
    }
  }

  // MARK: The life of an app

  private func contact() throws -> Chat { try #require(model.chats.first { $0.chatInfo.contact != nil }) }

  /// Opens the chat, suspends, and closes the databases if asked to.
  func goToTheBackground(closing: Bool) async throws {
    model.im.loadOpenChatNoWait(try contact().id)
    await model.im.loaded()
    var isSuspended = false
    model.onEffect = { if $0 == .chatSuspended { isSuspended = true } }
    try await model.suspendChat(timeout: .seconds(5))
    try await wait("suspended") { isSuspended }
    if closing { try await model.closeStore() }
    let info = try contact().chatInfo
    await #expect(throws: ChatError.self) {
      try await model.sendMessages(to: info, [ComposedMessage(msgContent: .text("too late"))])
    }
  }

  func comeBack(reopening: Bool) async throws {
    if reopening { try await model.reopenStore() }
    try await model.activateChat()
  }

  func say(_ text: String) async throws {
    try await model.sendMessages(to: try contact().chatInfo, [ComposedMessage(msgContent: .text(text))])
  }

  /// How many items of the open chat have this text.
  func count(of text: String) -> Int { model.im.chatItems.filter { $0.meta.itemText == text }.count }

  func waitUntilShown(_ text: String) async throws {
    try await wait(text) {
      self.count(of: text) > 0 && model.chats.contains { $0.chatItems.last?.meta.itemText == text }
    }
  }
}
