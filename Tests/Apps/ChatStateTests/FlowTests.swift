import ChatAPI
import ChatStateTesting
import Observation
import Testing

@testable import ChatState

@Suite @MainActor struct FlowTests {
  @Test func `Starting loads chats, tags and users, and receives events`() async throws {
    let core = ModelCore(contacts: 2, groups: 1)
    let model = try await startedModel(core)
    #expect(model.ok && model.chatInitialized && model.chatRunning == true)
    #expect(model.onboardingStage == .onboardingComplete)
    #expect(model.chats.map(\.id) == ["#1", "@2", "@1"])
    #expect(model.tags.userTags.count == 2)
    #expect(model.users.map(\.user.userId) == [1])
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    core.emit(try #require(core.receive(in: "@1", "hello")))
    while effects.isEmpty { await Task.yield() }
    #expect(effects == [.notifyMessage(userId: 1, core.list[0].chatInfo, core.items(of: "@1")[0])])
    #expect(model.getChat("@1")?.chatStats.unreadCount == 1)
    #expect(model.chats.first?.id == "@1")
  }

  @Test func `A database that cannot be opened changes only its status`() async throws {
    let model = ChatModel()
    try await model.initChatAndMigrate {
      OpenedCore(status: .errorNotADatabase(dbFile: "chat.db"), isEncrypted: true, core: nil)
    }
    #expect(model.chatDbStatus == .errorNotADatabase(dbFile: "chat.db"))
    #expect(model.chatDbEncrypted == true)
    #expect(!model.chatInitialized && !model.ctrlInitInProgress && model.chatRunning == nil)
    await #expect(throws: ChatError.self) { try await model.startChat() }
  }

  @Test func `A chat is shown after 250 ms even if its items are slow`() async throws {
    let clock = ManualClock()
    let core = ModelCore(contacts: 1, groups: 0)
    for index in 0..<80 { _ = core.receive(in: "@1", "m\(index)") }
    let model = try await startedModel(core, clock: clock)
    var navigated = false
    model.im.loadOpenChat("@1") { navigated = true }
    #expect(model.im.isLoading)
    await model.im.loaded()
    #expect(!model.im.isLoading)
    #expect(model.chatId == nil)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(250))
    while model.chatId == nil { await Task.yield() }
    #expect(navigated)
    #expect(model.im.reversedChatItems.last?.id == 1)
    #expect(!model.im.lastItemsLoaded)
  }

  @Test func `Opening around an item shows that item`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    for index in 0..<200 { _ = core.receive(in: "@1", "m\(index)") }
    let model = try await startedModel(core)
    model.im.loadOpenChatNoWait("@1", 100)
    await model.im.loaded()
    #expect(model.chatId == "@1")
    #expect(model.openAroundItemId == 100)
    #expect(model.im.chatItems.contains { $0.id == 100 })
    #expect(model.im.chatState.unreadAfter == 75)
  }

  @Test func `Views are told of items at most every 0.2 s`() async throws {
    let clock = ManualClock()
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core, clock: clock)
    model.im.loadOpenChatNoWait("@1")
    await model.im.loaded()
    while model.chatId == nil { await Task.yield() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await settle()
    var told = 0
    func follow() {
      withObservationTracking {
        _ = model.im.reversedChatItems
      } onChange: {
        MainActor.assumeIsolated { told += 1 }
      }
    }
    follow()
    for index in 0..<10 {
      if let event = core.receive(in: "@1", "m\(index)") { model.processReceivedMsg(event) }
    }
    #expect(told == 1)
    #expect(model.im.chatItems.count == 10)
    follow()
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(200))
    await settle()
    #expect(told == 2)
  }

  @Test func `A message redraws the row of its chat only`() async throws {
    let core = ModelCore(contacts: 2, groups: 0)
    let model = try await startedModel(core)
    var told: [ChatId] = []
    for chat in model.chats {
      withObservationTracking {
        _ = chat.chatStats
      } onChange: {
        MainActor.assumeIsolated { told.append(chat.id) }
      }
    }
    if let event = core.receive(in: "@2", "hello") { model.processReceivedMsg(event) }
    #expect(told == ["@2"])
  }

  @Test func `The open chat stays where it is until it is left`() async throws {
    let core = ModelCore(contacts: 3, groups: 0)
    let model = try await startedModel(core)
    model.chatId = "@1"
    if let event = core.receive(in: "@1", "hello") { model.processReceivedMsg(event) }
    #expect(model.chats.map(\.id) == ["@3", "@2", "@1"])
    #expect(model.chatToTop == "@1")
    model.chatId = nil
    #expect(model.chats.map(\.id) == ["@1", "@3", "@2"])
    #expect(model.chatToTop == nil)
  }

  @Test func `Who waits for a delivery is told once`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core)
    let chat = try #require(model.getChat("@1"))
    let sent = try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("hi"))])
    var told = 0
    model.messageDelivery[sent[0].id] = { told += 1 }
    for _ in 0..<2 {
      if let event = core.deliver(in: "@1", sent[0].id, .sndSent(sndProgress: .complete)) {
        model.processReceivedMsg(event)
      }
    }
    #expect(told == 1)
  }

  @Test func `Errors of commands are thrown and change nothing`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core)
    let unknown = ChatInfo.direct(contact: Samples.contact(9, "nobody", at: Samples.time(0)))
    await #expect(throws: ChatError.self) {
      try await model.sendMessages(to: unknown, [ComposedMessage(msgContent: .text("hi"))])
    }
    #expect(model.chats.count == 1)
  }

  @Test func `A secondary model shows its part of a group's chat`() async throws {
    let core = ModelCore(contacts: 0, groups: 1)
    let model = try await startedModel(core)
    model.chatId = "#1"
    let member = Samples.member(101, in: 1, "bob")
    let scope = GroupChatScopeInfo.memberSupport(groupMember_: member)
    let items = ItemsModel.loadSecondaryChat(
      "#1", chatFilter: .groupChatScopeContext(groupScopeInfo: scope), in: model)
    await items.loaded()
    guard case .group(let group, _)? = model.getChat("#1")?.chatInfo else { throw Failure("no group") }
    let item = Samples.item(77, direction: .groupRcv(groupMember: member), text: "help", at: core.now)
    model.addChatItem(.group(groupInfo: group, groupChatScope: scope), item)
    #expect(items.reversedChatItems.map(\.id) == [77])
    #expect(model.im.reversedChatItems.isEmpty)
    #expect(model.getChat("#1")?.chatStats.unreadCount == 0)
  }

  /// Lets everything run that can.
  private func settle() async { for _ in 0..<50 { await Task.yield() } }
}
