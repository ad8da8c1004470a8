import ChatAPI
import ChatStateTesting
import SimplexTesting
import Testing

@testable import ChatState

@Suite struct ConsistencyTests {
  /// Whatever happens in the core, and whatever the user does, the model shows what a fresh load would show.
  @Test(arguments: propertySeeds(40)) @MainActor
  func `The model equals what the core would return`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let core = ModelCore(contacts: 5, groups: 3)
    let model = try await startedModel(core)
    for step in 0..<250 {
      let action = try await act(&random, core, model)
      try check(model, core, "seed \(seed), step \(step), after \(action)")
    }
  }

  /// One action of a peer or the user; returns its name.
  @MainActor
  private func act(_ random: inout SeededGenerator, _ core: ModelCore, _ model: ChatModel) async throws -> String {
    let id = core.chatIds.randomElement(using: &random) ?? "@1"
    let items = core.items(of: id)
    let item = items.randomElement(using: &random)
    func take(_ event: ChatEvent?) { if let event { model.processReceivedMsg(event) } }
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<6:
      let late = Bool.random(using: &random) ? 0 : Int.random(in: 0..<5, using: &random)
      take(core.receive(in: id, "hello", mention: Bool.random(using: &random), late: late))
      return "a message in \(id)"
    case 6:
      if let item, !item.chatDir.sent { take(core.edit(in: id, item.id, "changed")) }
      return "an edit in \(id)"
    case 7:
      let ids = items.shuffled(using: &random).prefix(2).map(\.id)
      take(core.delete(in: id, ids))
      return "a deletion of \(ids) in \(id)"
    case 8:
      if let item, item.chatDir.sent { take(core.deliver(in: id, item.id, .sndSent(sndProgress: .complete))) }
      return "a delivery in \(id)"
    case 9..<12:
      if let chat = model.getChat(id) {
        try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text("hi"))])
      }
      return "a message to \(id)"
    case 12:
      if let chat = model.getChat(id), let item, item.chatDir.sent {
        try await model.updateMessage(in: chat.chatInfo, item.id, to: UpdatedMessage(msgContent: .text("better")))
      }
      return "an own edit in \(id)"
    case 13:
      if let chat = model.getChat(id), let item {
        try await model.deleteMessages(in: chat.chatInfo, [item.id], mode: .cidmInternal)
      }
      return "an own deletion in \(id)"
    case 14:
      if let chat = model.getChat(id), let item {
        try await model.react(in: chat.chatInfo, item.id, MsgReaction.values[0], add: true)
      }
      return "a reaction in \(id)"
    case 15:
      if let chat = model.getChat(id) {
        let unread = items.filter(\.isRcvNew).shuffled(using: &random).prefix(3)
        let mentions = unread.count { $0.meta.userMention }
        try await model.markRead(in: chat.chatInfo, unread.map(\.id), mentionsRead: mentions)
      }
      return "reading in \(id)"
    case 16:
      if let chat = model.getChat(id) { try await model.markChatRead(chat) }
      return "reading all of \(id)"
    case 17:
      if let chat = model.getChat(id) { try await model.setUnread(chat, Bool.random(using: &random)) }
      return "a mark of \(id)"
    case 18:
      model.closeChat()
      model.im.loadOpenChatNoWait(id)
      await model.im.loaded()
      return "opening \(id)"
    case 19..<23: return try await actOnFile(&random, core, model, id)
    default: return try await scroll(&random, model, core, id)
    }
  }

  /// A file is offered, received in part or as a whole, or cancelled.
  @MainActor
  private func actOnFile(
    _ random: inout SeededGenerator, _ core: ModelCore, _ model: ChatModel, _ id: ChatId
  ) async throws -> String {
    let file = core.items(of: id).filter { $0.file != nil }.randomElement(using: &random)?.file
    switch (Int.random(in: 0..<4, using: &random), file?.fileStatus) {
    case (1, .rcvInvitation), (2, .rcvInvitation), (3, .rcvInvitation):
      try await model.receiveFile(file?.fileId ?? 0)
      return "accepting a file in \(id)"
    case (1, .rcvAccepted), (1, .rcvTransfer), (2, .rcvAccepted), (2, .rcvTransfer):
      let done = Int64.random(in: 1...3, using: &random)
      if let event = core.transfer(file?.fileId ?? 0, done, of: 3) { model.processReceivedMsg(event) }
      return "\(done) of 3 parts of a file in \(id)"
    case (3, .rcvAccepted), (3, .rcvTransfer):
      try await model.cancelFile(file?.fileId ?? 0)
      return "cancelling a file in \(id)"
    default:
      if let event = core.offer(in: id, .file("file"), size: 90) { model.processReceivedMsg(event) }
      return "a file in \(id)"
    }
  }

  @MainActor
  private func scroll(
    _ random: inout SeededGenerator, _ model: ChatModel, _ core: ModelCore, _ id: ChatId
  ) async throws -> String {
    guard let open = model.chatId, let first = model.im.chatItems.first else {
      model.closeChat()
      return "closing"
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      await model.im.loadMore(.before(chatItemId: first.id, count: 3))
      return "scrolling up in \(open)"
    case 1:
      if let split = model.im.chatState.splits.last {
        await model.im.loadMore(.after(chatItemId: split, count: 3))
      }
      return "closing a gap of \(open)"
    case 2:
      if let item = core.items(of: open).randomElement(using: &random) {
        await model.im.loadMore(.around(chatItemId: item.id, count: 4))
      }
      return "jumping in \(open)"
    case 3:
      await model.im.loadMore(.last(count: 4))
      return "jumping to the end of \(open)"
    case 4:
      if let chat = model.getChat(id) { try await model.setTags(of: chat, Bool.random(using: &random) ? [1, 2] : []) }
      return "tagging \(id)"
    default:
      if let chat = model.getChat(id), core.chatIds.count > 4 {
        if Bool.random(using: &random) { try await model.clear(chat) } else { try await model.delete(chat) }
      }
      return "clearing or deleting \(id)"
    }
  }

  @MainActor
  private func check(_ model: ChatModel, _ core: ModelCore, _ when: String) throws {
    let fresh = core.list
    var ordered = model.state
    ordered.open.chatId = nil
    ordered.popCollectedChats()
    try #require(ordered.chats.order == fresh.map(\.id), "\(when)")
    for (entry, chat) in zip(ordered.chats.inOrder, fresh) {
      try #require(entry.chatInfo == chat.chatInfo, "\(when): information of \(chat.id)")
      var (stats, expected) = (entry.chatStats, chat.chatStats)
      // Which item is the first unread one is known only while they are loaded.
      let isKnown = model.chatId == chat.id && model.im.lastItemsLoaded
      if !isKnown && stats.minUnreadItemId <= expected.minUnreadItemId && stats.minUnreadItemId > 0 {
        stats.minUnreadItemId = expected.minUnreadItemId
      }
      if isKnown { (stats.minUnreadItemId, expected.minUnreadItemId) = (0, 0) }
      try #require(stats == expected, "\(when): counts of \(chat.id)")
      let isPreviewGone = entry.chatItems.last?.id == -2
      let preview = entry.chatItems.map { $0.withoutTimer }
      if !isPreviewGone { try #require(preview == chat.chatItems, "\(when): preview of \(chat.id)") }
    }
    try checkCounts(ordered, fresh, when)
    try checkTransfers(model, core, when)
    guard let open = model.chatId else { return }
    try checkItems(model, core.items(of: open), when)
  }

  /// The counts over the list are those of a recount.
  private func checkCounts(_ state: AppState, _ fresh: [ChatData], _ when: String) throws {
    let entries = fresh.map { ChatEntry($0, created: Samples.time(0)) }
    let unread = entries.reduce(0) { $0 + $1.notifiedUnreadCount }
    try #require(state.unreadCount == unread, "\(when): unread items")
    try #require(state.session.users.first?.unreadCount == unread, "\(when): unread items of the user")
    for tag in PresetTag.allCases {
      let count = entries.count { tag.matches($0.chatInfo, $0.chatStats) }
      try #require(state.tags.presetTags[tag, default: 0] == count, "\(when): chats with \(tag)")
    }
    for tag in state.tags.userTags {
      let count = entries.count { $0.unreadTag && $0.chatInfo.chatTags?.contains(tag.chatTagId) == true }
      try #require(state.tags.unreadTags[tag.chatTagId, default: 0] == count, "\(when): unread chats with a tag")
    }
  }

  /// Files on their way are those of the items that say so.
  @MainActor
  private func checkTransfers(_ model: ChatModel, _ core: ModelCore, _ when: String) throws {
    var expected: [Int64: Double] = [:]
    for file in core.chatIds.flatMap({ core.items(of: $0) }).compactMap(\.file) {
      switch file.fileStatus {
      case .rcvAccepted: expected[file.fileId] = 0
      case .rcvTransfer(let done, let total): expected[file.fileId] = Double(done) / Double(total)
      default: break
      }
    }
    let shown = Dictionary(uniqueKeysWithValues: model.fileTransfers.map { ($0.id, $0.fraction) })
    try #require(shown == expected, "\(when): files on their way")
  }

  /// Loaded items are the core's, in its order, and nothing is missing between them but where a gap is marked.
  @MainActor
  private func checkItems(_ model: ChatModel, _ expected: [ChatItem], _ when: String) throws {
    let loaded = model.im.chatItems
    try #require(Set(loaded.map(\.id)).count == loaded.count, "\(when): an item twice")
    let splits = Set(model.im.chatState.splits)
    var position = 0
    for (index, item) in loaded.enumerated() {
      guard let found = expected[position...].firstIndex(where: { $0.id == item.id }) else {
        throw Failure("\(when): item \(item.id) is not where the core has it")
      }
      let isAfterGap = index == 0 || splits.contains(loaded[index - 1].id)
      try #require(isAfterGap || found == position, "\(when): items missing before \(item.id)")
      try #require(item.withoutTimer == expected[found], "\(when): item \(item.id)")
      position = found + 1
    }
    if model.im.lastItemsLoaded { try #require(position == expected.count || loaded.isEmpty, "\(when): the end") }
    try #require(model.im.reversedChatItems == loaded.reversed(), "\(when): reversed items")
  }
}

struct Failure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

extension ChatItem {
  /// Without the time of its disappearing, which the model and the core count for themselves.
  fileprivate var withoutTimer: ChatItem {
    var item = self
    item.meta.itemTimed = nil
    return item
  }
}

/// A model that has loaded everything from a core.
@MainActor
func startedModel(_ core: ModelCore, clock: any Clock<Duration> = ContinuousClock()) async throws -> ChatModel {
  let model = ChatModel(clock: clock, now: { core.now })
  try await model.initChatAndMigrate { OpenedCore(status: .ok, isEncrypted: false, core: core) }
  return model
}
