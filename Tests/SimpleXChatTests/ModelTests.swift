import ChatAPI
import ChatState
import ChatStateInProcess
import SimpleXChat
import SimplexTesting
import Testing

/// The state layer over real cores, a real relay and TLS.
@Suite struct ModelTests {
  /// After any run of actions of two people the model shows what a fresh load of the core gives.
  @Test(arguments: propertySeeds(3)) func equalsAFreshLoad(seed: UInt64) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let people = try await Actors(alice.controller, bob.controller, seed)
      for round in 0..<6 {
        for _ in 0..<12 { try await people.act() }
        let difference = try await people.settle()
        #expect(difference == nil, "seed \(seed), round \(round)")
      }
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

/// Alice, whose app has a model, and Bob, who types commands.
@MainActor
private final class Actors {
  private let model = ChatModel()
  private let bob: ChatController
  private var random: SeededGenerator
  private var sent = 0
  /// What Bob said last, until it is known to have come.
  private var underWay: String?

  init(_ alice: ChatController, _ bob: ChatController, _ seed: UInt64) async throws {
    self.bob = bob
    random = SeededGenerator(seed: seed)
    let core = InProcessCore(alice)
    try await model.initChatAndMigrate { OpenedCore(status: .ok, isEncrypted: false, core: core) }
  }

  private var chat: Chat {
    get throws { try #require(model.chats.first { $0.chatInfo.contact != nil }) }
  }

  func act() async throws {
    let chat = try chat
    let items = model.im.chatItems.filter { $0.content.msgContent != nil && $0.meta.itemDeleted == nil }
    let own = items.filter { $0.meta.editable }.randomElement(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3:
      sent += 1
      guard case .result = await bob.sendText("@alice message \(sent)") else { throw Failure() }
      underWay = "message \(sent)"
    case 3..<5:
      sent += 1
      try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("answer \(sent)"))])
    case 5:
      if let own {
        try await model.updateMessage(in: chat.chatInfo, own.id, to: UpdatedMessage(msgContent: .text("new")))
      }
    case 6:
      if let item = items.randomElement(using: &random) {
        if item.text == underWay { underWay = nil }
        try await model.deleteMessages(in: chat.chatInfo, [item.id], mode: .cidmInternal)
      }
    case 7:
      if let item = items.first(where: { !$0.chatDir.sent && $0.reactions.isEmpty }) {
        try await model.react(in: chat.chatInfo, item.id, MsgReaction.values[0], add: true)
      }
    case 8:
      try await quiet()
      model.im.loadOpenChatNoWait(chat.id)
      await model.im.loaded()
    default:
      try await quiet()
      if Bool.random(using: &random) { try await model.markChatRead(chat) } else { model.closeChat() }
    }
  }

  /// Waits until nothing comes any more. What comes while a chat is loaded or marked as read can be put before or after
  /// that by the model, as by the apps of the reference: answers and events have no common order.
  private func quiet() async throws {
    let core = try #require(model.core)
    let chat = try chat
    let end = ContinuousClock.now + .seconds(10)
    while let text = underWay, ContinuousClock.now < end {
      guard
        case .apiChat(_, let kept, _) = try await core.response(
          .apiGetChat(chatId: chat.id, scope: nil, contentTag: nil, pagination: .last(count: 10), search: ""),
          as: ChatResponse0.self)
      else { throw Failure() }
      if kept.chatItems.contains(where: { $0.meta.itemText == text }) { underWay = nil }
      try await Task.sleep(for: .milliseconds(20))
    }
    // Receipts follow within 100 ms, and nothing tells that none will.
    try await Task.sleep(for: .milliseconds(250))
  }

  /// Waits until nothing is under way; returns what then still differs.
  func settle() async throws -> String? {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let difference = try await difference()
      if difference == nil || ContinuousClock.now > end { return difference }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func difference() async throws -> String? {
    let core = try #require(model.core)
    let user = try #require(model.currentUser)
    guard
      case .apiChats(_, let fresh) = try await core.response(
        .apiGetChats(userId: user.userId), as: ChatResponse0.self)
    else { return "no chats" }
    let chats = model.chats
    guard Set(chats.map(\.id)) == Set(fresh.map(\.id)) else {
      return "other chats: \(chats.map(\.id)), \(fresh.map(\.id))"
    }
    for expected in fresh {
      guard let chat = model.getChat(expected.id) else { return "no \(expected.id)" }
      let (stats, other) = (chat.chatStats, expected.chatStats)
      guard stats.unreadCount == other.unreadCount, stats.unreadChat == other.unreadChat else {
        return "counts of \(expected.id): \(stats), \(other)"
      }
    }
    guard let open = model.chatId else { return nil }
    guard
      case .apiChat(_, let chat, _) = try await core.response(
        .apiGetChat(chatId: open, scope: nil, contentTag: nil, pagination: .last(count: 1000), search: ""),
        as: ChatResponse0.self)
    else { return "no items" }
    let (shown, kept) = (model.im.chatItems.map(Seen.init), chat.chatItems.map(Seen.init))
    if let index = zip(shown, kept.suffix(shown.count)).firstIndexOfDifference {
      return "item \(index): \(shown[index]), \(Array(kept.suffix(shown.count))[index])"
    }
    return nil
  }
}

private struct Failure: Error {}

/// What of an item has to agree.
private struct Seen: Equatable {
  var id: Int64
  var text: String
  var status: CIStatus
  var isEdited: Bool
  var isDeleted: Bool
  var reactions: [CIReactionCount]

  init(_ item: ChatItem) {
    id = item.id
    text = item.meta.itemText
    status = item.meta.itemStatus
    isEdited = item.meta.itemEdited
    isDeleted = item.meta.itemDeleted != nil
    reactions = item.reactions
  }
}

extension Zip2Sequence where Sequence1.Element: Equatable, Sequence1.Element == Sequence2.Element {
  /// Where the two sequences first differ.
  fileprivate var firstIndexOfDifference: Int? {
    enumerated().first { $0.element.0 != $0.element.1 }?.offset
  }
}
