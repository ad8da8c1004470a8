import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatState

#if canImport(Combine)
  import Combine
#endif

@Suite @MainActor struct LifecycleTests {
  private static let failure = ChatError.error(errorType: .internalError(message: "disk full"))

  @Test func `An app goes to the background and comes back`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core)
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    try await model.suspendChat(timeout: .seconds(5))
    while effects.isEmpty { await Task.yield() }
    #expect(effects == [.chatSuspended])
    #expect(!core.isActive)
    try await model.closeStore()
    #expect(!core.isOpen)
    let info = try #require(model.getChat("@1")?.chatInfo)
    await #expect(throws: ChatError.self) {
      try await model.sendMessages(to: info, [ComposedMessage(msgContent: .text("hi"))])
    }
    try await model.reopenStore()
    try await model.activateChat()
    #expect(core.isActive && core.isOpen)
    #expect(model.chatRunning == true && model.chats.count == 1)
    try await model.sendMessages(to: info, [ComposedMessage(msgContent: .text("hi"))])
    #expect(core.items(of: "@1").count == 1)
  }

  @Test func `Without a core there is nothing to suspend or close`() async {
    let model = ChatModel()
    await #expect(throws: ChatError.self) { try await model.suspendChat(timeout: .zero) }
    await #expect(throws: ChatError.self) { try await model.activateChat() }
    await #expect(throws: ChatError.self) { try await model.closeStore() }
    await #expect(throws: ChatError.self) { try await model.reopenStore() }
  }

  @Test func `Errors and unreadable events reach the app with their content`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core)
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    core.emit(APIResult<ChatEvent>.error(Self.failure))
    core.emit(APIResult<ChatEvent>.invalid(type: "news", json: Data("{}".utf8)))
    core.emit(.chatError(chatError: Self.failure))
    core.emit(.chatErrors(chatErrors: [Self.failure, Self.failure]))
    core.emit(.hostConnected(protocol: .smp, transportHost: "relay"))
    while effects.count < 6 { await Task.yield() }
    let failed = StateEffect.failed(Self.failure)
    #expect(
      effects == [
        failed, .unreadableEvent(type: "news", json: Data("{}".utf8)), failed, failed, failed,
        .ignored(.hostConnected(protocol: .smp, transportHost: "relay")),
      ])
  }

  @Test func `Items that cannot be loaded are an error for the app`() async throws {
    let core = ModelCore(contacts: 1, groups: 0)
    let model = try await startedModel(core)
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    model.im.loadOpenChatNoWait("@77")
    await model.im.loaded()
    guard case .failed? = effects.first else { throw Failure("effects: \(effects)") }
  }

  @Test func `A chat that was moved to the top stays above those that changed before`() async throws {
    let core = ModelCore(contacts: 3, groups: 0)
    let model = try await startedModel(core)
    #expect(model.chats.map(\.id) == ["@3", "@2", "@1"])
    model.popChat("@1", Samples.time(100))
    #expect(model.chats.map(\.id) == ["@1", "@3", "@2"])
    // A message of an earlier time moves its chat below.
    if let event = core.receive(in: "@2", "hello") { model.processReceivedMsg(event) }
    model.update { $0.popCollectedChats() }
    #expect(model.chats.map(\.id) == ["@1", "@2", "@3"])
  }

  @Test func `Ids can be read on any thread`() async throws {
    let chat = Chat(chatInfo: .direct(contact: Samples.contact(7, "bob", at: Samples.time(0))))
    let member = GMember(Samples.member(101, in: 1, "carol"))
    let ids = await Task.detached { [chat.id, member.id] }.value
    #expect(ids == ["@7", "#1 @101"])
  }

  #if canImport(Combine)
    @Test func `Views that follow by Combine are told`() async throws {
      let core = ModelCore(contacts: 2, groups: 0)
      let model = try await startedModel(core)
      var told: [String] = []
      let chat = try #require(model.getChat("@2"))
      let followed = [
        model.objectWillChange.sink { told.append("model") }, chat.objectWillChange.sink { told.append("chat") },
        model.tags.objectWillChange.sink { told.append("tags") },
      ]
      if let event = core.receive(in: "@2", "hello") { model.processReceivedMsg(event) }
      #expect(Set(told) == ["model", "chat", "tags"])
      followed.forEach { $0.cancel() }
    }
  #endif
}
